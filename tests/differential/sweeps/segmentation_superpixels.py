"""Calls of `skimage.segmentation`: superpixels."""

import numpy as np

from ..inputs import COLOR, MASK, PHOTO, VOLUME, Input
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
    Sweep(
        "skimage.segmentation:slic",
        {"image": COLOR, "n_segments": 20},
        vary={
            "n_segments": [1, 2, 100, 5000, 0],
            "compactness": [0.01, 1, 100, 0, -1],
            "max_num_iter": [1, 3, 0, 40],
            "sigma": [0.8, 3, 6, (1, 2), [0, 1], (1, 1, 1), -1],
            "spacing": [(1, 2), [0.5, 0.5], (1, 1, 1), 2, (1,)],
            "convert2lab": [True, False, None],
            "enforce_connectivity": [True, False],
            "min_size_factor": [0, 1, 3],
            "max_size_factor": [1, 2, 50, 0],
            "slic_zero": [True, False],
            "start_label": [0, 1, 2],
            "mask": [MASK, Input("disk"), Input("disk").cast("uint8"), Input("disk", (5, 5))],
            "channel_axis": [-1, 2, 0, None, 5],
        },
        also=(
            {"slic_zero": True, "sigma": 1, "start_label": 0},
            {"mask": Input("disk"), "slic_zero": True, "start_label": 0},
            {"mask": Input("disk"), "enforce_connectivity": False, "sigma": 1},
            {"image": COLOR.cast("uint8"), "enforce_connectivity": False},
            {"image": COLOR.cast("float32"), "convert2lab": False, "compactness": 0.1},
            {"image": PHOTO, "channel_axis": None, "compactness": 0.1},
            {"image": PHOTO},
            {"image": PHOTO.cast("float32"), "channel_axis": None, "compactness": 0.1},
            {"image": VOLUME, "channel_axis": None, "compactness": 0.1},
            {"image": VOLUME, "channel_axis": None, "spacing": (3, 1, 1), "sigma": 1},
            {"image": VOLUME, "channel_axis": None, "sigma": (1, 2, 0), "slic_zero": True},
            {"image": Input("color", (9, 10, 11, 3)), "compactness": 5},
            {"image": Input("color", (13, 17, 4)), "compactness": 0.1},
            {"image": Input("color", (13, 17, 4)), "convert2lab": True},
            {"image": Input("color", (3, 21, 31)), "channel_axis": 0},
            {"image": Input("photo", (1, 53)), "channel_axis": None, "compactness": 0.1},
            {"image": Input("photo", (53,)), "channel_axis": None},
            {"image": Input("constant", (13, 17, 3))},
            {"image": Input("zeros", (0, 17, 3))},
        ),
    ),
)
