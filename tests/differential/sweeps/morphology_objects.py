"""Calls of `skimage.morphology`: objects, their size, hull, skeleton and margin."""

import numpy as np

from ..inputs import ALL, COINS, LABELS, MASK, PHOTO, VOLUME, VOLUME_LABELS, VOLUME_MASK, Input
from ..sweep import Sweep

EMPTY = Input("zeros", (41, 53), "bool")
FULL = Input("ones", (41, 53), "bool")
LINE = Input("mask", (1, 53))
STEPS = Input("plateaus")
_EYE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
# from these sizes on cuCIM makes hulls on the device
LARGE = Input("mask", (190, 210))
LARGE_DISK = Input("disk", (211, 191))
LARGE_VOLUME = Input("mask", (29, 31, 33))


_SPACED = (
    {"radius": 0.9, "spacing": 0.3},
    {"radius": 1.5, "spacing": 0.3},
    {"radius": 1.6, "spacing": 0.3},
    {"radius": 25**0.5, "spacing": 0.25},
)
_SHAPES = (
    {"image": EMPTY},
    {"image": FULL},
    {"image": VOLUME_MASK},
    {"image": VOLUME_MASK, "radius": 3**0.5, "spacing": 0.5},
    {"image": VOLUME_MASK, "spacing": (1, 2, 1)},
    {"image": LINE},
    {"image": Input("mask", (53,))},
    {"image": Input("mask", (5, 7, 6, 5)), "radius": 1},
    {"image": Input("mask", (150, 70)), "radius": 9**0.5},
    {"image": COINS},
)


def _isotropic(name):
    """A step, or two of them: erosion and dilation."""
    single = name in ("erosion", "dilation")
    return Sweep(
        f"skimage.morphology:isotropic_{name}",
        {"image": MASK, "radius": 3},
        vary={
            "radius": [
                *(0, 1, 1.5, -1, 1000, np.inf),
                *([5**0.5, np.sqrt(5), np.float32(2.5), 5**0.5 - 1e-12] if single else ()),
            ],
            "spacing": [1, 0.5, (0.5, 2.0), *([0.3, (2, 2), [1, 1, 1], (1,)] if single else ())],
            "out": [EMPTY, EMPTY.cast("uint8"), EMPTY.cast("float32")],
        },
        also=(*_SHAPES, *_SPACED) if single else _SHAPES[:4],
        dtypes=ALL if single else ("bool", "uint8", "int64", "float32"),
    )


def _small(name, threshold):
    return Sweep(
        f"skimage.morphology:{name}",
        {"ar": MASK},
        vary={
            "max_size": [0, 1, 30, 10_000, 30.5, -1, None],
            threshold: [30, 0, 1, 30.5, np.float64(12.5), "no such"],
            "connectivity": [0, 1, 2, 3],
            "out": [EMPTY, EMPTY.cast("uint8"), Input("zeros", (5, 5), "bool")],
        },
        also=(
            {"ar": LABELS},
            {"max_size": 30, threshold: 30},
            {"ar": Input("disk", (3, 3)), threshold: 9.5},
            {"ar": Input("disk", (3, 3)), threshold: 8.5},
            {"ar": Input("disk", (3, 3)), threshold: 9},
            {"ar": Input("disk", (3, 3)), threshold: 10},
            {"ar": Input("signed").cast("int8")},
            {"ar": LABELS, "out": Input("zeros", (41, 53), "int32")},
            {"ar": MASK.cast("uint8")},
            {"ar": VOLUME_MASK, "connectivity": 3},
            {"ar": VOLUME_LABELS},
            {"ar": EMPTY},
            {"ar": FULL},
            {"ar": LABELS, "max_size": 0},
            {"ar": Input("signed").cast("int16"), "max_size": 0},
            {"ar": LINE, "max_size": 3},
            {"ar": Input("mask", (53,)), "max_size": 3},
            {"ar": Input("zeros", (0, 53), "bool")},
        ),
    )


