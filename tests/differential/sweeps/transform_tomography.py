"""Calls of `skimage.transform`: tomography."""

import numpy as np

from ..inputs import COLOR, MASK, PHOTO, SIGNED_PHOTO, Input
from ..sweep import Sweep

BYTES = PHOTO.cast("uint8")
SINOGRAM = Input("photo", (41, 53))
ANGLES = np.arange(0.0, 180.0, 20.0)

SWEEPS = (
    Sweep(
        "skimage.transform:radon",
        {"image": PHOTO, "theta": ANGLES, "circle": False},
        vary={
            "image": [
                COLOR,
                MASK,
                SIGNED_PHOTO,
                Input("photo", (30, 30)),
                Input("photo", (31, 24)),
                Input("photo", (0, 5)),
                Input("photo", (30, 1)),
                Input("photo", (1, 30)),
            ],
            "theta": [None, [0, 90, 180, 270], (30,), ANGLES.astype("float32"), [], 30, [[1, 2]]],
            "circle": [True, 1],
            "preserve_range": [True],
        },
        also=(
            {"image": BYTES, "preserve_range": True},
            {"image": MASK, "circle": True},
            {"image": Input("photo", (1, 30)), "circle": True},
            {"image": Input("photo", (30, 1)), "circle": True},
            {"image": PHOTO.cast("float32"), "theta": None, "circle": True},
            {"image": Input("photo", (32, 25), "uint16"), "circle": True},
            {"theta": ANGLES - 400.5, "circle": True, "preserve_range": True},
        ),
    ),
    Sweep(
        "skimage.transform:iradon",
        {"radon_image": SINOGRAM},
        vary={
            "radon_image": [
                COLOR,
                SIGNED_PHOTO,
                Input("photo", (30, 4)),
                Input("photo", (1, 9)),
                Input("photo", (0, 5)),
                Input("photo", (5, 0)),
            ],
            "theta": [
                np.arange(53) * 3.0 - 20,
                list(range(53)),
                np.arange(53, dtype="float32"),
                np.arange(53, dtype="uint8"),
                [0, 90],
                30,
            ],
            "output_size": [1, 20, 57, 0, -1, 20.0],
            "filter_name": ["shepp-logan", "cosine", "hamming", "hann", None, "no such"],
            "interpolation": ["nearest", "cubic", "no such"],
            "circle": [False, 0],
            "preserve_range": [False],
        },
        also=(
            {"circle": False, "interpolation": "cubic"},
            {"circle": False, "interpolation": "nearest", "output_size": 70},
            {"radon_image": Input("photo", (2, 9)), "interpolation": "cubic"},
            {"radon_image": Input("photo", (3, 9)), "interpolation": "cubic", "circle": False},
            {"radon_image": SINOGRAM.cast("float32"), "interpolation": "cubic"},
            {"radon_image": SINOGRAM.cast("uint8"), "preserve_range": False},
            {"radon_image": SINOGRAM.cast("uint16"), "filter_name": "hann", "circle": False},
        ),
    ),
    Sweep(
        "skimage.transform:iradon_sart",
        {"radon_image": Input("photo", (31, 17))},
        vary={
            "radon_image": [
                COLOR,
                SIGNED_PHOTO,
                Input("photo", (30, 4), "float32"),
                Input("photo", (2, 9)),
                Input("photo", (1, 9)),
                Input("photo", (5, 0)),
            ],
            "theta": [
                np.arange(17) * 9.0 - 20,
                list(range(17)),
                np.arange(17, dtype="float32"),
                [0, 90],
                30,
            ],
            "image": [Input("photo", (31, 31)), Input("photo", (31, 31), "float32"), PHOTO],
            "projection_shifts": [np.linspace(-2, 2, 17), list(range(17)), [1, 2], 3],
            "clip": [(0, 1), [0.2, np.inf], (0, 1, 2), 1],
            "relaxation": [0.3, 1, 0, -1.5],
            "dtype": ["float32", np.float64, "int32", "no such"],
        },
        also=(
            {"radon_image": Input("photo", (32, 9), "uint8"), "clip": (0, 300)},
            {"radon_image": Input("photo", (32, 9), "float32"), "dtype": "float64"},
            {
                "radon_image": Input("photo", (31, 9), "float32"),
                "image": Input("photo", (31, 31), "float32"),
                "clip": (0, 1),
                "relaxation": 0.5,
            },
        ),
    ),
    Sweep(
        "skimage.transform:frt2",
        {"a": Input("photo", (13, 13), "uint8")},
        vary={
            "a": [
                Input("photo", (7, 7), "bool"),
                Input("photo", (20, 20), "int16"),
                Input("photo", (7, 7)),
                Input("photo", (1, 1), "int32"),
                Input("photo", (7, 8), "uint8"),
                Input("photo", (5, 5, 5), "uint8"),
                Input("photo", (0, 0), "uint8"),
            ],
        },
    ),
    Sweep(
        "skimage.transform:ifrt2",
        {"a": Input("photo", (14, 13), "uint32")},
        vary={
            "a": [
                Input("photo", (8, 7), "bool"),
                Input("photo", (21, 20), "uint64"),
                Input("photo", (21, 20), "int16"),
                Input("photo", (8, 7)),
                Input("photo", (2, 1), "uint8"),
                Input("photo", (7, 7), "uint8"),
                Input("photo", (6, 5, 5), "uint8"),
                Input("photo", (1, 0), "uint8"),
            ],
        },
    ),
)
