"""skimage.measure.block_reduce."""

import functools
import operator

import numpy as np

from ...device.launches import Cost
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real

# NumPy's functions that CuPy has, and whether they add up, in a type that can be given
_FUNCTIONS = {
    **dict.fromkeys((np.max, np.min, np.any, np.all, np.median), False),
    **dict.fromkeys((np.sum, np.prod, np.mean, np.std, np.var), True),
}
_ONE_LAUNCH = np.max, np.min, np.any, np.all, np.sum, np.prod, np.mean


def block_reduce(image, block_size=2, func=np.sum, cval=0, func_kwargs=None):
    """One number for each block of an image: `skimage.measure.block_reduce`.

    1 launch; the image is read once and the result written once. 2 launches more, which write the
    image and read it once more, where blocks go beyond it, and 1 copies a strided image. `median`
    sorts the blocks; `std` and `var` take several launches.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    sides = sides_of(block_size, image.ndim)
    try:
        adds = _FUNCTIONS[func]
    except (KeyError, TypeError):
        raise Declined(
            "func is a Python function, which a GPU cannot call; give one of NumPy's, as numpy.mean"
        ) from None
    dtype = _dtype(func_kwargs, adds)
    half = np.dtype(np.float16)
    if half in (image.dtype, dtype) and (adds or func is np.median):
        raise Declined(
            "image is float16, in which sums lose most digits; give image.astype(numpy.float32)"
        )
    counts = tuple(-(-n // side) for n, side in zip(image.shape, sides, strict=True))
    padded = tuple(map(operator.mul, counts, sides))
    value = None if padded == image.shape else _as_padding(cval, image.dtype)
    name = {"amax": "max", "amin": "min"}.get(func.__name__, func.__name__)
    run = functools.partial(_reduced, name, sides, counts, padded, value, dtype)
    return Plan(run, cost=_cost(image, counts, padded) if func in _ONE_LAUNCH else None)


def sides_of(block_size, axes):
    """The block's length along each axis."""
    if np.isscalar(block_size):
        block_size = (block_size,) * axes
    if not isinstance(block_size, tuple) or len(block_size) != axes:
        raise Invalid(f"block_size is no tuple with a number for each axis; give {axes} integers")
    if all(isinstance(side, bool) for side in block_size):
        raise Invalid("block_size is all boolean; give an integer for each axis, as 2")
    if any(isinstance(side, np.uint64) for side in block_size):
        raise Declined("block_size is of uint64, of which NumPy makes floats; give Python integers")
    try:
        block_size = tuple(map(operator.index, block_size))
    except TypeError:
        raise Declined("block_size is not of integers; give an integer for each axis") from None
    if min(block_size) < 1:
        raise Invalid("block_size is below 1; give integers from 1 on")
    return block_size


def _dtype(func_kwargs, adds):
    """The type in which `func` adds up, or None."""
    if func_kwargs is None or (isinstance(func_kwargs, dict) and not func_kwargs):
        return None
    if not isinstance(func_kwargs, dict) or set(func_kwargs) != {"dtype"} or not adds:
        raise Declined("func_kwargs has more than the dtype in which func adds up; leave it out")
    try:
        dtype = np.dtype(func_kwargs["dtype"])
    except TypeError:
        raise Invalid("func_kwargs has no dtype under that name; give one, as float") from None
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise Declined(f"func_kwargs has {dtype}; give numpy.float32 or numpy.float64")
    return dtype


def _as_padding(cval, dtype):
    """`cval` as `numpy.pad` puts it into an image."""
    if not is_real(cval):
        raise Declined("cval is not a number; give one, as 0")
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    if limits and not limits.min <= cval <= limits.max:  # NaN neither
        raise Declined("cval does not fit into the image's dtype; give a number that does, as 0")
    place = np.zeros(1, dtype)
    try:
        with np.errstate(all="raise"):
            place[...] = np.asarray(cval)
    except (OverflowError, ValueError, FloatingPointError):
        raise Declined(
            "cval does not fit into the image's dtype; give a number that does"
        ) from None
    return place[0]


def _cost(image, counts, padded):
    size, itemsize = int(np.prod(padded)), image.dtype.itemsize
    copies = padded != image.shape
    written = 8 * int(np.prod(counts))
    nbytes = copies * size * itemsize
    return Cost(1 + 2 * copies, image.size * itemsize + nbytes, 2 * nbytes + written, nbytes)


def _reduced(name, sides, counts, padded, value, dtype, image):
    if value is not None:
        whole = cp.full(padded, value, image.dtype)
        whole[tuple(map(slice, image.shape))] = image
        image = whole
    blocks = image.reshape([n for pair in zip(counts, sides, strict=True) for n in pair])
    axes = tuple(range(1, blocks.ndim, 2))
    if name == "median":
        return _median(cp.moveaxis(blocks, axes, range(-len(axes), 0)).reshape(*counts, -1))
    options = {} if dtype is None else {"dtype": dtype}
    return getattr(cp, name)(blocks, axis=axes, **options)


def _median(blocks):
    """Along the last axis; NaN where there is one."""
    ordered = cp.sort(blocks, axis=-1)
    count, last = blocks.shape[-1], ordered[..., -1]
    dtype = blocks.dtype if blocks.dtype.kind == "f" else np.dtype(float)
    low, high = (ordered[..., place].astype(dtype) for place in ((count - 1) // 2, count // 2))
    middle = low if count % 2 else (low + high) / dtype.type(2)
    return cp.where(cp.isnan(last), last, middle) if dtype == blocks.dtype else middle
