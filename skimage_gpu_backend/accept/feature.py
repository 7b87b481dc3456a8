"""Calls that the ops of skimage.feature take."""

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
]
