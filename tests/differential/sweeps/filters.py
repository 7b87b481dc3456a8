"""Calls of `skimage.filters`: smoothing, and what is made of it."""

import numpy as np
from skimage.filters import LPIFilter2D

from ..inputs import COINS, COLOR, NOISE, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

LINE = Input("noise", (1, 37))
VECTOR = Input("smooth", (57,))
BYTES = COINS.cast("uint8")
SINGLE = COINS.cast("float32")
FIRST = Input("color", (3, 17, 19))
MIDDLE = Input("smooth", (17, 3, 19))
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "no such"]
DISK = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
CHANNELS = (
    {"image": COLOR, "channel_axis": -1},
    {"image": COLOR.cast("uint8"), "channel_axis": 2},
    {"image": FIRST, "channel_axis": 0},
    {"image": MIDDLE, "channel_axis": -2},
    {"image": COLOR, "channel_axis": 3},
)


def _bell(r, c, width=5):
    return np.exp(-(r**2 + c**2) / width)


def _wide_bell(r, c):
    return _bell(r, c, 60)


def _slope(r, c):
    return (r > 0) * 3 - c.astype(int)


def _waves(r, c):
    return np.exp(1j * (r - 2 * c)) / (1 + r**2 + c**2)


RESPONSES = {
    "data": [VOLUME, VECTOR, LINE, SIGNED_PHOTO, SIGNED_PHOTO.cast("int16"), NOISE],
    "impulse_response": [_wide_bell, _slope, _waves, abs, None],
    "filter_params": [{"width": 2.5}, {}, {"no_such": 1}, ["width"]],
}
FILTERS = (
    {"predefined_filter": LPIFilter2D(_bell)},
    {"impulse_response": None, "predefined_filter": LPIFilter2D(_bell, width=3)},
    {"data": SINGLE, "filter_params": {"width": 2}},
)

