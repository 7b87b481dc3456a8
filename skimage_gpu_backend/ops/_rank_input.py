"""Images and masks as rank filters take them: 8 or 16 bits, and where the scale ends."""

from contextvars import ContextVar

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..functions.bridge import op_of
from ..functions.util import img_as
from ..primitives.value_range import value_range

img_as_ubyte = op_of(img_as.img_as_ubyte, "image")

_AS_THEY_ARE = ("uint8", "uint16")
# Grey values of the whole image, while an op works on a part of it.
_bins = ContextVar("skimage_gpu_backend.rank_bins", default=None)
# Above, scikit-image warns that its histograms are slow.
_MANY_BINS = 2**10


def rank_image(image):
    """The image, C-contiguous, and the number of grey values that its scale has.

    uint8: no launch. uint16: 1, the image is read once. Others become uint8 as by
    `img_as_ubyte`, with scikit-image's warning.
    """
    if image.dtype.name not in _AS_THEY_ARE:
        warn_caller(
            f"Possible precision loss converting image of type {image.dtype} to uint8 as required"
            " by rank filters. Convert manually using skimage.util.img_as_ubyte to silence this"
            " warning.",
            UserWarning,
        )
        image = img_as_ubyte(image)
    image = cp.ascontiguousarray(image)
    if image.dtype == np.uint8:
        return image, 256
    bins = _bins.get() or scale_of(image)
    if bins > _MANY_BINS:
        warn_caller(
            f"Bad rank filter performance is expected due to a large number of bins ({bins}),"
            f" equivalent to an approximate bitdepth of {np.log2(bins):.1f}.",
            UserWarning,
        )
    return image, bins


def rank_mask(mask):
    """The mask, C-contiguous, of elements of one byte; nonzero is inside."""
    if mask.dtype.name not in ("bool", "uint8"):
        mask = img_as_ubyte(mask)
    return cp.ascontiguousarray(mask)


def scale_of(image, *args, **kwargs):
    """Number of grey values of a uint16 image; it may be in pieces (`_reduce.parts_of`).

    1 launch, the image is read once. Takes the arguments of a rank filter, and looks at no other.
    """
    return max(3, int(value_range(image)[1].get())) + 1


def on_scale(op, bins, *args, **kwargs):
    """Result of a rank filter for a part of a uint16 image, whose scale has `bins` grey values."""
    token = _bins.set(bins)
    try:
        return op(*args, **kwargs)
    finally:
        _bins.reset(token)
