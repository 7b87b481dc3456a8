"""Ops of `skimage.feature`: the public names; each family has a module of its own."""

import itertools

from . import (
    _cooccurrence,
    _local_binary_pattern,
    _match_template,
    _segment_corners,
)
from ._cooccurrence import graycomatrix, graycoprops
from ._local_binary_pattern import local_binary_pattern, multiblock_lbp
from ._match_template import match_template
from ._segment_corners import corner_fast, corner_moravec, corner_orientations

__all__ = [
    "corner_fast",
    "corner_moravec",
    "corner_orientations",
    "graycomatrix",
    "graycoprops",
    "local_binary_pattern",
    "match_template",
    "multiblock_lbp",
    "specializations",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _cooccurrence,
            _local_binary_pattern,
            _match_template,
            _segment_corners,
        )
    )
