"""Ops of `skimage.metrics`: the public names; each family has a module of its own."""

import itertools

from . import _errors, _hausdorff, _mutual_information, _similarity
from ._errors import mean_squared_error, normalized_root_mse, peak_signal_noise_ratio
from ._hausdorff import hausdorff_distance, hausdorff_pair
from ._mutual_information import normalized_mutual_information
from ._similarity import structural_similarity

__all__ = [
    "hausdorff_distance",
    "hausdorff_pair",
    "mean_squared_error",
    "normalized_mutual_information",
    "normalized_root_mse",
    "peak_signal_noise_ratio",
    "specializations",
    "structural_similarity",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (_errors, _hausdorff, _mutual_information, _similarity)
    )