SWEEPS = (
    *map(
        _isotropic,
        ("erosion", "dilation", "opening", "closing"),
    ),
    _small("remove_small_objects", "min_size"),
    _small("remove_small_holes", "area_threshold"),
    Sweep(
        "skimage.morphology:thin",
        {"image": MASK},
        vary={"max_num_iter": [0, 1, 2, 3.5, -1, None]},
        also=(
            {"image": EMPTY},
            {"image": FULL},
            {"image": LINE},
            {"image": Input("mask", (150, 170))},
            {"image": VOLUME_MASK},
            {"image": Input("mask", (53,))},
        ),
    ),
    Sweep(
        "skimage.morphology:skeletonize",
        {"image": MASK},
        vary={"method": [None, "zhang", "lee", "no such"]},
        also=(
            {"image": EMPTY},
            {"image": FULL},
            {"image": LINE},
            {"image": Input("mask", (150, 170))},
            {"image": Input("photo", (0, 53))},
            {"image": VOLUME_MASK},
            {"image": VOLUME_MASK, "method": "zhang"},
            {"image": Input("mask", (53,))},
        ),
    ),
    *(
        Sweep(
            f"skimage.morphology:{name}",
            {"image": STEPS},
            vary={"connectivity": [1, 2, 3, 0, None, _EYE], **vary},
            also=(
                {"image": PHOTO},
                {"image": PHOTO.cast("uint8"), "connectivity": 2},
                {"image": VOLUME, "connectivity": 3},
                {"image": Input("plateaus", (13, 17, 19))},
                {"image": Input("constant")},
                {"image": MASK},
                {"image": COINS},
                {"image": Input("steps", (41, 53), "int64")},
                {"image": LINE},
                {"image": Input("photo", (53,))},
                {"image": Input("photo", (0, 53))},
            ),
        )
        for name, vary in (
            ("max_tree", {}),
            ("area_opening", {"area_threshold": [0, 9, 30.5, 1e6]}),
            ("area_closing", {"area_threshold": [0, 9, 30.5, 1e6]}),
            ("diameter_opening", {"diameter_threshold": [0, 3, 9.5, 1e6]}),
            ("diameter_closing", {"diameter_threshold": [0, 3, 9.5, 1e6]}),
            ("max_tree_local_maxima", {}),
        )
    ),
    Sweep(
        "skimage.morphology:medial_axis",
        {"image": MASK, "rng": 0},
        vary={
            "mask": [Input("disk"), Input("disk").cast("uint8")],
            "return_distance": [True],
            "rng": [1, np.int64(3), np.random.SeedSequence(5), "no such"],
        },
        also=(
            {"image": Input("disk"), "rng": None},
            {"image": COINS, "mask": Input("disk"), "return_distance": True},
            {"image": COINS.cast("uint8"), "mask": Input("disk", (41, 53), "bool")},
            {"image": EMPTY, "return_distance": True},
            {"image": FULL},
            {"image": FULL, "return_distance": True},
            {"image": LINE},
            {"image": Input("mask", (2, 53))},
            {"image": Input("mask", (150, 170)), "return_distance": True},
            {"image": VOLUME_MASK},
        ),
    ),
    Sweep(
        "skimage.morphology:convex_hull_image",
        {"image": LARGE},
        vary={
            "offset_coordinates": [False],
            "tolerance": [1e-8, 1e-5, 0, -1],
            "include_borders": [False],
        },
        also=(
            {"image": MASK},
            {"image": MASK, "include_borders": False},
            {"image": VOLUME_MASK},
            {"image": VOLUME_MASK, "offset_coordinates": False},
            {"image": LARGE_VOLUME},
            {"image": LARGE_VOLUME, "offset_coordinates": False},
            {"image": LARGE_VOLUME, "tolerance": 0.5},
            {"image": LARGE_DISK},
            {"image": LARGE_DISK, "offset_coordinates": False},
            {"image": LARGE_DISK, "include_borders": False},
            {"image": LARGE_DISK, "include_borders": False, "offset_coordinates": False},
            {"image": LABELS},
            {"image": LABELS.cast("uint16")},
            {"image": Input("zeros", (190, 210), "bool")},
            {"image": Input("ones", (190, 210), "bool")},
            {"image": Input("ones", (190, 210), "bool"), "offset_coordinates": False},
            {"image": Input("corners", (190, 210))},
            {"image": Input("corners", (190, 210)), "offset_coordinates": False},
            {"image": LINE},
            {"image": Input("mask", (1, 190, 210))},
            {"image": Input("mask", (1, 31, 33))},
            {"image": Input("mask", (53,))},
        ),
    ),
    Sweep(
        "skimage.morphology:convex_hull_object",
        {"image": MASK},
        vary={"connectivity": [0, 1, 2, 3]},
        also=(
            {"image": Input("mask", (150, 210)), "connectivity": 1},
            {"image": LARGE_DISK},
            {"image": Input("corners", (190, 210))},
            {"image": VOLUME_MASK},
            {"image": LINE},
            {"image": EMPTY},
            {"image": LABELS},
            {"image": LABELS.cast("int16")},
        ),
    ),
)
