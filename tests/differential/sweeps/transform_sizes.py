"""Calls of `skimage.transform`: resizing and pyramids."""

import numpy as np

from ..inputs import COLOR, MASK, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

ORDERS = [0, 1, 2, 3, 4, 5, 6]
MODES = ["constant", "edge", "symmetric", "reflect", "wrap", "no such"]
BYTES = PHOTO.cast("uint8")
LABELS = Input("labels")

RESIZED = (
    {"mode": "constant", "cval": 0.7},
    {"mode": "constant", "cval": 2, "order": 3},
    {"preserve_range": True, "image": BYTES},
    {"preserve_range": True, "image": BYTES, "order": 3},
    {"order": 3, "mode": "edge"},
    {"order": 3, "mode": "symmetric", "image": PHOTO.cast("float32")},
    {"order": 3, "clip": False},
    {"order": 0, "image": BYTES},
    {"order": 0, "image": LABELS, "anti_aliasing": False},
    {"order": 0, "image": LABELS, "anti_aliasing": True},
    {"order": 1, "image": MASK},
    {"image": MASK, "anti_aliasing": True},
    {"anti_aliasing": True, "anti_aliasing_sigma": (1, 2)},
    {"anti_aliasing": True, "anti_aliasing_sigma": (1, -2)},
    {"anti_aliasing": True, "anti_aliasing_sigma": (1, 2, 3)},
    {"anti_aliasing": True, "mode": "wrap"},
    {"anti_aliasing": True, "mode": "constant", "cval": 0.3},
    {"anti_aliasing": False, "order": 3, "image": BYTES},
)
LAYERS = {
    "sigma": [0, 0.7, (1, 2)],
    "order": ORDERS,
    "mode": ["reflect", "constant", "edge", "symmetric", "wrap", "nearest", "mirror", "no such"],
    "cval": [0.7],
    "preserve_range": [True],
    "image": [VOLUME, COLOR, Input("photo", (1, 30)), SIGNED_PHOTO],
}
CHANNELS = (
    {"image": COLOR, "channel_axis": -1},
    {"image": Input("smooth", (3, 24, 31)), "channel_axis": 0},
    {"image": Input("smooth", (24, 2, 31)), "channel_axis": -2},
    {"image": COLOR, "channel_axis": 3},
    {"image": BYTES, "preserve_range": True},
    {"mode": "constant", "cval": 0.7},
    {"order": 3, "mode": "edge"},
)


def apart(layers):
    """Shapes and dtypes of layers, and all numbers: the smallest ones differ by roundings alone."""
    kinds = [(layer.shape, layer.dtype.str) for layer in layers]
    return kinds, np.concatenate([layer.ravel() for layer in layers])


