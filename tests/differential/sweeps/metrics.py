"""Calls of `skimage.metrics`."""

from ..inputs import COLOR, NOISE, PHOTO, VOLUME
from ..sweep import Sweep

SWEEPS = (
    Sweep(
        "skimage.metrics:mean_squared_error",
        {"image0": PHOTO, "image1": NOISE},
        also=({"image0": COLOR, "image1": COLOR}, {"image0": VOLUME, "image1": VOLUME}),
    ),
    Sweep(
        "skimage.metrics:normalized_root_mse",
        {"image_true": PHOTO, "image_test": NOISE},
        vary={"normalization": ["euclidean", "min-max", "mean", "no such"]},
    ),
)
