"""Calls of `skimage.morphology`: erosion, dilation and what is made of them."""

import numpy as np

from ..inputs import COINS, MASK, PHOTO, VOLUME, Input
from ..sweep import Sweep

PLATEAUS = Input("plateaus")
LINE = Input("photo", (1, 53))
DISK = Input("disk", (5, 5))
HOOK = Input("hook", (3, 4))
CUBE = Input("disk", (3, 3, 3))
SEQUENCE = [(Input("disk", (3, 3)), 2), (HOOK, 1)]

_MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "max", "min", "ignore", "no such"]

_FOOTPRINTS = [
    DISK,
    HOOK,
    HOOK.cast("bool"),
    Input("hook", (2, 2)),
    Input("disk", (3, 3), "float64"),
    SEQUENCE,
    (3, 3),
    [((3, 3), 1)],
    CUBE,  # of another number of dimensions than the image
    [[1, 1], [1, 0]],
    [],
]

_COMBINATIONS = (
    {"image": PHOTO.cast("float32"), "mode": "constant", "cval": 0.4},
    {"image": PHOTO.cast("uint8"), "mode": "constant", "cval": 77},
    {"image": MASK, "footprint": HOOK},
    {"image": MASK, "mode": "ignore"},
    {"image": VOLUME},
    {"image": VOLUME.cast("uint8"), "footprint": CUBE},
    {"image": Input("color", (41, 53, 3)), "footprint": Input("disk", (5, 5, 1))},
    {"image": LINE},
    {"image": LINE, "mode": "mirror", "footprint": Input("disk", (9, 9))},
    {"image": Input("photo", (53,))},
    {"image": Input("photo", (41, 53), "int16"), "footprint": HOOK, "mode": "min"},
    {"image": Input("photo", (41, 53), "int16"), "footprint": HOOK, "mode": "max"},
    {"footprint": SEQUENCE, "mode": "wrap"},
    {"image": Input("steps", (41, 53), "int64")},
    {"image": Input("steps", (41, 53), "int64"), "footprint": Input("ones", (3, 3))},
)


def _flat(name, modes=_MODES, footprints=_FOOTPRINTS, also=_COMBINATIONS):
    """Calls of an operation with a flat footprint."""
    return Sweep(
        f"skimage.morphology:{name}",
        {"image": PHOTO, "footprint": DISK},
        vary={
            "mode": modes,
            "cval": [0.3],
            "footprint": [None, *footprints],
            "out": [Input("constant"), Input("constant").cast("float32")],
        },
        also=also,
    )


def _binary(name):
    """Calls of a deprecated operation for boolean images."""
    return Sweep(
        f"skimage.morphology:{name}",
        {"image": MASK, "footprint": DISK},
        vary={
            "mode": ["ignore", "max", "min", "reflect"],
            "footprint": [None, *_FOOTPRINTS, Input("zeros", (3, 3)), [(DISK, 0)]],
            "out": [Input("constant", dtype=dtype) for dtype in ("bool", "int32", "float32")],
        },
        also=(
            {"image": PHOTO, "footprint": HOOK},
            {"image": VOLUME, "footprint": CUBE, "mode": "min"},
            {"image": LINE, "footprint": None},
            {"image": Input("photo", (53,), "int16"), "footprint": Input("ones", (4,))},
            {"footprint": SEQUENCE, "mode": "max"},
            {"out": Input("constant", (41, 52))},
        ),
    )


_SOME = (
    {"image": MASK, "footprint": HOOK},
    {"image": VOLUME},
    {"image": COINS.cast("uint8"), "footprint": HOOK, "mode": "constant", "cval": 77},
    {"image": LINE},
    {"image": PHOTO.cast("uint8"), "footprint": DISK, "out": Input("constant").cast("uint8")},
    {"image": MASK, "footprint": SEQUENCE, "mode": "ignore"},
)

RECONSTRUCTION_FOOTPRINTS = [
    None,
    Input("disk", (3, 3)),
    Input("disk", (5, 3)),
    Input("hook", (3, 3)),
    Input("ring", (3, 3)),
    Input("disk", (2, 2)),
]

