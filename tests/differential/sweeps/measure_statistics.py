"""Calls of `skimage.measure`: colocalization, entropy, blur."""

import numpy as np

from ..inputs import COLOR, MASK, NOISE, PHOTO, SIGNED_PHOTO, VOLUME, Input
from ..sweep import Sweep

NONE = np.zeros((41, 53), bool)
OTHER = Input("plateaus", (41, 53), "bool")
CONSTANT = Input("constant")
LABELS = Input("labels")
MASKS = [OTHER, MASK.cast("uint8"), NONE, Input("mask", (9, 9)), LABELS]

SWEEPS = (
    Sweep(
        "skimage.measure:pearson_corr_coeff",
        {"image0": PHOTO, "image1": NOISE},
        vary={
            "mask": MASKS,
            "image0": [CONSTANT, VOLUME, NOISE, Input("coins")],
        },
        also=(
            {"image0": VOLUME, "image1": Input("noise", (13, 17, 19))},
            {"image0": COLOR, "image1": COLOR},
            {"image0": Input("photo", (1, 2)), "image1": Input("noise", (1, 2))},
        ),
    ),
    Sweep(
        "skimage.measure:manders_coloc_coeff",
        {"image0": PHOTO, "image1_mask": MASK},
        vary={
            "mask": MASKS,
            "image0": [np.zeros((41, 53)), SIGNED_PHOTO, VOLUME],
            "image1_mask": [LABELS, MASK.cast("float64"), PHOTO],
        },
    ),
    Sweep(
        "skimage.measure:manders_overlap_coeff",
        {"image0": PHOTO, "image1": NOISE},
        vary={
            "mask": MASKS,
            "image0": [np.zeros((41, 53)), SIGNED_PHOTO, VOLUME],
            "image1": [SIGNED_PHOTO],
        },
        also=({"image0": VOLUME, "image1": Input("noise", (13, 17, 19))},),
    ),
    Sweep(
        "skimage.measure:intersection_coeff",
        {"image0_mask": MASK, "image1_mask": OTHER},
        vary={
            "mask": MASKS,
            "image0_mask": [NONE, LABELS, PHOTO, Input("mask", (9, 9))],
            "image1_mask": [NONE],
        },
    ),
    Sweep(
        "skimage.measure:shannon_entropy",
        {"image": PHOTO},
        vary={"base": [np.e, 10, 0.5], "image": [VOLUME, COLOR, CONSTANT, MASK]},
    ),
    Sweep(
        "skimage.measure:blur_effect",
        {"image": PHOTO},
        vary={
            "h_size": [3, 5, 2],
            "reduce_func": [None, np.mean, np.min, max],
            "image": [VOLUME, COLOR, CONSTANT, Input("photo", (1, 40)), Input("photo", (30, 3))],
        },
        also=(
            {"image": COLOR, "channel_axis": -1},
            {"image": Input("color", (41, 53, 3)), "channel_axis": 2, "reduce_func": None},
            {"image": Input("smooth", (3, 20, 24)), "channel_axis": 0},
            {"image": Input("smooth", (20, 3, 24)), "channel_axis": -2},
            {"image": COLOR, "channel_axis": 3},
        ),
    ),
)
