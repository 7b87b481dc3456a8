"""Calls of `skimage.filters`: thresholds."""

import numpy as np

from ..inputs import COINS, COLOR, NOISE, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

CONSTANT = Input("constant")
HALVES = Input("halves")
BYTES = Input("coins", dtype="uint8")
SHORTS = Input("coins", dtype="int16")
# integers of 32 and 64 bits have histograms as long as their range
DTYPES = ("bool", "uint8", "uint16", "int8", "int16", "float16", "float32", "float64")
NARROW = [
    np.rint(100 * COINS.array()).astype(dtype) - dtype(shift)
    for dtype, shift in ((np.int32, 30), (np.int64, 50), (np.uint32, 0), (np.uint64, 0))
]
COUNTS = np.array([3, 10, 40, 12, 5, 4, 6, 20, 50, 30, 7, 2])
HISTOGRAM = (COUNTS, np.arange(12) * 2.0)
IMAGES = [
    *NARROW,
    VOLUME,
    COLOR,
    SIGNED_PHOTO,
    SIGNED_PHOTO.cast("int16"),
    Input("plateaus"),
    Input("plateaus", dtype="uint8"),
    CONSTANT,
    CONSTANT.cast("uint8"),
    Input("noise", (1, 40), "float32"),
    Input("smooth", (57,)),
]


RUNNING_SUMS = Bound(
    "local variances are differences of sums, which scikit-image takes from integral images and so"
    " rounds as sums of the whole image; where the image is flat the square root magnifies that."
    " Images of integers have exact sums and equal results",
    single=1e-4,
    double=1e-5,
)


def _of_histogram(name, *also, vary=()):
    """A threshold of an image or of its histogram."""
    return Sweep(
        f"skimage.filters:{name}",
        {"image": COINS},
        vary={
            "image": IMAGES,
            "nbins": [1, 2, 10, 1000, 0, -1, 2.5, None],
            **dict(vary),
        },
        also=({"image": BYTES, "nbins": 7}, *also),
        dtypes=DTYPES,
    )


def _with_histogram(name, *also, vary=()):
    return _of_histogram(
        name,
        {"image": None, "hist": HISTOGRAM},
        {"image": BYTES, "hist": (COUNTS, None)},
        *also,
        vary={"hist": [COUNTS, HISTOGRAM, (COUNTS, np.arange(12)), COUNTS[:1]], **dict(vary)},
    )


def _windowed(name, vary=()):
    return Sweep(
        f"skimage.filters:{name}",
        {"image": PHOTO},
        vary={
            # all that scikit-image gives for a constant image of doubles is rounding
            "image": [
                VOLUME,
                COLOR,
                SIGNED_PHOTO,
                CONSTANT.cast("uint8"),
                Input("noise", (1, 40)),
                NOISE,
            ],
            **dict(vary),
            "window_size": [1, 3, 4, (3, 7), (5, 4), (3, 3, 3), 0, 99],
            "k": [0, 0.1, -0.5],
        },
        also=(
            {"image": VOLUME, "window_size": (3, 5, 7)},
            {"image": BYTES, "window_size": 3},
        ),
        bound=RUNNING_SUMS,
    )


