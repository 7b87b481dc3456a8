"""Calls of `skimage.transform`: Hough transforms."""

import numpy as np

from ..inputs import ALL, MASK, Input
from ..sweep import Sweep

VOTES = Input("photo").cast("uint8")
# dtypes of which SciPy's filters find maxima
COUNTS = tuple(name for name in ALL if name not in ("bool", "float16"))

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
    Sweep(
        "skimage.transform:hough_line_peaks",
        {"hspace": VOTES, "angles": np.linspace(-1.5, 1.5, 53), "dists": np.arange(-20.0, 21)},
        vary={
            "min_distance": [0, 1, 3, 50, -1, 2.5],
            "min_angle": [0, 1, 4, 100, -1],
            "threshold": [0, 5, 7.5, 1e9, -1, np.float64(2), "high"],
            "num_peaks": [0, 1, 3, np.inf, 2.5, -1],
            "hspace": [
                Input("plateaus").cast("uint16"),
                Input("photo"),
                Input("zeros").cast("uint64"),
                Input("ones"),
                Input("photo", (41,)),
            ],
            "angles": [np.arange(53), np.arange(10.0), np.zeros((53, 2)), 3, None],
            "dists": [np.arange(41), np.arange(10.0), 3, None],
        },
        also=(
            {"min_distance": 1, "min_angle": 1, "num_peaks": 5},
            {"hspace": Input("plateaus").cast("uint16"), "min_distance": 2, "min_angle": 3},
        ),
        dtypes=COUNTS,
    ),
    Sweep(
        "skimage.transform:hough_circle",
        {"image": MASK, "radius": np.arange(4, 9)},
        vary={
            "radius": [0, 5, 7.8, [3, 30, 3], (2.5, 4), np.array([[2]]), [], -3, None, 60, "5"],
            "normalize": [False, True, 0, 2.5],
            "full_output": [True, 1, None],
            "image": [
                Input("ones", (1, 1)),
                Input("mask", (1, 60)),
                Input("mask", (60, 1)),
                Input("ones", (30, 33)),
                Input("zeros", (9, 8)),
                Input("zeros", (0, 8)),
                Input("mask", (20,)),
                Input("mask", (5, 6, 7)),
            ],
        },
        also=(
            {"full_output": True, "normalize": False},
            {"full_output": True, "radius": 40},
            {"image": Input("photo").cast("float32"), "radius": range(3)},
        ),
    ),
    Sweep(
        "skimage.transform:hough_ellipse",
        {"image": Input("ring", (8, 9))},
        vary={
            "threshold": [0, 1, 10, -1, 2.5],
            "accuracy": [0.4, 3, 0, -2, "fine"],
            "min_size": [0, 1, 9, -2, 2.5],
            "max_size": [3, 4.5, 0, 50, "large"],
            "image": [
                Input("ones", (1, 1)),
                Input("mask", (1, 30)),
                Input("ones", (7, 5)),
                Input("zeros", (9, 8)),
                Input("zeros", (0, 8)),
                Input("mask", (20,)),
                Input("mask", (5, 6, 7)),
            ],
        },
        also=(
            {"threshold": 1, "accuracy": 0.3, "max_size": 12},
            {"threshold": 2, "min_size": 1, "accuracy": 2},
        ),
    ),
    Sweep(
        "skimage.transform:hough_circle_peaks",
        {"hspaces": Input("noise", (4, 23, 31)), "radii": [3, 4, 5, 6]},
        vary={
            "radii": [np.arange(3, 7), [9.5, 3], (1, 2, 3, 4, 5, 6), [], 4, None, [0, 1, 2, 3]],
            "min_xdistance": [0, 2, 5, 31, 40, -1],
            "min_ydistance": [0, 2, 5, 60, -1],
            "threshold": [0, 0.8, 2, -1, np.float32(0.5)],
            "num_peaks": [0, 1, 3, np.inf, -1, 2.5],
            "total_num_peaks": [0, 1, 3, np.inf, 2.5],
            "normalize": [True],
            "hspaces": [
                Input("smooth", (4, 23, 31)),
                Input("zeros", (3, 9, 8)),
                Input("ones", (2, 9, 8)),
                Input("photo", (23, 31)),
            ],
        },
        also=(
            {"min_xdistance": 6, "min_ydistance": 4, "total_num_peaks": 5, "normalize": True},
            {"min_xdistance": 3, "min_ydistance": 3, "num_peaks": 2},
        ),
        dtypes=COUNTS,
    ),
)
