"""Calls that the ops of skimage.feature take."""

from ._blobs import blob_dog, blob_doh, blob_log
from ._canny import canny
from ._cooccurrence import graycomatrix, graycoprops
from ._daisy import daisy
from ._hessian import hessian_matrix, hessian_matrix_det, shape_index
from ._hog import hog
from ._local_binary_pattern import local_binary_pattern, multiblock_lbp
from ._match_template import match_template
from ._segment_corners import corner_fast, corner_moravec, corner_orientations
from ._structure_tensor import (
    corner_foerstner,
    corner_harris,
    corner_kitchen_rosenfeld,
    corner_shi_tomasi,
    structure_tensor,
)

__all__ = [
    "blob_dog",
    "blob_doh",
    "blob_log",
    "canny",
    "corner_fast",
    "corner_foerstner",
    "corner_harris",
    "corner_kitchen_rosenfeld",
    "corner_moravec",
    "corner_orientations",
    "corner_shi_tomasi",
    "daisy",
    "graycomatrix",
    "graycoprops",
    "hessian_matrix",
    "hessian_matrix_det",
    "hog",
    "local_binary_pattern",
    "match_template",
    "multiblock_lbp",
    "shape_index",
    "structure_tensor",
]
