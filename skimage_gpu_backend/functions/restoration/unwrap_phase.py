"""skimage.restoration.unwrap_phase.

Edges between pixels are sorted by how reliable they are, stably; scikit-image's sort is not stable,
so of equally reliable edges another one may come first. Where a phase can be unwrapped in any order
the result is scikit-image's.

Cost: of planes and volumes a sort of the edges, up to 8 launches for each time that groups of
pixels are at least halved, 5 for each time that those of the tree of joins are, and some 20 more:
127 for noise of 128 x 128, with 430 times the image's bytes. Of each kind several are launched
together, and 4 bytes tell the host whether there is more to do; those beyond return at once. Lines
take 3 launches.
"""

import functools
import math

import numpy as np

from ..._warn import warn_caller
from ...device import launch
from ...devices import argsort, xp
from ...plan import Declined, Invalid, Plan
from ...scikit_image import version
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
    """The image without steps of 2 pi: `skimage.restoration.unwrap_phase`.

    Notes
    -----
    Where the phase has no residues (loops around which it does not add up to 0) the result is
    scikit-image's, up to one multiple of 2 pi for all pixels. Elsewhere steps may be left in other
    places than in scikit-image, about as many.
    """
    if image.ndim not in (1, 2, 3):
        raise Invalid("image has no axes or more than three; give one of 1 to 3")
    wraps = _wraps(wrap_around, image.ndim)
    if image.size == 0:
        raise Declined("image has no elements; nothing to change")
    if image.ndim == 1:
        if wraps[0]:
            raise Invalid("wrap_around is true, and the image has one axis; leave it out")
        return Plan(_line)
    _refuse_seed(rng)
    if image.size > _MOST_PIXELS:
        raise Declined(f"image has more than {_MOST_PIXELS} pixels; give parts of it")
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
    """scikit-image 0.26 goes on with C's numbers for any seed; 0.27 has a seed's own."""
    if rng is None:
        return
    if version() >= (0, 27):
        raise Declined("rng is a seed, or draws; leave it out")
    if not isinstance(rng, int | np.integer):
        raise Declined("rng is no integer; leave it out")
    if not 0 <= int(rng) < 2**32:
        raise Declined("rng is negative, or has more than 32 bits; leave it out")


def _grid(shape, wraps):
    """The struct of kernels/restoration/phases.cuh, with the shortest axis last.

    Edges along it come first among equally reliable ones, so that few lie across longer paths.
    """
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    axes = sorted(zip(shape, strides, wraps, strict=True), reverse=True)
    axes = [(1, math.prod(shape), False)] * (3 - len(shape)) + axes
    grid, count, pixels = np.zeros((), _GRID), 0, math.prod(shape)
    for place, (length, _, is_joined) in enumerate(reversed(axes)):
        grid["starts"][2 * place] = count
        count += pixels // length * (length - 1)
        grid["starts"][2 * place + 1] = count
        count += pixels // length * is_joined
    grid["lengths"], grid["strides"], grid["wraps"] = zip(*axes, strict=True)
    grid["pixels"], grid["edges"] = pixels, count
    return grid[()]


def _line(image):
    image, n = _double(image), image.size
    periods, result = xp.empty(n, "int64"), xp.empty(n)
    _launch("steps", (image, n, periods), n)
    _launch("added", (image, xp.cumsum(periods), n, result), n)
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
    reliabilities, keys = xp.empty(n), xp.empty(edges)
    _launch(f"reliabilities<{axes}>", (image, grid, reliabilities), n)
    odd = xp.zeros(1, "int32")
    _launch("keys", (reliabilities, grid, keys, odd), edges)
    if int(odd[0]):
        raise Declined("image has values that are not finite, or too large; give finite ones")
    del reliabilities
    order = argsort(keys).astype("int32")
    del keys
    offsets, tree = joined(image, order, grid)
    result = xp.empty(shape)
    _launch("unwrapped", (image, offsets, head(order, tree, grid), n, result), n)
    return result


def _double(image):
    return xp.ascontiguousarray(image, dtype=np.float64)


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)


def specializations():
    """Every (source, expression) that this room launches, but for those of max-trees."""
    for kernel in ("reliabilities<2>", "reliabilities<3>", "keys", "unwrapped"):
        yield _SOURCE, kernel
    for kernel in ("steps", "added"):
        yield _SOURCE, kernel
    for kernel in _JOINING:
        yield "restoration/unwrap_groups.cu", kernel
    yield "morphology/max_tree.cu", "connect<unsigned int>"