SWEEPS = (
    Sweep(
        "skimage.transform:resize",
        {"image": PHOTO, "output_shape": (31, 70)},
        vary={
            "output_shape": [
                (20, 26),
                (82, 106),
                [31, 70],
                np.array([25, 30]),
                (41, 53),
                (20, 26, 3),
                (7,),
                (1, 1),
                (30.5, 20),
            ],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "anti_aliasing": [True, False],
            "anti_aliasing_sigma": [1, 0, (0, 2)],
            "image": [SIGNED_PHOTO, COLOR, VOLUME, MASK, Input("photo", (1, 30))],
        },
        also=(
            *RESIZED,
            {"image": COLOR, "output_shape": (20, 30, 3)},
            {"image": COLOR, "output_shape": (20, 30, 2)},
            {"image": VOLUME, "output_shape": (10, 20, 30)},
            {"image": VOLUME, "output_shape": (10, 20, 30), "order": 3},
            {"image": LABELS, "output_shape": (20, 26), "order": 0},
            {"image": LABELS, "output_shape": (82, 106), "order": 0, "mode": "edge"},
        ),
    ),
    Sweep(
        "skimage.transform:rescale",
        {"image": PHOTO, "scale": 0.6},
        vary={
            "scale": [2, (0.5, 1.7), [1.2, 0.4], np.array([0.5, 2]), 1, 0.01, (1, 2, 3), -1],
            "order": ORDERS,
            "mode": MODES,
            "clip": [False],
            "preserve_range": [True],
            "anti_aliasing": [True, False],
            "anti_aliasing_sigma": [1, (0, 2)],
            "image": [SIGNED_PHOTO, COLOR, VOLUME, MASK],
        },
        also=(
            *RESIZED,
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": 2, "scale": (0.5, 1.2)},
            {"mode": "constant", "scale": 2},
            {"mode": "constant", "scale": 2, "order": 3},
            {"image": Input("smooth", (3, 24, 31)), "channel_axis": 0},
            {"image": Input("smooth", (24, 2, 31)), "channel_axis": -2, "order": 3},
            {"image": COLOR, "channel_axis": 3},
            {"image": LABELS, "order": 0, "anti_aliasing": False, "scale": 0.5},
        ),
    ),
    Sweep(
        "skimage.transform:resize_local_mean",
        {"image": PHOTO, "output_shape": (20, 31)},
        bound=Bound(
            "scikit-image's sums in single precision are those of the CPU's linear algebra, and"
            " cuCIM's are in another order",
            single=1e-4,
        ),
        vary={
            "output_shape": [(82, 60), [20, 31], (41, 1), (20, 31, 3), (7,), (41, 53)],
            "grid_mode": [False],
            "preserve_range": [True],
            "image": [SIGNED_PHOTO, COLOR, VOLUME, Input("photo", (1, 30))],
        },
        also=(
            {"grid_mode": False, "output_shape": (41, 1)},
            {"grid_mode": False, "output_shape": (82, 60)},
            {"image": VOLUME, "output_shape": (5, 8, 25)},
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": -1, "output_shape": (20, 31, 3)},
            {"image": COLOR, "channel_axis": -1, "output_shape": (20, 31, 2)},
            {"image": Input("smooth", (3, 24, 31)), "channel_axis": 0},
            {"image": Input("smooth", (3, 24, 31)), "channel_axis": 0, "output_shape": (3, 9, 8)},
            {"image": Input("smooth", (24, 2, 31)), "channel_axis": -2},
            {"image": COLOR, "channel_axis": 3},
            {"image": BYTES, "preserve_range": True},
        ),
    ),
    Sweep(
        "skimage.transform:downscale_local_mean",
        {"image": PHOTO, "factors": (2, 3)},
        vary={
            "factors": [2, [2, 3], (1, 5), (50, 60), (2, 3, 4), (0, 1), (2.5, 2)],
            "cval": [0.7, 5],
            "clip": [False],
            "image": [VOLUME, COLOR],
        },
        also=({"image": COLOR, "factors": (2, 3, 1)},),
    ),
    Sweep(
        "skimage.transform:pyramid_reduce",
        {"image": PHOTO},
        vary={"downscale": [1.5, 3, 1, 0.5], **LAYERS},
        also=CHANNELS,
    ),
    Sweep(
        "skimage.transform:pyramid_expand",
        {"image": Input("photo", (20, 23))},
        vary={"upscale": [1.5, 3, 1, 0.5], **LAYERS},
        also=CHANNELS,
    ),
    Sweep(
        "skimage.transform:pyramid_gaussian",
        {"image": PHOTO},
        vary={"max_layer": [0, 1, 2, 40], "downscale": [1.5, 3, 1], **LAYERS},
        also=CHANNELS,
        view=apart,
    ),
    Sweep(
        "skimage.transform:pyramid_laplacian",
        {"image": PHOTO},
        vary={"max_layer": [0, 1, 2, 40], "downscale": [1.5, 3, 1], **LAYERS},
        also=CHANNELS,
        view=apart,
    ),
)
