"""Calls of `skimage.filters.rank`."""

from dataclasses import replace

import numpy as np

from ..inputs import COLOR, FLOATS, MASK, VOLUME_MASK, Input
from ..sweep import Sweep

IMAGE = Input("photo", dtype="uint8")
FEW_GREYS = Input("plateaus", dtype="uint8")
DEEP = Input("photo", dtype="uint16")
VOLUME = Input("smooth", (7, 9, 11), "uint8")
DISK = np.array(
    [
        [0, 0, 1, 0, 0],
        [0, 1, 1, 1, 0],
        [1, 1, 1, 1, 1],
        [0, 1, 1, 1, 0],
        [0, 0, 1, 0, 0],
    ],
    np.uint8,
)
EVEN = np.ones((4, 2), np.uint8)
RING = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], bool)
FAR = np.array([[1, 0, 0, 0, 0]], np.int64)  # no pixel near the left border
CUBE = np.ones((3, 3, 3), np.uint8)
# cuCIM takes histograms for such footprints, where borders leave room for them
SQUARE = np.ones((17, 17), np.uint8)
ROOM = Input("photo", (35, 34), "uint8")

CALL = {"image": IMAGE, "footprint": DISK}


def _sweep(name, *also, vary=(), call=CALL):
    """What holds for all rank filters, and what is `name`'s own."""
    return Sweep(
        f"skimage.filters.rank:{name}",
        call,
        vary={
            "footprint": [EVEN, RING, FAR, np.zeros((3, 3), np.uint8), DISK[0], None],
            "image": [FEW_GREYS, DEEP, VOLUME, Input("photo", (1, 9), "uint8"), COLOR],
            "mask": [MASK, MASK.cast("uint8"), MASK.cast("float64"), VOLUME_MASK],
            "shift_x": [1, -2, 3, True, 1.0],
            "out": [
                Input("constant", dtype="uint8"),
                Input("constant", dtype="uint16"),
                Input("constant"),
            ],
            **dict(vary),
        },
        also=(
            {"mask": MASK, "image": FEW_GREYS, "footprint": RING},
            {"mask": MASK, "image": DEEP, "footprint": EVEN},
            {"shift_x": -2, "shift_y": 1},
            {"image": ROOM, "footprint": SQUARE},
            *also,
        ),
    )


def _generic(name, *also, **more):
    return _sweep(
        name,
        {"image": VOLUME, "footprint": CUBE},
        {"image": VOLUME, "footprint": CUBE, "mask": Input("mask", (7, 9, 11))},
        {"image": VOLUME, "footprint": CUBE, "shift_x": 1, "shift_y": 1, "shift_z": -1},
        {"image": Input("photo", (9,), "uint8"), "footprint": np.ones(3)},
        *also,
        **more,
    )


def _share(name, *also, **more):
    both = ({"p0": 0, "p1": 1}, {"p0": 0.25, "p1": 0.6}, {"p0": 0.7, "p1": 0.3})
    if name in ("percentile", "threshold_percentile"):
        both = ()
        vary = {"p0": [0, 0.1, 0.25, 0.29, 0.5, 0.9, 1, -0.1, 1.5]}
    else:
        vary = {"p0": [0, 0.05, 0.5, 1, -0.1], "p1": [0, 0.75, 1, 2]}
    return _sweep(
        name,
        *both,
        *({**shares, "image": DEEP, "mask": MASK, "footprint": RING} for shares in both),
        {"p0": 0.5, "footprint": EVEN},
        {"p0": 0.3, "image": ROOM, "footprint": SQUARE},
        *also,
        vary=vary,
        **more,
    )


def _bilateral(name, *also):
    return _sweep(
        name,
        *also,
        {"s0": 30, "s1": 5},
        {"image": DEEP, "s0": 1000, "s1": 2000},
        vary={"s0": [0, 1, 300, -5, 2.5], "s1": [0, 40]},
    )


SWEEPS = (
    *(
        _generic(name)
        for name in (
            "autolevel",
            "enhance_contrast",
            "equalize",
            "geometric_mean",
            "gradient",
            "majority",
            "maximum",
            "mean",
            "minimum",
            "modal",
            "otsu",
            "pop",
            "subtract_mean",
            "sum",
            "threshold",
        )
    ),
    _generic(
        "entropy", {"image": Input("photo", (51, 50), "uint8"), "footprint": np.ones((25, 25))}
    ),
    _generic("median", call={"image": IMAGE}),
    _generic(
        "noise_filter",
        {"footprint": np.ones((1, 1))},
        {"image": VOLUME, "footprint": CUBE, "shift_x": 1},
    ),
    *(
        _share(name, call={**CALL, "p0": 0.1, "p1": 0.9})
        for name in (
            "autolevel_percentile",
            "enhance_contrast_percentile",
            "gradient_percentile",
            "pop_percentile",
        )
    ),
    *(_share(name, call={**CALL, "p0": 0.4}) for name in ("percentile", "threshold_percentile")),
    *(_share(f"{name}_percentile") for name in ("mean", "subtract_mean", "sum")),
    # Of other integers, and of more than 256 bins, scikit-image reads beyond its memory, which may
    # end the process.
    replace(
        _sweep(
            "windowed_histogram",
            {"image": DEEP, "n_bins": 9},
            {"image": FEW_GREYS, "n_bins": 256, "mask": MASK},
            vary={"n_bins": [1, 8, 0, True]},
        ),
        dtypes=("bool", "uint8", "uint16", "int8", *FLOATS),
    ),
    _bilateral("mean_bilateral"),
    _bilateral("pop_bilateral"),
    _bilateral(
        "sum_bilateral",
        {"image": Input("photo", (54, 53), "uint8"), "footprint": np.ones((27, 27)), "s0": 70},
    ),
)