SWEEPS = (
    _flat("erosion"),
    _flat("dilation"),
    _flat("opening", ["constant", "ignore", "mirror"], [HOOK, SEQUENCE], _SOME),
    _flat("closing", ["constant", "ignore", "mirror"], [HOOK, SEQUENCE], _SOME),
    _flat("white_tophat", ["constant", "ignore", "mirror"], [HOOK, SEQUENCE], _SOME),
    _flat("black_tophat", ["constant", "ignore", "mirror"], [HOOK, SEQUENCE], _SOME),
    *map(_binary, ("binary_closing", "binary_dilation", "binary_erosion", "binary_opening")),
    Sweep(
        "skimage.morphology:reconstruction",
        {"seed": Input("lowered"), "mask": PLATEAUS},
        vary={
            "method": ["dilation", "erosion", "no such"],
            "footprint": RECONSTRUCTION_FOOTPRINTS,
            "offset": [Input("zeros", (2,), "int64"), [0, 0], None],
        },
        also=(
            {"seed": PLATEAUS, "mask": Input("lowered"), "method": "erosion"},
            {
                "seed": PLATEAUS.cast("uint8"),
                "mask": Input("lowered").cast("uint8"),
                "method": "erosion",
                "footprint": Input("disk", (3, 3)),
            },
            {
                "seed": PLATEAUS.cast("uint64"),
                "mask": Input("lowered").cast("uint64"),
                "method": "erosion",
            },
            {"seed": Input("lowered").cast("float32")},
            {"seed": Input("lowered").cast("uint8"), "mask": PLATEAUS.cast("int16")},
            {"seed": Input("lowered", (13, 17, 19)), "mask": Input("plateaus", (13, 17, 19))},
            {"seed": Input("steps"), "mask": Input("steps")},
            {"seed": Input("lowered", (1, 53)), "mask": Input("plateaus", (1, 53))},
            {"seed": Input("lowered", (7, 53))},
            {"footprint": Input("hook", (3, 3)), "offset": Input("zeros", (2,), "int64")},
            {"footprint": Input("disk", (4, 3)), "offset": Input("zeros", (2,), "int64")},
        ),
    ),
    *(
        Sweep(
            f"skimage.morphology:{name}",
            {"image": PLATEAUS, "h": 0.2},
            vary={
                "h": [0, 0.1, 0.05, 1, 2, -0.1],
                "footprint": [None, Input("disk", (3, 3)), Input("hook", (3, 3))],
            },
            also=(
                {"image": PHOTO},
                {"image": PHOTO.cast("float32")},
                {"image": PHOTO.cast("float32"), "h": np.float64(0.2)},
                {"image": PHOTO.cast("float16")},
                {"image": PLATEAUS.cast("uint8"), "h": 40},
                {"image": PLATEAUS.cast("uint8"), "h": 40.0},
                {"image": PLATEAUS.cast("uint8"), "h": 40.5},
                {"image": PLATEAUS.cast("uint8"), "h": 300},
                {"image": Input("signed").cast("int8"), "h": 40},
                {"image": Input("signed").cast("int16"), "h": 4000},
                {"image": PHOTO.cast("uint16"), "h": 4000},
                {"image": PHOTO.cast("int64"), "h": 2**60},
                {"image": Input("steps", (41, 53), "int64"), "h": 3},
                {"image": Input("tiles"), "h": 2},
                {"image": VOLUME, "h": 0.1},
                {"image": LINE},
            ),
        )
        for name in ("h_maxima", "h_minima")
    ),
    *(
        Sweep(
            f"skimage.morphology:{name}",
            {"image": PLATEAUS},
            vary={
                "footprint": [Input("disk", (3, 3)), Input("hook", (3, 3)), DISK, CUBE],
                "connectivity": [0, 1, 2, 3, -1],
                "indices": [True],
                "allow_borders": [False],
            },
            also=(
                {"image": PHOTO},
                {"image": PHOTO.cast("uint8"), "connectivity": 1},
                {"image": VOLUME, "connectivity": 1},
                {"image": Input("plateaus", (13, 17, 19)), "indices": True},
                {"image": Input("constant")},
                {"image": Input("constant"), "allow_borders": False},
                {"image": Input("photo", (2, 53)), "allow_borders": False},
                {"image": Input("photo", (2, 53)), "allow_borders": False, "indices": True},
                {"image": LINE},
                {"image": Input("photo", (53,)), "indices": True},
                {"image": Input("photo", (0, 53))},
                {"image": Input("photo", (0, 53)), "indices": True},
                {"footprint": Input("disk", (3, 3)), "connectivity": 1},
                {"footprint": Input("ring", (3, 3))},
                {"allow_borders": False, "connectivity": 1, "indices": True},
                {"image": PLATEAUS.cast("uint8"), "allow_borders": False},
                {"image": MASK, "allow_borders": False},
                {"image": Input("steps", (41, 53), "int64")},
                {"image": Input("tiles")},
            ),
        )
        for name in ("local_maxima", "local_minima")
    ),
    *(
        Sweep(
            f"skimage.morphology:{name}",
            {"image": PLATEAUS, "seed_point": (9, 9), **value},
            vary={
                "seed_point": [(0, 0), (-1, -1), (20, 30)],
                "footprint": [Input("disk", (3, 3)), Input("hook", (3, 3)), DISK],
                "connectivity": [0, 1, 2, 3, -1],
                "tolerance": [0, 1, 0.5, 100],
            },
            also=(
                {"image": PHOTO, "tolerance": 0.2},
                {"image": PHOTO.cast("uint8"), "tolerance": 20, "connectivity": 1},
                {"image": VOLUME, "seed_point": (5, 5, 5), "tolerance": 0.2},
                {"image": Input("constant")},
                {"image": LINE, "seed_point": 5, "tolerance": 0.3},
                {"image": Input("steps", (41, 53), "int64"), "tolerance": 3},
                {"image": MASK},
                *more,
            ),
        )
        for name, value, more in (
            ("flood", {}, ({"image": Input("photo", (0, 53))},)),
            ("flood_fill", {"new_value": 1}, ({"new_value": 0},)),
        )
    ),
)
