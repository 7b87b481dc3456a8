"""Where cuCIM's `exposure` and scikit-image's differ."""

from numbers import Integral

import numpy as np

from .deferred import deferred
from .difference import Difference

_BINS = Difference(
    "nbins is not a positive integer; give one, as 256",
    lambda call: not isinstance(call.nbins, Integral) or call.nbins < 1,
)
_WIDE = Difference(
    "image has integers of 32 or 64 bits, which show how powers and logarithms "
    "are rounded; give image.astype(float)",
    lambda call: call.image.dtype.kind in "iu" and call.image.dtype.itemsize > 2,
)


def _array_given(*parameters):
    return Difference(
        f"{' or '.join(parameters)} is an array; give a number, as 2.5",
        lambda call: any(np.ndim(getattr(call, name)) for name in parameters),
    )


def _like_color(image):
    return image.ndim == 3 and image.shape[-1] in (3, 4)


def _of_64_bits(call):
    wanted = call.out_range
    if isinstance(wanted, str) and wanted in ("dtype", "image"):
        wanted = call.image.dtype
    elif isinstance(wanted, list | tuple | np.ndarray):
        return False
    try:
        return np.dtype(wanted).char in "lLqQ"
    except TypeError:  # uint10 and other names that scikit-image alone knows
        return False


DIFFERENCES = {
    "histogram": (
        _BINS,
        Difference(
            "image is boolean and has channels; give image.astype(numpy.uint8)",
            lambda call: call.image.dtype.kind == "b" and call.channel_axis is not None,
        ),
        Difference(
            "image is boolean, of which NumPy makes no histogram over the dtype's range; give "
            "image.astype(numpy.uint8)",
            lambda call: call.image.dtype.kind == "b" and call.source_range == "dtype",
            invalid=True,
        ),
    ),
    "cumulative_distribution": (_BINS,),
    "equalize_hist": (_BINS,),
    "adjust_gamma": (_WIDE, _array_given("gamma", "gain")),
    "adjust_log": (_WIDE, _array_given("gain")),
    "adjust_sigmoid": (_WIDE, _array_given("cutoff", "gain")),
    "equalize_adapthist": (
        Difference(
            "image is float16, whose levels overflow; give image.astype(numpy.float32)",
            lambda call: call.image.dtype.char == "e" and not _like_color(call.image),
        ),
    ),
    "match_histograms": (
        Difference(
            "image and reference are of different integers and have channels; give both "
            "in one dtype",
            lambda call: (
                call.channel_axis is not None
                and call.image.dtype.kind in "biu"
                and call.image.dtype != call.reference.dtype
            ),
        ),
    ),
    "rescale_intensity": (
        Difference(
            "image has 64-bit integers, the largest of which overflow; give image.astype(float)",
            _of_64_bits,
            example="""
image = np.arange(3)
theirs = cs.exposure.rescale_intensity(cp.asarray(image))
not np.array_equal(cp.asnumpy(theirs), ski.exposure.rescale_intensity(image))
""",
        ),
    ),
}
CORRECTIONS = {
    **deferred(
        "_exposure_histogram",
        "histogram cumulative_distribution equalize_hist match_histograms",
    ),
    **deferred(
        "_exposure_levels",
        "adjust_gamma adjust_log adjust_sigmoid rescale_intensity is_low_contrast"
        " equalize_adapthist",
    ),
}
