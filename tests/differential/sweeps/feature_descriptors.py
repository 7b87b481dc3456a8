"""Calls of `skimage.feature`: descriptors of regions."""

import numpy as np

from ..inputs import COLOR, MASK, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Sweep

SWEEPS = (
    Sweep(
        "skimage.feature:hog",
        {"image": PHOTO},
        vary={
            "orientations": [1, 4, 8, 64, 180, 0, 2.5],
            "pixels_per_cell": [(1, 1), (5, 3), (2, 7), (13, 17), (40, 53), (0, 8), (8, 8, 8)],
            "cells_per_block": [(1, 1), (2, 4), (5, 6), (6, 6), (0, 1)],
            "block_norm": ["L1", "L1-sqrt", "L2", "L2-Hys", "no such"],
            "visualize": [True],
            "transform_sqrt": [True],
            "feature_vector": [True, False],
            "channel_axis": [-1, 0],
            "image": [
                COLOR,
                VOLUME,
                SIGNED_PHOTO,
                Input("constant"),
                Input("plateaus"),
                Input("noise"),
                MASK,
                Input("photo", (24, 24), "uint8"),
                Input("photo", (23, 24)),
                Input("photo", (1, 100)),
                np.zeros((0, 30)),
            ],
        },
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": COLOR, "channel_axis": -1, "visualize": True},
            {"image": COLOR.cast("uint8"), "channel_axis": 2, "transform_sqrt": True},
            {"image": COLOR.cast("float32"), "channel_axis": -1},
            {"image": Input("noise", (4, 41, 53)), "channel_axis": 0},
            {"image": Input("smooth", (41, 2, 53)), "channel_axis": -2},
            {"image": COLOR, "channel_axis": 3},
            {"image": PHOTO.cast("float32"), "visualize": True, "orientations": 12},
            {"visualize": True, "pixels_per_cell": (3, 9)},
            {"visualize": True, "pixels_per_cell": (1, 9)},
            {"visualize": True, "pixels_per_cell": (20, 25), "cells_per_block": (1, 1)},
            {"pixels_per_cell": (1, 1), "cells_per_block": (1, 1), "orientations": 4},
        ),
    ),
)
