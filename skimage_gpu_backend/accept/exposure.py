"""Calls that the ops of skimage.exposure take: the public names, by families."""

from ._adjust import adjust_gamma, adjust_log, adjust_sigmoid
from ._clahe import equalize_adapthist
from ._contrast import is_low_contrast
from ._equalization import (
    cumulative_distribution,
    equalize_hist,
    histogram,
    match_histograms,
)
from ._rescale import rescale_intensity

__all__ = [
    "adjust_gamma",
    "adjust_log",
    "adjust_sigmoid",
    "cumulative_distribution",
    "equalize_adapthist",
    "equalize_hist",
    "histogram",
    "is_low_contrast",
    "match_histograms",
    "rescale_intensity",
]
