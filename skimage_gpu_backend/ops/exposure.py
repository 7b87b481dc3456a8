"""Ops of `skimage.exposure`: the public names; each family has a module of its own."""

import itertools

from . import _adjust, _clahe, _contrast, _equalization, _matching, _rescale
from ._adjust import adjust_gamma, adjust_log, adjust_sigmoid
from ._clahe import equalize_adapthist
from ._contrast import is_low_contrast
from ._equalization import (
    cumulative_distribution,
    equalize_hist,
    histogram,
)
from ._matching import match_histograms
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
    "specializations",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _adjust,
            _clahe,
            _contrast,
            _equalization,
            _matching,
            _rescale,
        )
    )
