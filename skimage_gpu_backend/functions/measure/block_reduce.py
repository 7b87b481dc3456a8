"""skimage.measure.block_reduce."""

import functools
import itertools
import math
import operator

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Cost, Launch, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ..transform._resampling import lines_of, work_of

# NumPy's functions that CuPy has, and whether they add up, in a type that can be given
_FUNCTIONS = {
    **dict.fromkeys((np.max, np.min, np.any, np.all, np.median), False),
    **dict.fromkeys((np.sum, np.prod, np.mean, np.std, np.var), True),
}
_ONE_LAUNCH = "max", "min", "any", "all", "sum", "prod", "mean"
_SOURCE = "measure/blocks.cu"
_MOST = 64  # elements of a block that a thread reduces
_MOST_AXES = 3  # along which blocks are longer than one element
_AXIS = np.dtype([("size", "i8"), ("count", "i8"), ("side", "i4")], align=True)
_BLOCKS = [(name, _AXIS) for name in ("planes", "rows", "elements")]
_BLOCKS += [(name, "i8") for name in ("upper", "lower", "inner")]
_BLOCKS = np.dtype([*_BLOCKS, ("shape", lines_of(1, 1).dtype)], align=True)


def block_reduce(image, block_size=2, func=np.sum, cval=0, func_kwargs=None):
    """One number for each block of an image: `skimage.measure.block_reduce`.

    1 launch; the image is read once and the result written once. Blocks of more than 64 elements
    are CuPy's: 2 launches more, which write the image and read it once more, where they go beyond
    it. So are `median`, which sorts the blocks, and `std` and `var`, which take several launches.
    1 launch more copies a strided image.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    sides = sides_of(block_size, image.ndim)
    try:
        adds = _FUNCTIONS[func]
    except (KeyError, TypeError):
        raise Declined(
            "func is a Python function, which no kernel calls; give one of NumPy's, as "
            "numpy.mean, which changes the result"
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
    if _is_few(image.dtype, name, sides, dtype):
        beyond = image.dtype.type(0) if value is None else value
        return _planned(image.shape, image.dtype, name, sides, dtype, beyond.tobytes())
    run = functools.partial(_reduced, name, sides, counts, padded, value, dtype)
    return Plan(run, cost=_cost(image, counts, padded) if name in _ONE_LAUNCH else None)


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
        raise Declined(
            "func_kwargs has more than the dtype in which func adds up; leave it out, which "
            "changes the result"
        )
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


def _is_few(source, name, sides, dtype):
    """Whether there is a kernel for blocks of so few elements."""
    if name not in _ONE_LAUNCH or math.prod(sides) > _MOST:
        return False
    return sum(side > 1 for side in sides) <= _MOST_AXES and dtype in (None, source, np.float64)


@functools.lru_cache(maxsize=256)
def _planned(shape, source, name, sides, dtype, beyond):
    """One launch; `beyond` are the bytes of the number that stands beyond the image."""
    blocks, counts = _blocks(shape, sides)
    image, result = Array(shape, source, "image"), Array(counts, _dtype_of(source, name, dtype))
    kernel, held, numbers = _kernel(source, result.dtype, name, math.prod(sides))
    args = (image, result, blocks, np.frombuffer(beyond, held)[0], *numbers)
    work = work_of(*blocks["shape"][["lines", "columns"]].tolist())
    return Plan(Launches([Launch(_SOURCE, kernel, args, work)], result))


def _kernel(source, dtype, name, count):
    """The kernel, the type that it takes elements as, and the last of its arguments."""
    if name in ("any", "all"):
        held = source if source.kind == "f" else np.dtype(f"u{source.itemsize}")
        return f"block_truths<{c_name(held)}>", held, (name == "all",)
    if name in ("max", "min"):
        is_least = name == "min"
        return f"block_extremes<{c_name(source)}>", source, (_end(source, is_least), is_least)
    total = dtype if dtype.kind == "f" else np.dtype(np.uint64)
    types = f"<{c_name(source)}, {c_name(total)}>"
    if name == "prod":
        return f"block_products{types}", source, ()
    return f"block_sums{types}", source, (np.int32(count if name == "mean" else 1),)


def _end(dtype, largest):
    """The largest number of a type, or the least."""
    if dtype.kind == "f":
        return dtype.type(np.inf if largest else -np.inf)
    if dtype.kind == "b":
        return np.bool_(largest)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if largest else limits.min)


def _dtype_of(source, name, dtype):
    """The result's type: NumPy's."""
    if dtype is not None or name in ("any", "all"):
        return dtype or np.dtype(bool)
    if source.kind == "f" or name in ("max", "min"):
        return source
    return np.dtype({"mean": "f8"}.get(name, "u8" if source.kind == "u" else "i8"))


def _blocks(shape, sides):
    """The struct Blocks, and how many blocks there are along each axis."""
    counts = tuple(-(-n // side) for n, side in zip(shape, sides, strict=True))
    axes = [axis for axis, side in enumerate(sides) if side > 1] or [len(shape) - 1]
    blocks = np.zeros((), _BLOCKS)
    blocks["planes"] = blocks["rows"] = 1, 1, 1
    for name, axis in zip(("elements", "rows", "planes"), reversed(axes), strict=False):
        blocks[name] = shape[axis], counts[axis], sides[axis]
    # what lies between these axes, the first ones outside of them all
    ends = [-1] * (_MOST_AXES - len(axes)) + axes
    for name, (axis, end) in zip(("upper", "lower"), itertools.pairwise(ends), strict=True):
        blocks[name] = math.prod(shape[place] for place in range(axis + 1, end))
    blocks["inner"] = math.prod(shape[axes[-1] + 1 :])
    columns = math.prod(counts[axes[-1] :])
    blocks["shape"] = lines_of(math.prod(counts) // columns, columns)
    return blocks[()], counts


def _cost(image, counts, padded):
    size, itemsize = int(np.prod(padded)), image.dtype.itemsize
    copies = padded != image.shape
    written = 8 * int(np.prod(counts))
    nbytes = copies * size * itemsize
    return Cost(1 + 2 * copies, image.size * itemsize + nbytes, 2 * nbytes + written, nbytes)


def _reduced(name, sides, counts, padded, value, dtype, image):
    if value is not None:
        whole = xp.full(padded, value, image.dtype)
        whole[tuple(map(slice, image.shape))] = image
        image = whole
    blocks = image.reshape([n for pair in zip(counts, sides, strict=True) for n in pair])
    axes = tuple(range(1, blocks.ndim, 2))
    if name == "median":
        return _median(xp.moveaxis(blocks, axes, range(-len(axes), 0)).reshape(*counts, -1))
    options = {} if dtype is None else {"dtype": dtype}
    return getattr(xp, name)(blocks, axis=axes, **options)


def _median(blocks):
    """Along the last axis; NaN where there is one."""
    ordered = xp.sort(blocks, axis=-1)
    count, last = blocks.shape[-1], ordered[..., -1]
    dtype = blocks.dtype if blocks.dtype.kind == "f" else np.dtype(float)
    low, high = (ordered[..., place].astype(dtype) for place in ((count - 1) // 2, count // 2))
    middle = low if count % 2 else (low + high) / dtype.type(2)
    return xp.where(xp.isnan(last), last, middle) if dtype == blocks.dtype else middle


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        image = Array((4, 4), np.dtype(name))
        yield from (block_reduce(image, 2, func) for func in (np.max, np.any))
        if name != "float16":
            for func, kwargs in itertools.product((np.sum, np.prod), (None, {"dtype": float})):
                yield block_reduce(image, 2, func, func_kwargs=kwargs)
