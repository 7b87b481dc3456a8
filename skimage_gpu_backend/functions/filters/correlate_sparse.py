"""skimage.filters.correlate_sparse, equal to the last bit."""

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import small_array
from ...primitives.correlate import correlation
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY, MOST_AXES, along

# SciPy's names of modes, and NumPy's where they mean nothing else
_MODES = {name: name for name in ("reflect", "constant", "nearest", "mirror", "wrap")}
_MODES |= {"symmetric": "reflect", "edge": "nearest"}


def correlate_sparse(image, kernel, mode="reflect"):
    """Correlation with few weights: `skimage.filters.correlate_sparse`.

    1 launch; image read once, result written once. One more launch makes a strided image
    contiguous.
    """
    kernel = small_array("kernel", kernel)
    if kernel.dtype.kind not in "biuf":
        raise Declined("kernel is not of real numbers; give numpy.asarray(kernel, float)")
    if kernel.ndim != image.ndim:
        raise Invalid("kernel has another number of axes than the image; give as many")
    if not 0 < image.ndim <= MOST_AXES or image.size == 0 or kernel.size == 0:
        raise Declined(
            f"image or kernel is empty, or has other than 1 to {MOST_AXES} axes; give elements"
        )
    if not isinstance(mode, str) or mode not in (*_MODES, "valid"):
        raise Declined(
            "mode is none that kernels have; give 'reflect', 'nearest' or 'valid', which changes "
            "the result"
        )
    if mode == "valid":
        shape = tuple(n - w + 1 for n, w in zip(image.shape, kernel.shape, strict=True))
        if min(shape) < 1:
            raise Declined("kernel is larger than the image; give a smaller one")
        centre, reach, boundary = (0,) * image.ndim, None, "nearest"
    else:
        if any(width % 2 == 0 for width in kernel.shape):
            raise Invalid("kernel has an even number of elements along an axis; give odd ones")
        boundary = _MODES[mode]
        shape, centre = image.shape, tuple(width // 2 for width in kernel.shape)
        reach = Reach(along(centre, boundary), arrays=1)
    into = working(image.dtype)
    there = np.argwhere(kernel)
    if not len(there) or there[0].any():  # scikit-image begins at the corner, whatever is there
        there = np.concatenate([np.zeros((1, kernel.ndim), int), there])
    with np.errstate(over="ignore"):
        weights = kernel[*there.T].astype(into)
    given, result = Array(image.shape, image.dtype, "image"), Array(shape, into)
    step = correlation(given, result, there - np.array(centre), weights, BOUNDARY[boundary])
    return Plan(Launches([step], result), reach)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        yield correlate_sparse(Array((4, 4), np.dtype(dtype)), np.ones((3, 3)))
