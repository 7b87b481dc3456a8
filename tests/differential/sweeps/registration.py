"""Calls of `skimage.registration`."""

import numpy as np

from ..inputs import COINS, MASK, PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

# the same smooth things, moved, so that there is something to register
STILL = np.ascontiguousarray(Input("smooth", (60, 70)).array()[5:45, 5:55])
MOVED = np.ascontiguousarray(Input("smooth", (60, 70)).array()[7:47, 4:54])
STILL_3D = np.ascontiguousarray(Input("smooth", (20, 21, 22)).array()[2:15, 2:15, 2:16])
MOVED_3D = np.ascontiguousarray(Input("smooth", (20, 21, 22)).array()[3:16, 1:14, 2:16])
PAIRS = [
    {"reference_image": a.astype(dtype), "moving_image": b.astype(dtype)}
    for dtype in ("float16", "float32", "float64")
    for a, b in ((STILL, MOVED),)
]
COUNTS = {
    "reference_image": np.rint(STILL * 255).astype("uint8"),
    "moving_image": np.rint(MOVED * 255).astype("uint8"),
}
FLOW = {
    "reference_image": Input("smooth", (31, 33)),
    "moving_image": Input("moved", (31, 33)),
}
SPECTRA = {
    "reference_image": np.fft.fftn(STILL),
    "moving_image": np.fft.fftn(MOVED),
    "space": "fourier",
}
VALID = np.ones((40, 50), bool)
VALID[:, :7] = False


def in_one(result):
    """Shift, types; error and phase difference, where half a turn to either side is one."""
    shift, error, phase = result
    turned = complex((1 + error) * np.exp(1j * phase))
    return shift, type(error).__name__, type(phase).__name__, turned


SWEEPS = (
    Sweep(
        "skimage.registration:phase_cross_correlation",
        {"reference_image": PHOTO, "moving_image": COINS},
        vary={
            "upsample_factor": [2, 10, 3.5],
            "space": ["real", "Real", "fourier", "no such"],
            "disambiguate": [True],
            "normalization": ["phase", None, "no such"],
            "reference_mask": [MASK],
            "moving_mask": [MASK],
            "moving_image": [VOLUME, np.full((41, 53), np.nan), PHOTO],
        },
        also=(
            *PAIRS,
            *({**pair, "upsample_factor": 10} for pair in PAIRS),
            {**PAIRS[2], "disambiguate": True},
            {**PAIRS[2], "disambiguate": True, "upsample_factor": 10},
            {**PAIRS[1], "disambiguate": True},
            {**PAIRS[2], "normalization": None},
            {**PAIRS[2], "reference_mask": VALID},
            {**PAIRS[1], "reference_mask": VALID, "moving_mask": VALID},
            {**PAIRS[2], "reference_mask": VALID, "moving_mask": VALID, "overlap_ratio": 0.9},
            {**COUNTS, "reference_mask": VALID},
            {"reference_image": STILL_3D, "moving_image": MOVED_3D},
            {"reference_image": STILL_3D, "moving_image": MOVED_3D, "upsample_factor": 4},
            *({**SPECTRA, "upsample_factor": factor} for factor in (1, 10)),
            {"reference_image": Input("photo", (1, 40)), "moving_image": Input("coins", (1, 40))},
        ),
        view=in_one,
        bound=Bound(
            "the error is the root of what is missing to 1: of images that match, rounding",
            single=1e-3,
            double=1e-7,
        ),
    ),
    Sweep(
        "skimage.registration:optical_flow_ilk",
        FLOW,
        bound=Bound(
            "an iteration, which carries rounding on; for images that have nothing in common it"
            " does not settle",
            single=1e-4,
        ),
        vary={
            "radius": [3, 12],
            "num_warp": [1, 3],
            "gaussian": [True],
            "prefilter": [True],
            "dtype": [np.float64, "float32", np.int32],
            "moving_image": [Input("smooth", (9, 33))],
        },
        also=(
            *PAIRS,
            COUNTS,
            {**PAIRS[2], "dtype": np.float64, "prefilter": True},
            {"reference_image": STILL_3D, "moving_image": MOVED_3D, "num_warp": 3},
        ),
    ),
    Sweep(
        "skimage.registration:optical_flow_tvl1",
        FLOW,
        bound=Bound("an iteration in single precision, which carries rounding on", single=1e-4),
        vary={
            "attachment": [5, 30],
            "tightness": [0.1, 1],
            "num_warp": [1, 2],
            "num_iter": [1, 3],
            "tol": [0, 1e-2],
            "prefilter": [True],
            "dtype": [np.float64, "float32", np.int32],
            "moving_image": [Input("smooth", (9, 33))],
        },
        also=(
            *PAIRS,
            COUNTS,
            {**PAIRS[2], "dtype": np.float64, "prefilter": True},
            {"reference_image": STILL_3D, "moving_image": MOVED_3D, "num_warp": 2},
        ),
    ),
)
