"""Functions of one image that have a form for a whole stack, as `over` asks for it."""

import functools
import importlib
import math

import numpy as np

from .adapt.kinds import kind_of
from .dispatch.selection import Selection, selected

# along the last axis: what stands before it does not matter
_COLORS = frozenset(
    (
        "combine_stains",
        "hed2rgb",
        "hsv2rgb",
        "lab2lch",
        "lab2rgb",
        "lab2xyz",
        "lch2lab",
        "luv2rgb",
        "luv2xyz",
        "rgb2gray",
        "rgb2hed",
        "rgb2hsv",
        "rgb2lab",
        "rgb2luv",
        "rgb2rgbcie",
        "rgb2xyz",
        "rgb2ycbcr",
        "rgb2ydbdr",
        "rgb2yiq",
        "rgb2yuv",
        "rgbcie2rgb",
        "separate_stains",
        "xyz2lab",
        "xyz2luv",
        "xyz2rgb",
        "ycbcr2rgb",
        "ydbdr2rgb",
        "yiq2rgb",
        "yuv2rgb",
    )
)
_POINTS = {
    "exposure": frozenset(("adjust_gamma", "adjust_log", "adjust_sigmoid")),
    "util": frozenset(("invert",)),
}
_OF_HISTOGRAMS = "isodata", "minimum", "otsu", "yen"  # thresholds


def parts(function):
    """The function behind a `functools.partial` of keywords, and these; else itself, and none."""
    if isinstance(function, functools.partial) and not function.args:
        return function.func, function.keywords
    return function, {}


def takes_leading_axis(stack, function, keywords) -> bool:
    """Whether scikit-image itself takes the stack as it is."""
    module, name = _public(function)
    if name in _POINTS.get(module, ()):
        return True
    return module == "color" and name in _COLORS and _last_axis(stack, keywords)


def has_a_form(function) -> bool:
    """Whether `batched` may know a form of a function for stacks."""
    return _public(function) in _FORMS


def batched(stack, function, keywords):
    """How a function takes a stack whole.

    Parameters
    ----------
    stack : array
        NumPy's or CuPy's, images along its first axis.
    function : callable
    keywords : dict
        Those of a `functools.partial` of it.

    Returns
    -------
    work : callable or None
        What takes CuPy arrays, the stack and those of `shared`; None where the function takes one
        image after another.
    shared : tuple of arrays
        Beside the stack, of its kind.
    """
    form = _FORMS.get(_public(function))
    return form(function, stack, **keywords) if form else (None, ())


def _public(function):
    """Module and name of a public function of scikit-image."""
    name = getattr(function, "__name__", "")
    for module in ("color", "exposure", "filters", "util"):
        if (
            function
            and getattr(importlib.import_module(f"skimage.{module}"), name, None) is function
        ):
            return module, name
    return None, name


def _last_axis(stack, keywords):
    return stack.ndim >= 4 and stack.shape[-1] == 3 and keywords.get("channel_axis", -1) == -1


def _matching(function, stack, reference=None, channel_axis=None, **unknown):
    """`match_histograms`, with the images as channels of one."""
    alike = kind_of(reference) is kind_of(stack) and not unknown and 0 not in tuple(stack.shape)
    if not alike or reference.ndim != stack.ndim - 1 or reference.dtype != stack.dtype:
        return None, ()
    if channel_axis is None and np.dtype(stack.dtype).kind != "f":
        return None, ()
    if channel_axis not in (None, -1) or np.dtype(stack.dtype).char == "e":
        return None, ()
    if channel_axis and reference.shape[-1] != stack.shape[-1]:
        return None, ()
    return functools.partial(_matched, function, bool(channel_axis)), (reference,)


def _matched(function, in_color, stack, reference):
    import cupy as cp

    if not in_color:
        repeated = cp.broadcast_to(reference, (len(stack), *reference.shape))
        return function(stack, repeated, channel_axis=0)
    planes = cp.moveaxis(stack, -1, 1)
    of_reference = cp.moveaxis(reference, -1, 0)
    repeated = cp.broadcast_to(of_reference, (len(stack), *of_reference.shape))
    rows = (math.prod(planes.shape[:2]), *planes.shape[2:])
    others = repeated.reshape(rows[0], *of_reference.shape[1:])
    result = function(planes.reshape(rows), others, channel_axis=0)
    return cp.ascontiguousarray(cp.moveaxis(result.reshape(planes.shape), 1, -1))


def _of_levels(function, stack, **options):
    """A threshold of the levels of bytes."""
    if options or stack.dtype != np.uint8 or not stack.size:
        return None, ()
    return functools.partial(_thresholds, function), ()


def _thresholds(function, stack):
    """Of the histograms of all images, each without the levels outside of its range."""
    from .primitives.histogram import channel_bins_of

    bins = channel_bins_of(stack.reshape(len(stack), -1), 0)
    centers = bins.host_centers
    found = []
    for counts, image in zip(bins.host_counts, stack, strict=True):
        present = np.flatnonzero(counts)
        if len(present) == 1:
            found.append(function(image))
            continue
        of_image = slice(present[0], present[-1] + 1)
        with selected(Selection()):  # nobody is to run it elsewhere
            found.append(function(hist=(counts[of_image], centers[of_image])))
    return np.stack(found)


_FORMS = {("exposure", "match_histograms"): _matching} | {
    ("filters", f"threshold_{name}"): _of_levels for name in _OF_HISTOGRAMS
}
