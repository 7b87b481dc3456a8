"""Calls that the ops of skimage.metrics take."""

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
    "structural_similarity",
]
