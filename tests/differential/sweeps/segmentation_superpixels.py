"""Calls of `skimage.segmentation`: superpixels."""

import numpy as np

from ..inputs import COLOR, PHOTO, Input
from ..sweep import Sweep


def _arrays(result):
    """Of a tree: its arrays, which scikit-image gives as views of Cython."""
    is_view = {"_memoryviewslice"}.__contains__
    parts = result if isinstance(result, tuple) else [result]
    return [np.asarray(part) if is_view(type(part).__name__) else part for part in parts]


SWEEPS = (
    Sweep(
        "skimage.segmentation:quickshift",
        {"image": COLOR},
        vary={
            "ratio": [0.5, 0, 20, 1.5, -1],
            "kernel_size": [1, 2.5, 3, 0.9, 30],
            "max_dist": [0, 1.5, 4, 100, np.inf],
            "return_tree": [True, False],
            "sigma": [0.8, 3, 6, -1, (1, 1)],
            "convert2lab": [True, False],
            "rng": [0, 7, None, -1],
            "channel_axis": [-1, 2, 0, 5],
        },
        also=(
            {"return_tree": True, "convert2lab": False, "ratio": 30},
            {"image": COLOR.cast("float32"), "convert2lab": False, "ratio": 30},
            {"image": COLOR.cast("uint8"), "convert2lab": False, "ratio": 30, "kernel_size": 2},
            {"image": COLOR.cast("uint8"), "sigma": 1, "kernel_size": 2, "max_dist": 4},
            {"image": PHOTO},
            {"image": PHOTO, "convert2lab": False, "ratio": 50.0},
            {"image": Input("photo", (53,)), "convert2lab": False},
            {"image": Input("photo", (1, 53)), "convert2lab": False, "kernel_size": 1},
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0},
            {"image": Input("color", (13, 17, 4)), "convert2lab": False},
            {"image": Input("color", (13, 17, 4))},
            {"image": Input("constant", (13, 17, 3))},
            {"image": Input("zeros", (0, 17, 3))},
            {"image": Input("color", (4, 5, 6, 3))},
        ),
        view=_arrays,
    ),
)
