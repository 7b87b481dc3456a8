"""Calls of `skimage.segmentation`: labels and their boundaries."""

import numpy as np

from ..inputs import COLOR, LABELS, MASK, PHOTO, VOLUME, VOLUME_LABELS, Input
from ..sweep import Sweep

INTEGERS = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
LABELS_16 = LABELS.cast("int16")
LINE = Input("labels", (1, 53))
EMPTY = Input("zeros", (41, 53), "int32")
FULL = Input("ones", (41, 53), "int32")
GRID = Input("grid")
TILES = Input("tiles")
LARGE_GRID = Input("grid", (150, 70))


def _mapped(result):
    """Arrays of a result in which there are `ArrayMap` objects."""
    return [
        (type(item).__name__, item.in_values, item.out_values)
        if hasattr(item, "in_values")
        else item
        for item in (result if isinstance(result, tuple) else [result])
    ]


SWEEPS = (
    Sweep(
        "skimage.segmentation:clear_border",
        {"labels": LABELS},
        vary={
            "buffer_size": [1, 3, 0, -1, 60],
            "bgval": [1, -1, 7, 2.7, 300, True],
            "mask": [MASK, Input("disk"), Input("disk").cast("uint8"), Input("disk", (5, 5))],
            "out": [LABELS, EMPTY, EMPTY.cast("float64")],
        },
        also=(
            {"labels": VOLUME_LABELS},
            {"labels": MASK},
            {"labels": MASK, "bgval": 1},
            {"labels": LABELS.cast("uint8"), "bgval": 300},
            {"labels": LABELS.cast("uint8"), "bgval": -1},
            {"labels": LABELS.cast("float32"), "bgval": 2.7},
            {"labels": LINE},
            {"labels": EMPTY, "bgval": 3},
            {"labels": FULL},
            {"labels": GRID},
            {"labels": Input("labels", (150, 170))},
            {"mask": MASK, "buffer_size": 60},
            {"mask": MASK, "bgval": 9},
            {"labels": Input("zeros", (0, 53), "int32")},
        ),
    ),
    Sweep(
        "skimage.segmentation:expand_labels",
        {"label_image": GRID, "distance": 3},
        vary={
            "distance": [0, 1, 1.5, 2, 2**0.5, np.sqrt(5), 10, 100, np.inf, -1],
            "spacing": [1.0, 2, 0.5, 0.3, (1, 1), (2, 2), (1, 2), (1,)],
        },
        also=(
            {"label_image": LABELS},
            {"label_image": LABELS, "distance": 100},
            {"label_image": LARGE_GRID, "distance": 5},
            {"label_image": LARGE_GRID, "distance": 100},
            {"label_image": Input("grid", (70, 150)), "distance": 100},
            {"label_image": Input("grid", (13, 17, 19)), "distance": 2},
            {"label_image": Input("grid", (13, 17, 19)), "distance": 20},
            {"label_image": Input("grid", (37, 17, 39)), "distance": 20},
            {"label_image": Input("grid", (13, 17, 19)), "spacing": (1, 2, 1)},
            {"label_image": EMPTY},
            {"label_image": EMPTY, "distance": 100},
            {"label_image": FULL},
            {"label_image": LINE},
            {"label_image": Input("labels", (53,))},
            {"label_image": Input("labels", (5, 7, 6, 5))},
            {"label_image": PHOTO},
        ),
    ),
    Sweep(
        "skimage.segmentation:find_boundaries",
        {"label_img": LABELS},
        vary={
            "connectivity": [0, 1, 2, 3],
            "mode": ["thick", "inner", "outer", "subpixel", "no such"],
            "background": [1, -1, 2],
        },
        also=(
            {"label_img": TILES, "mode": "inner"},
            {"label_img": TILES, "mode": "outer"},
            {"label_img": TILES, "mode": "outer", "background": 2},
            {"label_img": TILES, "mode": "outer", "connectivity": 2},
            {"label_img": TILES, "mode": "subpixel"},
            {"label_img": TILES.cast("uint8"), "mode": "subpixel"},
            {"label_img": TILES.cast("uint8"), "mode": "outer"},
            {"label_img": MASK, "mode": "subpixel"},
            {"label_img": MASK, "mode": "outer"},
            {"label_img": LABELS.cast("float32"), "mode": "outer"},
            {"label_img": VOLUME_LABELS},
            {"label_img": VOLUME_LABELS, "mode": "outer"},
            {"label_img": VOLUME_LABELS, "mode": "inner", "connectivity": 3},
            {"label_img": Input("tiles", (7, 8, 9)), "mode": "subpixel"},
            {"label_img": LINE},
            {"label_img": LINE, "mode": "subpixel"},
            {"label_img": Input("tiles", (53,)), "mode": "outer"},
            {"label_img": TILES.cast("uint64"), "mode": "subpixel"},
            {"label_img": Input("signed", (41, 53), "int64"), "mode": "subpixel"},
            {"label_img": Input("signed", (41, 53), "int64")},
            {"label_img": TILES, "mode": "outer", "background": 9},
        ),
    ),
    Sweep(
        "skimage.segmentation:mark_boundaries",
        {"image": COLOR, "label_img": LABELS},
        vary={
            "color": [(0, 0.5, 1), [1, 0, 0], np.array([0.2, 0.4, 0.6]), 0.3, (1, 0)],
            "outline_color": [(1, 0, 0), [0, 0.2, 0.4], 0.5],
            "mode": ["thick", "inner", "outer", "subpixel", "no such"],
            "background_label": [1, -1],
        },
        also=(
            {"image": PHOTO},
            {"image": PHOTO.cast("float32"), "outline_color": (1, 0, 0)},
            {"image": PHOTO.cast("uint8"), "mode": "inner"},
            {"label_img": TILES},
            {"label_img": TILES, "background_label": 9},
            {"label_img": TILES, "mode": "subpixel"},
            {"image": COLOR.cast("uint8"), "mode": "subpixel", "outline_color": (1, 0, 0)},
            {"image": COLOR.cast("float32"), "mode": "subpixel"},
            {"label_img": MASK},
            {"label_img": GRID.cast("uint8")},
            {"label_img": Input("labels", (5, 5))},
            {"image": Input("color", (41, 53, 4)), "color": (1, 1, 0, 0.5)},
            {"image": Input("color", (13, 17, 19, 3)), "label_img": VOLUME_LABELS},
            {"image": VOLUME, "label_img": VOLUME_LABELS},
        ),
    ),
    Sweep(
        "skimage.segmentation:join_segmentations",
        {"s1": LABELS, "s2": GRID},
        vary={"return_mapping": [True, False]},
        also=(
            {"s1": LABELS_16, "return_mapping": True},
            {"s1": LABELS.cast("uint8"), "s2": GRID.cast("uint8"), "return_mapping": True},
            {"s1": LABELS.cast("int64"), "s2": GRID.cast("uint8"), "return_mapping": True},
            {"s1": VOLUME_LABELS, "s2": Input("grid", (13, 17, 19)), "return_mapping": True},
            {"s1": EMPTY, "s2": EMPTY, "return_mapping": True},
            {"s1": FULL, "return_mapping": True},
            {"s2": VOLUME_LABELS},
            {"s1": MASK},
        ),
        dtypes=INTEGERS,
        view=_mapped,
    ),
    Sweep(
        "skimage.segmentation:relabel_sequential",
        {"label_field": Input("gaps")},
        vary={"offset": [1, 5, 300, 70000, 2.5, 0, -1]},
        also=(
            {"label_field": LABELS},
            {"label_field": Input("gaps").cast("uint8"), "offset": 250},
            {"label_field": Input("gaps").cast("uint8"), "offset": 249},
            {"label_field": Input("gaps").cast("int8"), "offset": 120},
            {"label_field": FULL, "offset": 255},
            {"label_field": FULL.cast("uint8"), "offset": 255},
            {"label_field": FULL.cast("uint8"), "offset": 256},
            {"label_field": FULL.cast("int8"), "offset": 127},
            {"label_field": FULL.cast("uint16"), "offset": 65535},
            {"label_field": EMPTY},
            {"label_field": EMPTY, "offset": 7},
            {"label_field": VOLUME_LABELS},
            {"label_field": Input("signed").cast("int16")},
            {"label_field": Input("gaps", (53,))},
            {"label_field": Input("zeros", (0, 53), "int32")},
        ),
        view=_mapped,
    ),
)
