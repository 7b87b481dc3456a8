"""skimage.restoration.unwrap_phase, equal to the last bit.

Cost: of planes and volumes 5 launches for each depth of scikit-image's quicksort, CuPy's sums
included, of which there are about twice as many as the number of pixels has bits; up to 8 for each
time that groups of pixels are at least halved, 5 for each time that those of the tree of joins are,
and some 30 beside: 332 for noise of 128 x 128. Of each kind several are launched together, and 4
bytes tell the host whether there is more to do; those beyond return at once. All edges are read in
each, so that some 1500 times the image's bytes are moved. Some 150 bytes a pixel of a plane are
held, 200 of a volume. Lines take 3 launches.
"""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device import launch
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...scikit_image import version
from . import _draws
from ._quicker_sort import KERNELS as _SORTING
from ._quicker_sort import sort
from ._unwrap_groups import KERNELS as _JOINING
from ._unwrap_groups import head, joined

_SOURCE = "restoration/unwrap.cu"
_BLOCK = 256
_MOST_PIXELS = 1 << 29
_GRID = np.dtype(
    [
        *((name, "i8", 3) for name in ("lengths", "strides")),
        ("starts", "i8", 6),
        *((name, "i8") for name in ("pixels", "edges")),
        ("wraps", "i4", 3),
        ("unused", "i4"),
    ]
)


def unwrap_phase(image, wrap_around=False, rng=None):
    """The image without steps of 2 pi: `skimage.restoration.unwrap_phase`."""
    if image.ndim not in (1, 2, 3):
        raise Invalid("image has no axes or more than three; give one of 1 to 3")
    wraps = _wraps(wrap_around, image.ndim)
    if image.size == 0:
        raise Declined("image has no elements; nothing to change")
    if image.ndim == 1:
        if wraps[0]:
            raise Invalid("wrap_around is true, and the image has one axis; leave it out")
        return Plan(_line)
    if version() >= (0, 27):
        raise Declined(
            "image has borders, for which scikit-image draws from NumPy's generator since 0.27, "
            "and the GPU from C's; nothing to change"
        )
    _refuse_seed(rng)
    if image.size > _MOST_PIXELS:
        raise Declined(f"image has more than {_MOST_PIXELS} pixels; give parts of it")
    if not _draws.is_known():
        raise Declined("image has borders, for which this system's C draws; nothing to change")
    if image.ndim == 2 and wraps[1]:
        raise Declined(
            "wrap_around joins the ends of an image's rows, for which scikit-image 0.26 reads what "
            "is in memory before the image; give image.T and its other axis, if only one is joined"
        )
    if any(wrap and length < 3 for wrap, length in zip(wraps, image.shape, strict=True)):
        raise Declined(
            "wrap_around joins the ends of an axis of two pixels; leave that out, which changes "
            "the result"
        )
    return Plan(functools.partial(_unwrapped, _grid(image.shape, wraps)))


def _wraps(wrap_around, ndim):
    if isinstance(wrap_around, bool):
        return (wrap_around,) * ndim
    if not isinstance(wrap_around, list | tuple):
        raise Declined("wrap_around is no truth value or list of such; give one, as True")
    if len(wrap_around) != ndim:
        raise Invalid("wrap_around has not one truth value for each axis; give as many")
    if not all(isinstance(each, bool | np.bool_ | int) for each in wrap_around):
        raise Declined("wrap_around has what is no truth value; give some, as (True, False)")
    return tuple(map(bool, wrap_around))


def _refuse_seed(rng):
    """scikit-image takes a seed, but for one that is given it goes on with C's numbers."""
    if rng is None:
        return
    if not isinstance(rng, int | np.integer):
        raise Declined("rng is no integer; leave it out")
    if not 0 <= int(rng) < 2**32:
        raise Declined("rng is negative, or has more than 32 bits; leave it out")


def _grid(shape, wraps):
    axes = (1,) * (3 - len(shape)) + shape
    wraps = (False,) * (3 - len(shape)) + wraps
    strides = [axes[1] * axes[2], axes[2], 1]
    grid, count, pixels = np.zeros((), _GRID), 0, axes[0] * strides[0]
    for place, axis in enumerate((2, 1, 0)):
        grid["starts"][2 * place] = count
        across = pixels // axes[axis]
        count += across * (axes[axis] - 1)
        grid["starts"][2 * place + 1] = count
        count += across * wraps[axis]
    grid["lengths"], grid["strides"], grid["wraps"] = axes, strides, wraps
    grid["pixels"], grid["edges"] = pixels, count
    return grid[()]


def _line(image):
    image, n = _double(image), image.size
    periods, result = cp.empty(n, "int64"), cp.empty(n)
    _launch("steps", (image, n, periods), n)
    _launch("added", (image, cp.cumsum(periods), n, result), n)
    return result


def _unwrapped(grid, image):
    axes, shape, edges = image.ndim, image.shape, int(grid["edges"])
    if 1 in shape:
        warn_caller(
            "Image has a length 1 dimension. Consider using an array of lower dimensionality to "
            "use a more efficient algorithm",
            UserWarning,
        )
    image, n = _double(image), image.size
    if n == 1:
        return image.copy()
    reliabilities, keys = cp.empty(n), cp.empty(edges)
    args = image, _draws.draws(n), grid, reliabilities
    _launch(f"reliabilities<{axes}>", args, n)
    order, odd = cp.empty(edges, "int32"), cp.zeros(1, "int32")
    _launch("keys", (reliabilities, grid, keys, order, odd), edges)
    if int(odd[0]):
        raise Declined("image has values that are not finite, or too large; give finite ones")
    del reliabilities, args
    sort(keys, order)
    del keys
    offsets, tree = joined(image, order, grid)
    result = cp.empty(shape)
    _launch("unwrapped", (image, offsets, head(order, tree, grid), n, result), n)
    return result


def _double(image):
    return cp.ascontiguousarray(image, dtype=np.float64)


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)


def specializations():
    """Every (source, expression) that this room launches, but for those of max-trees."""
    for kernel in ("grow", "reliabilities<2>", "reliabilities<3>", "keys", "unwrapped"):
        yield _SOURCE, kernel
    for kernel in ("steps", "added"):
        yield _SOURCE, kernel
    for kernel in _SORTING:
        yield "restoration/quicker_sort.cu", kernel
    for kernel in _JOINING:
        yield "restoration/unwrap_groups.cu", kernel
    yield "morphology/max_tree.cu", "connect<unsigned int>"
