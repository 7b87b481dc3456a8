"""Calls of `skimage.filters`: edges."""

import numpy as np

from ..inputs import COINS, COLOR, MASK, SIGNED_PHOTO, VOLUME, VOLUME_MASK, Input
from ..sweep import Sweep

LINE = Input("noise", (1, 37))
TWO_LINES = Input("noise", (2, 37))
VECTOR = Input("smooth", (57,))
SINGLE = COINS.cast("float32")
MODES = ["constant", "reflect", "wrap", "nearest", "mirror", "no such"]
MASKS = [
    MASK,
    MASK.cast("uint8"),
    MASK.cast("float64"),
    np.zeros((41, 53), bool),
    Input("mask", (40, 53)),
]
# the operators share their code: what depends on the weights alone is tried with each
SOME_DTYPES = ("bool", "uint8", "int16", "uint32", "float16", "float32", "float64")


def _of_all_axes(name, dtypes=SOME_DTYPES, vary=()):
    return Sweep(
        f"skimage.filters:{name}",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO],
            "mask": [MASK],
            "axis": [None, 0, 1, -1, (0, 1), 2],
            "mode": ["constant", "wrap", "no such"],
            **dict(vary),
        },
        also=({"mode": "constant", "cval": 0.3}, {"image": VOLUME, "axis": (0, 2)}),
        dtypes=dtypes,
    )


def _of_one_direction(name):
    return Sweep(
        f"skimage.filters:{name}",
        {"image": COINS},
        vary={"image": [VOLUME, TWO_LINES, SINGLE, VECTOR], "mask": [MASK]},
        dtypes=SOME_DTYPES,
    )


SWEEPS = (
    Sweep(
        "skimage.filters:sobel",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO, Input("noise", (1, 1))],
            "mask": MASKS,
            "axis": [None, 0, 1, -1, -2, (0, 1), (1,), [0], 2, 1.0],
            "mode": MODES,
            "cval": [0.3],
        },
        also=(
            *({"mode": "constant", "cval": value} for value in (0.3, -1, np.float32(0.5))),
            *({"image": VOLUME, "axis": axis} for axis in (0, -1, (0, 2), (2, 1))),
            {"image": VOLUME, "mask": VOLUME_MASK},
            {"image": VOLUME, "mode": "constant"},
            {"image": VOLUME.cast("uint8"), "mode": "wrap"},
            {"image": SINGLE, "mode": "constant", "cval": 0.3},
            {"image": SINGLE, "mask": MASK, "axis": 0},
        ),
    ),
    *(_of_all_axes(name) for name in ("scharr", "prewitt", "farid")),
    *(
        _of_one_direction(f"{name}_{direction}")
        for name in ("sobel", "scharr", "prewitt", "farid")
        for direction in "hv"
    ),
    *(
        Sweep(
            f"skimage.filters:{name}",
            {"image": COINS},
            vary={"image": [VOLUME, LINE, SIGNED_PHOTO], "mask": MASKS},
            dtypes=SOME_DTYPES,
        )
        for name in ("roberts", "roberts_pos_diag", "roberts_neg_diag")
    ),
    Sweep(
        "skimage.filters:laplace",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO],
            "ksize": [3, 4, 5, 2, 1, 0, -1, 3.0, None],
            "mask": MASKS,
        },
        also=({"image": VOLUME, "mask": VOLUME_MASK}, {"image": VOLUME, "ksize": 5}),
    ),
)