SWEEPS = (
    _with_histogram("threshold_otsu"),
    _with_histogram("threshold_yen"),
    _with_histogram(
        "threshold_isodata", {"image": BYTES, "return_all": True}, vary={"return_all": [True]}
    ),
    # the histogram is smoothed in Python until it has two maxima
    Sweep(
        "skimage.filters:threshold_minimum",
        {"image": HALVES},
        vary={
            "image": [Input("halves", (9, 10, 11)), CONSTANT, CONSTANT.cast("uint8")],
            "nbins": [10, 100, 0, -1, 2.5],
            "max_num_iter": [0, 1, 100],
            "hist": [HISTOGRAM, COUNTS],
        },
        also=(
            {"image": None, "hist": HISTOGRAM},
            {"image": HALVES.cast("uint8"), "max_num_iter": 20, "nbins": 7},
            {"image": COINS, "max_num_iter": 20},
            *({"image": image, "max_num_iter": 100} for image in NARROW),
        ),
        dtypes=("uint8", "int8", "float16", "float32", "float64"),
    ),
    _of_histogram("threshold_triangle"),
    # it looks at all pairs of bins
    Sweep(
        "skimage.filters:threshold_multiotsu",
        {"image": COINS},
        vary={
            "image": [
                VOLUME,
                COLOR,
                SIGNED_PHOTO,
                Input("plateaus"),
                CONSTANT,
                CONSTANT.cast("uint8"),
                *NARROW,
            ],
            "classes": [2, 3, 4, 0, 300],
            "nbins": [3, 10, 0, -1, 2.5],
            "hist": [HISTOGRAM, COUNTS, (COUNTS, None)],
        },
        also=(
            {"image": None, "hist": HISTOGRAM},
            {"image": BYTES, "classes": 4, "nbins": 64},
            {"image": COINS.cast("int8"), "classes": 2},
        ),
        dtypes=("bool", "uint8", "int8", "float16", "float32", "float64"),
    ),
    Sweep("skimage.filters:threshold_mean", {"image": PHOTO}, vary={"image": IMAGES}),
    Sweep(
        "skimage.filters:threshold_li",
        {"image": COINS},
        vary={
            "image": [
                *IMAGES,
                np.array([[np.nan, 1, 2, 7], [3, np.inf, 4, -np.inf]]),
                np.full((3, 4), np.nan),
                np.full((3, 4), np.inf),
                np.zeros((4, 4)),
            ],
            "tolerance": [0.001, 0.3, 0, 1],
            "initial_guess": [0.3, 0.9, 5, -1, np.mean, "mean"],
            "iter_callback": [print],
        },
        also=(
            {"image": BYTES, "initial_guess": 100},
            {"image": BYTES, "initial_guess": 300},
            {"image": SHORTS, "tolerance": 10},
        ),
        dtypes=DTYPES,
    ),
    Sweep(
        "skimage.filters:threshold_local",
        {"image": COINS, "block_size": 7},
        vary={
            "image": [VOLUME, Input("noise", (1, 40)), BYTES, SIGNED_PHOTO, CONSTANT],
            "block_size": [1, 3, 4, (3, 5), (3, 4), (3, 5, 7), 0, -1, 51],
            "method": ["generic", "gaussian", "mean", "median", "no such"],
            "offset": [0.1, -2, np.float32(0.5)],
            "mode": ["reflect", "constant", "nearest", "mirror", "wrap", "no such"],
            "param": [0.5, 3, np.mean],
            "cval": [0.5],
        },
        also=(
            {"mode": "constant", "cval": 0.7},
            {"method": "mean", "mode": "constant", "cval": 0.7},
            {"method": "median", "mode": "wrap", "block_size": (3, 5)},
            {"method": "mean", "image": BYTES},
            {"method": "median", "image": BYTES, "offset": 3},
            {"method": "median", "image": VOLUME, "block_size": 3},
            {"method": "generic", "param": np.max},
        ),
    ),
    _windowed("threshold_niblack"),
    _windowed("threshold_sauvola", vary={"r": [None, 0.5, 128, 0]}),
    Sweep(
        "skimage.filters:apply_hysteresis_threshold",
        {"image": COINS, "low": 0.4, "high": 0.6},
        vary={
            "image": [
                VOLUME,
                COLOR,
                BYTES,
                Input("noise"),
                Input("noise", (1, 40)),
                Input("smooth", (57,)),
                CONSTANT,
            ],
            "low": [0.7, 0, -1, np.full((41, 53), 0.3), np.float32(0.2)],
            "high": [0.3, 2, np.full((41, 53), 0.8), np.full((1, 53), 0.8)],
        },
        also=(
            {"image": BYTES, "low": 70, "high": 120},
            {"image": SHORTS, "low": 70.5, "high": 12000},
            {"low": np.full((41, 53), 0.3), "high": np.full((41, 53), 0.2)},
        ),
    ),
)
