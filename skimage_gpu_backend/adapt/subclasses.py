"""Subclasses of NumPy's array that a call takes as plain arrays over the same memory.

Memory-mapped files, whose results are plain, and arrays that only carry metadata, as
`imageio.v2.imread` gives them: their results are what scikit-image makes of them.
"""

import functools

import numpy as np

from ..catalog import row_of
from .values import replace

# What a class may define of an array's own and still only carry metadata.
_OF_METADATA = """
__new__ __init__ __init_subclass__ __class_getitem__ __array_finalize__ __array_wrap__
__array_priority__ __reduce__ __reduce_ex__ __setstate__ __getstate__ __repr__ __str__ __doc__
__module__ __dict__
"""
# Functions of scikit-image whose result is of the image's own class, unless it is `out`, ...
_KEEP = """
exposure:adjust_log exposure:adjust_sigmoid exposure:rescale_intensity feature:corner_foerstner
feature:corner_kitchen_rosenfeld filters:frangi filters:hessian filters:meijering filters:sato
morphology:area_closing morphology:area_opening morphology:black_tophat morphology:closing
morphology:diameter_closing morphology:diameter_opening morphology:dilation morphology:erosion
morphology:flood_fill morphology:opening morphology:remove_small_holes
morphology:remove_small_objects morphology:thin morphology:white_tophat
segmentation:clear_border segmentation:expand_labels
transform:integral_image util:invert
"""
# ... those for which that depends on the arguments, ...
_EITHER = """
measure:ransac measure:regionprops
color:convert_colorspace exposure:adjust_gamma feature:corner_peaks filters:correlate_sparse
filters:rank_order filters:unsharp_mask metrics:structural_similarity morphology:h_maxima
morphology:h_minima morphology:max_tree restoration:cycle_spin restoration:denoise_bilateral
restoration:denoise_tv_chambolle segmentation:chan_vese
segmentation:find_boundaries segmentation:relabel_sequential
transform:pyramid_gaussian transform:pyramid_laplacian
"""
# ... and those that give sums of a class as it makes them, which only its `__array_wrap__` knows.
_SUMS = """
feature:graycoprops filters:threshold_li filters:threshold_mean measure:centroid measure:moments
measure:moments_central measure:regionprops_table registration:phase_cross_correlation
transform:ifrt2
"""
# Functions that join copies of an array, whose class NumPy keeps if it has a priority.
_JOIN = "color:gray2rgb measure:moments_coords measure:moments_coords_central"
# Functions that return a plain view of `out`.
_VIEW_OF_OUT = "filters:gaussian filters:median"
# Auxiliary arrays for which scikit-image refuses a subclass, or gives a result of its class.
_NOT_AUXILIARY = """
feature:corner_subpix:corners measure:regionprops_table:intensity_image
segmentation:chan_vese:init_level_set
"""
_KEEP, _EITHER, _SUMS, _JOIN, _VIEW_OF_OUT, _NOT_AUXILIARY = (
    frozenset(f"skimage.{name}" for name in names.split())
    for names in (_KEEP, _EITHER, _SUMS, _JOIN, _VIEW_OF_OUT, _NOT_AUXILIARY)
)


def is_subclass(value) -> bool:
    """Whether a value is an array of a class that is taken as a plain one."""
    return isinstance(value, np.ndarray) and _is_taken(type(value))


@functools.cache
def _is_taken(cls):
    return cls is np.memmap or _carries_metadata(cls)


@functools.cache
def _carries_metadata(cls):
    """Whether a class of arrays adds attributes and changes nothing that an array does."""
    if cls is np.ndarray:
        return False
    added = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    return {n for c in added for n in vars(c) if hasattr(np.ndarray, n)} <= {*_OF_METADATA.split()}


def is_plain_auxiliary(name, parameter, value) -> bool:
    """Whether an argument that is no image is a subclass that is taken as a plain array.

    Of numbers and sequences of them, scikit-image may give results of a class with metadata.
    """
    if not is_subclass(value) or f"{name}:{parameter}" in _NOT_AUXILIARY:
        return False
    return type(value) is np.memmap or parameter in row_of(name).arrays


def plain(value):
    """A plain array for each such array, also inside tuples, lists and dicts."""
    return replace(value, lambda item: item.view(np.ndarray) if is_subclass(item) else item)


def why_not_as(name, parameter, image) -> str | None:
    """Why a call of function `name` with metadata cannot be what scikit-image makes of it."""
    cls = type(image)
    unwrapped = name in _SUMS and cls.__array_wrap__ is np.ndarray.__array_wrap__
    joined = name in _JOIN and image.__array_priority__ > 0
    if not _carries_metadata(cls) or not (name in _EITHER or unwrapped or joined):
        return None
    return (
        f"{parameter} is a {cls.__module__}.{cls.__qualname__}, of which scikit-image gives a"
        f" {cls.__name__} for some arguments and a plain array for others;"
        f" give numpy.asarray({parameter})"
    )


def as_scikit_image_has_it(name, image, result):
    """`result` of the function `name` with the metadata of `image`, where scikit-image keeps it."""
    if name not in _KEEP or not _carries_metadata(type(image)):
        return result
    return replace(result, lambda v: image.__array_wrap__(v) if type(v) is np.ndarray else v)


def as_scikit_image_has_out(name, out):
    """What the function `name` returns where its result is the caller's array `out`."""
    return np.asarray(out) if name in _VIEW_OF_OUT and _carries_metadata(type(out)) else out
