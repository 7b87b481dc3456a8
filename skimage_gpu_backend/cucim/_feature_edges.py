"""Canny edges: which images cuCIM and scikit-image agree on.

A pixel is an edge where its gradient is not less than that of two points beside it, between
the pixels around. In drawn images (squares, disks, checkerboards) such values are often equal,
and rounding, which is another on the GPU, decides. Such images are left to scikit-image.
"""

import numpy as np

from ..device.dtypes import float_type
from ..trouble import Declined
from ._precision import scaled

# Shares of the gradient that rounding may make up, in double and in single precision.
_TIE = 1e-11
_TIE_SINGLE = 5e-7
_LARGEST = {np.float32: 1e18, np.float64: 1e150}  # gradients whose squares are finite


def edges(theirs, **arguments):
    """cuCIM's edges of an image without ties."""
    image = arguments["image"]
    arguments["image"] = scaled(image)
    # thresholds belong to the image's own dtype, which changes here
    if image.dtype.kind in "iu" and not arguments.get("use_quantiles"):
        for name in ("low_threshold", "high_threshold"):
            if arguments.get(name) is not None:
                arguments[name] = arguments[name] / np.iinfo(image.dtype).max
    result = theirs(**arguments)
    smoothing = {name: arguments[name] for name in ("sigma", "cval", "mode") if name in arguments}
    gradients = _gradients(arguments["image"], arguments.get("mask"), smoothing)
    largest = max(float(abs(slopes).max()) for slopes in gradients)
    if not largest < _LARGEST[float_type(image.dtype)]:
        raise Declined(
            "image or cval has values that are not finite, or whose squares overflow the dtype; "
            "give smaller ones"
        )
    least = arguments.get("low_threshold")
    least = 0 if arguments.get("use_quantiles") else 0.1 if least is None else least
    tie = _TIE_SINGLE if image.dtype.char in "ef" else _TIE
    if min(image.shape) > 2 and bool(_ties(*gradients, least, tie).any()):
        raise Declined(
            "image has equal gradients beside each other, where rounding decides about "
            "edges; nothing to change"
        )
    return result


def _gradients(image, mask, smoothing):
    """Derivatives along rows and columns of the smoothed image, in double."""
    import cupy
    from cucim.skimage.filters import gaussian
    from cupyx.scipy import ndimage

    smoothing = {"mode": "constant", **smoothing}
    image = scaled(image).astype(np.float64)
    if mask is not None or smoothing["mode"] == "constant":
        inside = cupy.ones(image.shape) if mask is None else mask.astype(bool).astype(np.float64)
        weight = gaussian(inside, preserve_range=True, **smoothing)
        smooth = gaussian(image * inside, preserve_range=True, **smoothing)
        smooth /= weight + np.finfo(np.float64).eps
    else:
        smooth = gaussian(image, preserve_range=True, **smoothing)
    return ndimage.sobel(smooth, axis=0), ndimage.sobel(smooth, axis=1)


def _ties(rows, columns, least, share_of_rounding):
    """Whether a gradient from `least` on equals one beside it, for pixels inside the border."""
    import cupy

    size = cupy.sqrt(rows * rows + columns * columns)

    def beside(down, right):
        end = [-1 + step or None for step in (down, right)]
        return size[1 + down : end[0], 1 + right : end[1]]

    inside = (slice(1, -1), slice(1, -1))
    here, rows, columns = size[inside], rows[inside], columns[inside]
    falls = (rows > 0) == (columns > 0)  # the gradient points along the falling diagonal
    rows, columns = abs(rows), abs(columns)
    is_steep = rows > columns
    share = cupy.minimum(rows, columns) / cupy.maximum(cupy.maximum(rows, columns), 1e-300)
    is_tie = cupy.zeros(here.shape, bool)
    for side in (1, -1):
        corner = cupy.where(falls, beside(side, side), beside(-side, side))
        upright = cupy.where(falls, beside(side, 0), beside(-side, 0))
        straight = cupy.where(is_steep, upright, beside(0, side))
        between = corner * share + straight * (1 - share)
        is_tie |= abs(between - here) <= share_of_rounding * here
    return is_tie & (here > max(1e-9 * float(here.max()), (1 - share_of_rounding) * least))
