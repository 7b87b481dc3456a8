"""Calls of `skimage.transform`: Hough transforms."""

import numpy as np

from ..inputs import MASK, Input
from ..sweep import Sweep

SWEEPS = (
    Sweep(
        "skimage.transform:hough_line",
        {"image": MASK},
        vary={
            "theta": [
                np.deg2rad(np.arange(-90, 90.0, 15)),
                np.linspace(-4, 9, 7),
                np.array([0.3]),
                np.array([0, np.pi]),
                np.zeros(3, "float32"),
                [0.0, 1.0],
                np.zeros((2, 2)),
                0.5,
                None,
            ],
            "image": [
                Input("ones", (1, 1)),
                Input("mask", (1, 60)),
                Input("mask", (60, 1)),
                Input("ones", (9, 8)),
                Input("zeros", (9, 8)),
                Input("zeros", (0, 8)),
                Input("mask", (20,)),
                Input("mask", (5, 6, 7)),
            ],
        },
        also=({"image": Input("photo").cast("float32"), "theta": np.linspace(-1, 1, 181)},),
    ),
)
