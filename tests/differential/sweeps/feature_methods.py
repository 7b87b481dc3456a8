"""Calls of the methods of `skimage.feature`'s classes, and of filters that are objects."""

import numpy as np
import skimage as ski

from ..inputs import Input
from ..sweep import Bound, MethodSweep

COINS = Input("coins", (72, 84))
SMALL = Input("coins", (40, 46))
CAMERA = Input("photo", (64, 70))
_IMAGES = [Input("plateaus", (64, 72)), Input("noise", (61, 67)), Input("constant", (60, 64))]
_IMAGES += [CAMERA, COINS.cast("uint8"), COINS.cast("float32"), Input("mask", (64, 64))]
_AT = np.array([[30, 30], [36, 41], [2, 3], [40, 50], [30, 33]])
_ORB = {
    "self.downscale": [1.1, 1.5, 2, 3],
    "self.n_scales": [1, 2, 3],
    "self.n_keypoints": [1, 7, 10**4],
    "self.fast_n": [5, 10, 12],
    "self.fast_threshold": [0.0, 0.02, 0.15],
    "self.harris_k": [0.0, 0.1, 0.2],
}
_SIFT = {
    "self.upsampling": [1, 4],
    "self.n_octaves": [1, 2],
    "self.n_scales": [1, 2, 5],
    "self.sigma_min": [1.0, 2.2],
    "self.sigma_in": [0.8, 1.0],
    "self.c_dog": [0.0, 0.004, 0.03],
    "self.c_edge": [2, 25, 1000.0],
    "self.n_bins": [6, 61],
    "self.lambda_ori": [0.5, 3],
    "self.c_max": [0.1, 0.5, 1.5],
    "self.lambda_descr": [2, 11.5],
    "self.n_hist": [1, 2, 5],
    "self.n_ori": [1, 3, 12],
}
_CLOSE = Bound(
    "angles and what is made of them by functions that differ between libraries", 1e-3, 1e-9
)


def sift(detected, **parameters):
    """A detector that has keypoints, for `extract`; "" for one that has none."""
    made = ski.feature.SIFT(**parameters)
    if not isinstance(detected, str):
        made.detect(detected)
    return made


def bell(r, c, width=2.0):
    """A smooth impulse response."""
    return np.exp(-(r**2 + c**2) / width)


def corner(r, c):
    """One that is not symmetric."""
    return ((r >= 0) & (c >= -1) & (r < 3) & (c < 2)).astype(float)


def _sift(method, **options):
    return MethodSweep(
        f"skimage.feature:SIFT.{method}",
        {"image": SMALL, "self.n_octaves": 2} | options.pop("call", {}),
        vary={"image": [CAMERA, *_IMAGES], **_SIFT} | options.pop("vary", {}),
        bound=_CLOSE,
        **options,
    )


METHODS = (
    *(
        MethodSweep(
            f"skimage.feature:ORB.{method}",
            {"image": COINS, "self.n_keypoints": 30},
            vary={"image": _IMAGES, **_ORB},
            also=({"self.downscale": 2, "self.fast_n": 12}, {"self.n_scales": 1}),
            bound=_CLOSE,
        )
        for method in ("detect", "detect_and_extract")
    ),
    MethodSweep(
        "skimage.feature:ORB.extract",
        {
            "image": COINS,
            "keypoints": _AT.astype(float),
            "scales": np.array([1, 1, 1, 1.2, 1.44]),
            "orientations": np.linspace(-3, 3, len(_AT)),
        },
        vary={
            "image": _IMAGES,
            "self.downscale": [1.1, 2],
            "self.n_scales": [1, 3],
            "scales": [np.ones(5), np.ones(4), np.ones(5, int)],
            "orientations": [np.zeros(5), np.ones(5, np.float32), np.zeros(3)],
        },
        images="image|keypoints",
        bound=_CLOSE,
    ),
    _sift("detect"),
    _sift("detect_and_extract"),
    _sift(
        "extract",
        make="tests.differential.sweeps.feature_methods:sift",
        call={"self.detected": SMALL},
        vary={"self.detected": [CAMERA, ""]},
    ),
    MethodSweep(
        "skimage.feature:CENSURE.detect",
        {"image": COINS, "self.max_scale": 4},
        vary={
            "image": _IMAGES,
            "self.min_scale": [1, 2, 3],
            "self.max_scale": [3, 5, 7, 9],
            "self.mode": ["DoB", "Octagon", "STAR", "octagon", "no such"],
            "self.non_max_threshold": [0.0, 0.01, 0.05, 0.5],
            "self.line_threshold": [1, 2.5, 100],
        },
        also=(
            {"self.mode": "Octagon", "self.non_max_threshold": 0.02},
            {"self.mode": "STAR", "self.non_max_threshold": 0.02},
            {"self.min_scale": 2, "self.max_scale": 6},
        ),
    ),
    MethodSweep(
        "skimage.feature:BRIEF.extract",
        {"image": COINS, "keypoints": _AT},
        vary={
            "image": _IMAGES,
            "keypoints": [_AT.astype(float), np.array([[30, 30]]), _AT[:0]],
            "self.descriptor_size": [8, 64, 1],
            "self.patch_size": [9, 21, 30],
            "self.mode": ["normal", "uniform", "no such"],
            "self.sigma": [0, 0.5, 3],
            "self.rng": [2, 77],
        },
        also=({"self.mode": "uniform", "self.patch_size": 21},),
        images="image|keypoints",
    ),
    MethodSweep(
        "skimage.filters:LPIFilter2D.__call__",
        {"data": Input("coins", (33, 40)), "self.impulse_response": bell},
        vary={
            "data": [Input("photo", (32, 32)), Input("noise", (1, 20)), Input("constant")],
            "self.impulse_response": [bell, corner],
            "self.width": [1, 8.0],
        },
        images="data",
        hidden=("_cache",),
    ),
)
