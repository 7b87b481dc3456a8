"""Calls of `skimage.feature`: peaks and blobs."""

import numpy as np

from ..inputs import COINS, COLOR, LABELS, MASK, PHOTO, VOLUME, VOLUME_LABELS, Input
from ..sweep import Sweep

SMOOTH = Input("smooth")
BRIGHT = Input("coins", (48, 60))
# a blob whose centre lies between pixels
EVEN = np.exp(-np.add.outer((np.arange(40) - 19.5) ** 2, (np.arange(42) - 20.5) ** 2) / 30)
# values from the ends of the range: sums and comparisons in floating numbers would be wrong
WIDE = Input("noise", (41, 53), "int64")


def _peaks(name, **more):
    return Sweep(
        name,
        {"image": SMOOTH},
        vary={
            "min_distance": [0, 2, 5, 1.5],
            "threshold_abs": [0, 0.5, 2, -1],
            "threshold_rel": [0, 0.5, 2],
            "exclude_border": [False, 0, 3, (2, 5), (2,), -1, 2.5, (2.5, 1)],
            "num_peaks": [0, 1, 3, np.inf, None],
            "footprint": [
                np.ones((3, 3), bool),
                np.ones((2, 5)),
                np.eye(3, dtype=np.uint8),
                np.ones((1, 1)),
                [[1, 1], [0, 1]],
            ],
            "labels": [LABELS, LABELS.cast("uint8"), MASK, LABELS.cast("float64")],
            "num_peaks_per_label": [2, np.inf, None],
            "p_norm": [1, 2, np.inf],
            "image": [
                VOLUME,
                Input("plateaus"),
                Input("constant"),
                Input("noise"),
                Input("noise", (1, 40)),
                Input("noise", (50,)),
                Input("noise", (5, 6, 7, 8)),
                WIDE,
                Input("noise", (1, 1)),
                Input("signed", (41, 53), "int16"),
            ],
        },
        also=(
            {"labels": LABELS, "num_peaks_per_label": 1},
            {"labels": LABELS, "num_peaks": 4, "exclude_border": False},
            {"labels": LABELS, "footprint": np.ones((3, 3), bool), "min_distance": 3},
            {"labels": LABELS, "image": Input("plateaus")},
            {"labels": LABELS, "image": SMOOTH.cast("uint8")},
            {"image": Input("noise", (41, 53), "uint8"), "min_distance": 3},
            {"image": Input("noise"), "min_distance": 4, "p_norm": 2, "num_peaks": 5},
            {"image": Input("noise"), "exclude_border": False, "threshold_rel": 0.8},
            {"image": VOLUME, "min_distance": 2, "labels": VOLUME_LABELS},
            {"image": VOLUME, "exclude_border": (1, 2, 3)},
            {"image": WIDE, "labels": LABELS},
            *more.get("also", ()),
        ),
    )


SWEEPS = (
    _peaks("skimage.feature:peak_local_max"),
    _peaks("skimage.feature:corner_peaks", also=({"indices": False},)),
    Sweep(
        "skimage.feature:blob_dog",
        {"image": BRIGHT, "threshold": 0.05, "min_sigma": 2, "max_sigma": 9},
        vary={
            "min_sigma": [1, (2, 3), [2, 2]],
            "max_sigma": [6, (5, 9), [9, 9], 1, 2 * 1.6**3],
            "sigma_ratio": [1.2, 2, 1, 0.5],
            "threshold": [0.01, 0.2, None, 10],
            "overlap": [0, 0.2, 1],
            "threshold_rel": [0.2, 0.9, None],
            "prescale": ["none", "minmax", "legacy", "no such", None],
            "exclude_border": [True, 3, (3, 9), (3,), (1.5, 2), 2.5],
            "image": [VOLUME, Input("constant"), MASK, COINS, EVEN, Input("coins", (1, 60))],
        },
        also=(
            {"threshold": None, "threshold_rel": 0.1},
            {"threshold": 5, "prescale": "none"},
            {"image": Input("constant"), "prescale": "minmax"},
            {"image": COINS, "prescale": "minmax"},
            {"image": VOLUME, "min_sigma": 1, "max_sigma": 4, "threshold": 0.02},
            {"image": VOLUME, "min_sigma": (1, 1, 2), "max_sigma": (3, 4, 5), "threshold": 0.01},
            {"image": Input("noise", (24, 28)), "min_sigma": 1, "threshold": 0.01, "overlap": 0.1},
            {"image": PHOTO, "min_sigma": 1, "threshold": 0.01, "overlap": 0.3},
        ),
    ),
    Sweep(
        "skimage.feature:blob_log",
        {"image": BRIGHT, "threshold": 0.05, "min_sigma": 2, "max_sigma": 9, "num_sigma": 5},
        vary={
            "min_sigma": [1, (2, 3), [2, 2]],
            "max_sigma": [6, (5, 9), [9, 9], 1],
            "num_sigma": [1, 2],
            "threshold": [0.01, 0.2, None, 10],
            "overlap": [0, 0.2, 1],
            "log_scale": [True],
            "threshold_rel": [0.2, 0.9, None],
            "prescale": ["none", "minmax", "legacy", "no such", None],
            "exclude_border": [True, 3, (3, 9), (3,), (1.5, 2), 2.5],
            "image": [VOLUME, Input("constant"), MASK, COINS, EVEN, Input("coins", (1, 60))],
        },
        also=(
            {"threshold": None, "threshold_rel": 0.1},
            {"threshold": 5, "prescale": "none"},
            {"image": Input("constant"), "prescale": "minmax"},
            {"image": COINS, "prescale": "minmax"},
            {"log_scale": True, "min_sigma": (2, 3)},
            {"image": VOLUME, "min_sigma": 1, "max_sigma": 4, "threshold": 0.02},
            {"image": VOLUME, "min_sigma": (1, 1, 2), "max_sigma": (3, 4, 5), "threshold": 0.01},
            {"image": Input("noise", (24, 28)), "min_sigma": 1, "threshold": 0.01, "overlap": 0.1},
            {"image": PHOTO, "min_sigma": 1, "threshold": 0.01, "overlap": 0.3},
        ),
    ),
    Sweep(
        "skimage.feature:blob_doh",
        {"image": BRIGHT, "threshold": 0.001, "max_sigma": 12, "num_sigma": 5},
        vary={
            "min_sigma": [2, 4.5],
            "max_sigma": [6, 1],
            "num_sigma": [1, 2],
            "threshold": [0.0001, 0.01, None, 10],
            "overlap": [0, 0.2, 1],
            "log_scale": [True],
            "threshold_rel": [0.2, 0.9, None],
            "prescale": ["none", "minmax", "legacy", "no such", None],
            "image": [VOLUME, Input("constant"), MASK, COINS, EVEN, COLOR, Input("coins", (1, 60))],
        },
        also=(
            {"threshold": None, "threshold_rel": 0.1},
            {"threshold": 5, "prescale": "none"},
            {"image": Input("constant"), "prescale": "minmax"},
            {"image": COINS, "prescale": "minmax"},
            {"image": Input("noise", (24, 28)), "threshold": 0.0001, "overlap": 0.1},
            {"image": PHOTO, "threshold": 0.0001, "overlap": 0.3},
        ),
    ),
)
