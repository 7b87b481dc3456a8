"""Calls of `skimage.feature`: edges, corners, matrices of derivatives, templates."""

import numpy as np

from ..inputs import COINS, COLOR, MASK, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

MODES = ["constant", "reflect", "wrap", "nearest", "mirror", "edge", "no such"]
LINE = Input("photo", (1, 37))
COLUMN = Input("photo", (37, 1))
# a volume that looks like a colour image
THREE_WIDE = Input("smooth", (21, 17, 3))
PLANE = Input("smooth", (1, 31, 27))
MATRIX = [Input("signed"), Input("smooth"), Input("photo")]
MATRIX_3D = [Input("smooth", (9, 10, 11)), Input("noise", (9, 10, 11)), Input("photo", (9, 10, 11))]
MATRIX_3D += [Input("signed", (9, 10, 11)), Input("coins", (9, 10, 11)), MATRIX_3D[0]]

# Two of three eigenvalues that are nearly equal come out of an arc cosine near its end.
CLOSED_FORMULA = Bound(
    "3 x 3 matrices are solved by a closed formula, which keeps half of the digits where two"
    " eigenvalues are nearly equal",
    single=1e-5,
    double=1e-7,
)

SWEEPS = (
    Sweep(
        "skimage.feature:canny",
        {"image": COINS},
        vary={
            "sigma": [0, 0.5, 2, 3.5, (1, 2), -1],
            "mode": MODES,
            "mask": [MASK, MASK.cast("uint8"), Input("mask", (40, 53))],
            "low_threshold": [0, 0.05, 30, -0.1, 2],
            "high_threshold": [0, 0.3, 90],
            "image": [
                COLOR,
                VOLUME,
                LINE,
                COLUMN,
                Input("constant"),
                Input("plateaus"),
                Input("noise"),
                SIGNED_PHOTO,
                MASK,
                Input("photo", (1, 1)),
                Input("coins", (128, 131)),
                Input("coins", (128, 131), "uint8"),
                Input("coins", (128, 131), "float32"),
                np.pad(np.ones((20, 20)), 10),
            ],
        },
        also=(
            {"mode": "constant", "cval": 0.7},
            {"low_threshold": 0.1, "high_threshold": 0.2},
            {"low_threshold": 0.3, "high_threshold": 0.2},
            {"use_quantiles": True},
            {"use_quantiles": True, "low_threshold": 0.6, "high_threshold": 0.8},
            {"use_quantiles": True, "low_threshold": 0.6, "high_threshold": 1.2},
            {"image": COINS.cast("uint8"), "low_threshold": 10, "high_threshold": 40},
            {"image": COINS.cast("int32"), "low_threshold": 1e8, "high_threshold": 3e8},
            {"mask": MASK, "mode": "nearest", "sigma": 2},
        ),
    ),
    Sweep(
        "skimage.feature:structure_tensor",
        {"image": PHOTO},
        vary={
            "sigma": [0, 0.1, 3, (1, 2), [2, 0.5], (1, 2, 3), -1],
            "mode": MODES,
            "order": ["rc", "xy", "no such"],
            "image": [VOLUME, THREE_WIDE, PLANE, LINE, Input("smooth", (5, 6, 7, 8))],
        },
        also=(
            {"mode": "constant", "cval": 0.7},
            {"image": VOLUME, "order": "xy"},
            {"image": VOLUME, "sigma": (1, 2, 0.5)},
            {"image": VOLUME.cast("uint8"), "sigma": (5, 1, 6), "mode": "wrap"},
            {"image": VOLUME.cast("float32"), "sigma": 2, "mode": "mirror"},
            {"image": PHOTO.cast("float32"), "sigma": 6},
            {"image": Input("smooth", (1, 9, 10, 3))},
        ),
    ),
    Sweep(
        "skimage.feature:structure_tensor_eigenvalues",
        {"A_elems": MATRIX},
        vary={"A_elems": [tuple(MATRIX), MATRIX_3D, MATRIX[:2], [Input("constant")] * 3]},
        also=({"A_elems": [item.cast("float32") for item in MATRIX_3D]},),
        bound=CLOSED_FORMULA,
    ),
    Sweep(
        "skimage.feature:hessian_matrix",
        {"image": PHOTO},
        vary={
            "sigma": [0.5, 3, (1, 2), [2, 0.5], (1, 2, 3), 0, -1],
            "mode": MODES,
            "order": ["rc", "xy", "no such"],
            "use_gaussian_derivatives": [True, False],
            "image": [VOLUME, THREE_WIDE, PLANE, LINE],
        },
        also=(
            {"mode": "constant", "cval": 0.7},
            {"use_gaussian_derivatives": True, "sigma": 0.5},
            {"use_gaussian_derivatives": True, "sigma": (1, 2)},
            {"use_gaussian_derivatives": True, "order": "xy"},
            {"use_gaussian_derivatives": True, "mode": "constant", "cval": 0.7},
            {"use_gaussian_derivatives": True, "image": VOLUME},
            {"use_gaussian_derivatives": True, "image": THREE_WIDE},
            {"use_gaussian_derivatives": True, "sigma": 3, "image": PHOTO.cast("float32")},
            {"use_gaussian_derivatives": True, "image": VOLUME, "mode": "wrap", "sigma": (2, 1, 3)},
            {"use_gaussian_derivatives": True, "image": Input("smooth", (5, 6, 7, 8))},
            {"image": VOLUME, "order": "xy"},
            {"image": VOLUME, "sigma": (2, 0.5, 5), "mode": "mirror"},
            {"image": VOLUME.cast("float32"), "mode": "nearest"},
            {"image": VOLUME.cast("uint8"), "mode": "constant", "cval": 0.7},
            {"image": Input("smooth", (5, 6, 7, 8)), "use_gaussian_derivatives": False},
        ),
    ),
    Sweep(
        "skimage.feature:hessian_matrix_det",
        {"image": PHOTO},
        vary={
            "sigma": [0, 0.4, 1.5, 3, 10, (1, 2), -1],
            "approximate": [True, False],
            "image": [VOLUME, THREE_WIDE, LINE, COLUMN, Input("smooth", (6, 7, 8, 5))],
        },
        also=(
            {"approximate": False, "sigma": 2, "image": PHOTO.cast("float32")},
            {"approximate": False, "sigma": (1, 2)},
            {"image": VOLUME, "sigma": 2},
            {"image": VOLUME.cast("float32"), "sigma": (1, 2, 5)},
            {"image": Input("photo", (61, 67), "float32"), "sigma": 5},
        ),
    ),
    Sweep(
        "skimage.feature:hessian_matrix_eigvals",
        {"H_elems": MATRIX},
        vary={
            "H_elems": [
                tuple(MATRIX),
                MATRIX_3D,
                MATRIX[:2],
                [Input("smooth", (5, 6, 7, 4))] * 10,
            ]
        },
        also=({"H_elems": [item.cast("float32") for item in MATRIX_3D]},),
        bound=CLOSED_FORMULA,
    ),
    Sweep(
        "skimage.feature:shape_index",
        {"image": PHOTO},
        vary={
            "sigma": [0.5, 3, (1, 2), -1],
            "mode": MODES,
            "image": [VOLUME, Input("plateaus"), COLOR],
        },
        also=({"mode": "constant", "cval": 0.7},),
    ),
    Sweep(
        "skimage.feature:corner_kitchen_rosenfeld",
        {"image": PHOTO.cast("uint8")},
        vary={"mode": MODES, "image": [VOLUME, Input("constant"), LINE, Input("plateaus")]},
        also=({"mode": "constant", "cval": 0.7},),
    ),
    Sweep(
        "skimage.feature:corner_harris",
        {"image": PHOTO},
        vary={
            "method": ["k", "eps", "no such"],
            "k": [0, 0.2],
            "sigma": [0.5, 3, (1, 2), -1],
            "image": [VOLUME, Input("constant"), LINE],
        },
        also=({"method": "eps", "eps": 1e-3}, {"method": "eps", "image": PHOTO.cast("float32")}),
    ),
    Sweep(
        "skimage.feature:corner_shi_tomasi",
        {"image": PHOTO},
        vary={"sigma": [0.5, 3, (1, 2), -1], "image": [VOLUME, Input("constant"), LINE]},
    ),
    Sweep(
        "skimage.feature:corner_foerstner",
        {"image": PHOTO},
        vary={"sigma": [0.5, 3, (1, 2), -1], "image": [VOLUME, Input("constant"), LINE]},
    ),
    Sweep(
        "skimage.feature:match_template",
        {"image": PHOTO, "template": Input("coins", (9, 7))},
        vary={
            "pad_input": [True],
            "mode": ["constant", "reflect", "wrap", "edge", "symmetric", "mean", "no such"],
            "constant_values": [0.5],
            "template": [
                Input("photo", (9, 7)),
                Input("photo", (8, 6)),
                Input("constant", (9, 7)),
                Input("photo", (42, 7)),
                Input("noise", (5, 4, 3)),
                Input("coins", (9, 7), "float32"),
                Input("coins", (9, 7), "uint8"),
            ],
            "image": [PHOTO.cast("float32"), PHOTO.cast("uint8"), VOLUME],
        },
        also=(
            {"pad_input": True, "mode": "reflect"},
            {"pad_input": True, "constant_values": 0.5},
            {"image": VOLUME, "template": Input("noise", (5, 4, 3))},
            {"image": VOLUME, "template": Input("noise", (5, 4, 3)), "pad_input": True},
            {"image": COLOR, "template": Input("color", (5, 4, 3))},
        ),
        bound=Bound(
            "sums in windows are differences of sums over the image up to there; where the image"
            " is flat but for rounding, the coefficient may be anything",
            double=1e-6,
        ),
    ),
    Sweep(
        "skimage.feature:daisy",
        {"image": Input("photo", (37, 41)), "radius": 9},
        vary={
            "step": [1, 100],
            "radius": [5, 25],
            "rings": [1, 2],
            "histograms": [1, 4],
            "orientations": [1, 5],
            "normalization": ["l1", "l2", "daisy", "off", "no such"],
            "sigmas": [[1, 2, 4], [1, 2]],
            "ring_radii": [[5, 10], [4, 9, 14]],
            "visualize": [True],
            "image": [VOLUME, Input("constant"), COLOR],
        },
        also=(
            {"sigmas": [1, 2], "ring_radii": [3, 9]},
            {"sigmas": [1, 2, 4], "ring_radii": [3, 9]},
            {"sigmas": [1, 2, 4], "ring_radii": [3]},
        ),
    ),
    Sweep(
        "skimage.feature:multiscale_basic_features",
        bound=Bound("second derivatives in single precision", single=2e-4),
        call={"image": Input("photo", (23, 26))},
        vary={
            "intensity": [False],
            "edges": [False],
            "texture": [False],
            "sigma_min": [1],
            "sigma_max": [4, 0.4],
            "num_sigma": [1, 2],
            "workers": [1],
            "image": [Input("smooth", (9, 10, 11)), Input("smooth", (9, 10, 3)), LINE],
        },
        also=(
            {"intensity": False, "edges": False, "texture": False},
            {"image": Input("color", (19, 17, 3)), "channel_axis": -1, "sigma_max": 2},
            {"image": Input("color", (19, 17, 3)), "channel_axis": 0, "sigma_max": 2},
            {"image": Input("smooth", (17, 2, 19)), "channel_axis": -2, "sigma_max": 2},
            {"image": Input("color", (19, 17, 3)), "channel_axis": 3},
        ),
    ),
)