SWEEPS = (
    Sweep(
        "skimage.filters:gaussian",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO, SIGNED_PHOTO.cast("int16")],
            "sigma": [0, 0.3, 2, (1, 2), [0, 1.5], (1, 2, 3), -1, np.float32(2), np.array([1, 3])],
            "mode": [*MODES, ("reflect", "wrap")],
            "truncate": [0, 1, 2.5, -1],
            "preserve_range": [True],
            "out": [Input("constant"), Input("constant", dtype="float32"), BYTES],
        },
        also=(
            *CHANNELS,
            *({"mode": "constant", "cval": value} for value in (0.7, -3)),
            {"image": BYTES, "preserve_range": True},
            {"image": COLOR, "channel_axis": -1, "sigma": (1, 2)},
            {"image": COLOR, "channel_axis": -1, "sigma": (1, 2, 0)},
            {"image": COLOR, "channel_axis": -1, "sigma": (1, 2, 3)},
            {"image": FIRST, "channel_axis": 0, "sigma": [2, 1], "mode": "wrap"},
            {"image": FIRST, "channel_axis": 0, "sigma": 1, "mode": ("wrap", "reflect")},
            {"image": VOLUME, "sigma": (0.5, 1, 2), "mode": "mirror"},
            {"image": SINGLE, "mode": "constant", "cval": 0.7},
            {"image": SINGLE, "out": Input("constant", dtype="float32")},
        ),
    ),
    Sweep(
        "skimage.filters:difference_of_gaussians",
        {"image": COINS, "low_sigma": 1},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO.cast("int16")],
            "low_sigma": [0, 0.5, (1, 2), [1, 1.5], (1, 2, 3), -1, np.array([1, 2]), (1,)],
            "high_sigma": [2, (2, 3), 0.5, 1, (2,), np.array([2.0, 3.0])],
            "mode": MODES,
            "truncate": [0, 2.5],
        },
        also=(
            *CHANNELS,
            {"mode": "constant", "cval": 0.7},
            {"low_sigma": (1, 2), "high_sigma": 3},
            {"image": COLOR, "channel_axis": -1, "low_sigma": (1, 2)},
            {"image": FIRST, "channel_axis": 0, "low_sigma": 1, "high_sigma": (2, 3)},
            {"image": BYTES, "high_sigma": 4},
            {"image": SINGLE, "high_sigma": 4},
        ),
    ),
    Sweep(
        "skimage.filters:unsharp_mask",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO, SIGNED_PHOTO.cast("int16")],
            "radius": [0, 0.5, 3, (1, 2), -1],
            "amount": [0, 0.5, 5, -2],
            "preserve_range": [True],
        },
        also=(
            *CHANNELS,
            {"image": BYTES, "preserve_range": True},
            {"image": SIGNED_PHOTO.cast("int8"), "preserve_range": True},
            {"image": SINGLE, "amount": 3},
            {"image": COLOR, "channel_axis": -1, "radius": (1, 2)},
        ),
    ),
    Sweep(
        "skimage.filters:median",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO.cast("int16"), NOISE],
            "footprint": [
                DISK,
                np.ones((3, 3)),
                np.ones((4, 2), bool),
                np.ones((1, 5)),
                np.eye(5, dtype=int),
                np.ones((17, 15), bool),
                np.zeros((3, 3)),
                DISK[0],
                np.ones((1, 1)),
            ],
            "mode": MODES,
            "behavior": ["rank", "no such"],
            "out": [Input("constant"), Input("constant", dtype="uint8")],
        },
        also=(
            *({"image": BYTES, "mode": mode, "cval": 90} for mode in MODES),
            *(
                {"image": image, "footprint": np.ones((13, 13)), "mode": mode, "cval": 9}
                for image in (BYTES, SIGNED_PHOTO.cast("int8"))
                for mode in MODES[:-1]
            ),
            {"image": Input("plateaus", dtype="uint16"), "footprint": np.ones((15, 13))},
            {"image": COINS.cast("int16"), "footprint": np.ones((15, 13))},
            {"image": Input("labels", dtype="int16"), "footprint": np.ones((15, 13))},
            {"image": Input("labels", (40, 53), "uint16"), "footprint": np.ones((11, 23))},
            {"image": VOLUME, "footprint": np.ones((3, 1, 3))},
            {"image": VOLUME.cast("uint8"), "footprint": np.ones((3, 3, 3)), "mode": "wrap"},
            {"image": BYTES, "behavior": "rank"},
            {"image": BYTES, "behavior": "rank", "footprint": DISK},
            {"image": BYTES, "behavior": "rank", "footprint": DISK, "mode": "wrap"},
            {"image": BYTES, "behavior": "rank", "cval": 3},
            {"image": BYTES, "out": Input("constant", dtype="uint8")},
            {"image": BYTES, "footprint": np.ones((13, 13)), "out": Input("constant")},
        ),
    ),
    Sweep(
        "skimage.filters:rank_order",
        {"image": Input("plateaus")},
        vary={
            "image": [
                VOLUME,
                VECTOR,
                COLOR,
                NOISE,
                Input("constant"),
                Input("labels"),
                Input("noise", (1, 255)),
                Input("noise", (1, 256)),
                np.array([[np.nan, 1], [2, np.nan]]),
                np.array([[0.0, -0.0, 1]]),
            ]
        },
    ),
    Sweep(
        "skimage.filters:correlate_sparse",
        {"image": COINS, "kernel": DISK.astype(float)},
        vary={
            "image": [VOLUME, LINE, SIGNED_PHOTO.cast("int16"), SINGLE],
            "kernel": [
                np.array([[0, -1, 0], [2.5, 0, 0], [0, 1, 1]]),
                np.zeros((3, 3)),
                np.ones((5, 1)),
                DISK,
                DISK.astype(np.float32),
                np.ones((2, 3)),
                np.ones((3, 3, 3)),
                [[0, 1, 0], [0, 0, 0], [0, 1, 0]],
            ],
            "mode": [
                "reflect",
                "constant",
                "nearest",
                "mirror",
                "wrap",
                "valid",
                "symmetric",
                "edge",
                "no such",
            ],
        },
        also=(
            {"image": VOLUME, "kernel": np.ones((1, 3, 3))},
            {"image": BYTES, "kernel": DISK, "mode": "valid"},
            {"image": SINGLE, "kernel": -DISK.astype(float)},
        ),
    ),
    Sweep(
        "skimage.filters:butterworth",
        {"image": COINS},
        vary={
            "image": [VOLUME, COLOR, VECTOR, LINE, SIGNED_PHOTO, Input("coins", (40, 52))],
            "cutoff_frequency_ratio": [0, 0.1, 0.3, 0.5, 0.6, -0.1],
            "high_pass": [False],
            "order": [1, 3.5, 0],
            "squared_butterworth": [False],
            "npad": [5, -1],
        },
        also=(
            *CHANNELS,
            {"high_pass": False, "squared_butterworth": False, "npad": 3},
            {"high_pass": False, "cutoff_frequency_ratio": 0},
            {"image": SINGLE, "high_pass": False},
            {"image": COLOR, "channel_axis": -1, "npad": 4},
        ),
    ),
    Sweep(
        "skimage.filters:filter_forward",
        {"data": COINS, "impulse_response": _bell},
        vary=RESPONSES,
        also=FILTERS,
    ),
    Sweep(
        "skimage.filters:filter_inverse",
        {"data": COINS, "impulse_response": _bell},
        vary=RESPONSES | {"max_gain": [0, 0.5, 10, 1e6, -1, np.float32(3), "2"]},
        also=(*FILTERS, {"data": SINGLE, "max_gain": 5}),
    ),
    Sweep(
        "skimage.filters:wiener",
        {"data": COINS, "impulse_response": _bell},
        vary=RESPONSES | {"K": [0.0, 1e-3, 10.0, -0.25, 1, np.float64(0.1), np.full((1, 1), 0.1)]},
        also=(*FILTERS, {"data": SINGLE, "K": 0.01}, {"data": SINGLE, "K": np.float64(0.1)}),
    ),
    Sweep(
        "skimage.filters:gabor",
        {"image": COINS, "frequency": 0.6},
        vary={
            "image": [VOLUME, COLOR, LINE, SIGNED_PHOTO, SIGNED_PHOTO.cast("int16"), SINGLE],
            "frequency": [0.25, 0.1, 1, 0, -0.5],
            "theta": [0.5, np.pi / 2, -1],
            "bandwidth": [0.5, 3, 0],
            "sigma_x": [0.5, 3],
            "sigma_y": [0.5, 3],
            "n_stds": [1, 2.5, 0],
            "offset": [1, np.pi / 2],
            "mode": MODES,
            "cval": [0.3],
        },
        also=(
            {"mode": "constant", "cval": 0.7},
            {"image": BYTES, "mode": "constant", "cval": 70},
            {"sigma_x": 1, "sigma_y": 2, "theta": 0.3},
        ),
    ),
    Sweep(
        "skimage.filters:gabor_kernel",
        {"frequency": 0.2},
        vary={
            "frequency": [0.5, 1, 0.05, 0, -0.3],
            "theta": [0.5, np.pi / 2, -1],
            "bandwidth": [0.3, 3, 0],
            "sigma_x": [0.5, 3],
            "sigma_y": [0.5, 3],
            "n_stds": [1, 2.5, 0],
            "offset": [1, np.pi / 2],
            "dtype": [np.complex64, np.complex128, "complex64", float, None],
        },
        kinds=("numpy", "cupy"),
    ),
    Sweep(
        "skimage.filters:window",
        {"window_type": "hann", "shape": (31, 27)},
        vary={
            "window_type": ["boxcar", "hamming", ("tukey", 0.8), ("kaiser", 4.0), 7.5, "no such"],
            "shape": [16, (17,), (20, 20), (9, 10, 11), (1, 5), (33, 2)],
            "warp_kwargs": [{}, {"order": 0}, {"order": 3}, {"mode": "edge"}, {"order": 1}],
        },
        bound=Bound("distances from the centre have single precision", double=1e-6),
    ),
)
