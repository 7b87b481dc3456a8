"""skimage.filters: thresholds that each element's window gives: local, Niblack's and Sauvola's."""

import functools
import itertools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.kernels import resident_blocks
from ...device.launches import Array, Cost, Launch, Launches, added
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer, refuse_wider
from ...primitives.footprint_tiles import SHARED
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY, along, number, plain
from .gaussian import gaussian
from .median import median

_SOURCE = "filters/windows.cu"
_THRESHOLD = np.dtype(
    [("count", "f8"), ("weight", "f8"), ("range", "f8"), ("sauvola", "i4")], align=True
)
# Elements of a window along the last axis whose column sums fit into shared memory.
MOST_ACROSS = 1 + 1024
_MOST = 2**31  # of any other length
_STRIP = 128  # columns and threads of a block
_ROWS = 64  # that a block goes down, of floats; of small windows half of them
# Types in which sums over windows are exact, and cost nothing in double.
_INTEGERS = {
    "bool": "uint32",
    "uint8": "uint32",
    "int8": "int32",
    "uint16": "int64",
    "int16": "int64",
}
_REALS = (int, float, np.integer, np.floating, np.bool_)


def threshold_niblack(image, window_size=15, k=0.2):
    """Mean minus `k` standard deviations of a window: `skimage.filters.threshold_niblack`.

    2-D: 1 launch; image read once, result written once. Each further axis takes 1 launch
    more, from sums to sums, which are 16 bytes an element. Floating images: 4 bytes come to
    the host, since scikit-image's integral images spread NaN and infinities without end.
    """
    window = _window(image, window_size)
    refuse_wider("k", k, image.dtype)
    return _of_windows(image.shape, image.dtype, window, 2, "mirror", 0.0, float(k))


def threshold_sauvola(image, window_size=15, k=0.2, r=None):
    """Sauvola's threshold of a window: `skimage.filters.threshold_sauvola`.

    Launches and bytes are those of `threshold_niblack`.
    """
    window = _window(image, window_size)
    refuse_wider("k", k, image.dtype)
    if r is None:
        r = _half_range(image.dtype)
    else:
        refuse_wider("r", r, image.dtype)
        if r == 0:
            raise Declined("r is 0, by which deviations are divided; give a number above 0")
    numbers = float(k), float(r), True
    return _of_windows(image.shape, image.dtype, window, 2, "mirror", 0.0, *numbers)


def threshold_local(
    image, block_size=3, method="gaussian", offset=0, mode="reflect", param=None, cval=0
):
    """Weighted mean of a block minus `offset`: `skimage.filters.threshold_local`.

    The method "mean", 2-D: 1 launch; image read once, result written once. Each further
    axis takes 1 launch more, from sums to sums, which are 8 bytes an element. Floating
    images: 4 bytes come to the host, since SciPy's running sums spread NaN and infinities
    to the end of a line.

    The methods "gaussian" and "median": launches and bytes of `gaussian` and `median` (and
    1 launch that makes medians of integers floating, or integers of 64 bits before), and 1
    launch that changes the result where `offset` is not 0.
    """
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    if not isinstance(method, str) or method not in _METHODS:
        if isinstance(method, str) and method == "generic":
            raise Declined(
                "method='generic' calls a Python function for each pixel, which no kernel does; "
                "give 'gaussian', 'mean' or 'median', which changes the result"
            )
        raise Invalid("method is unknown")
    block = _block(block_size, image.ndim)
    refuse_wider("offset", offset, image.dtype)
    return _METHODS[method](image, block, offset, mode, param, cval)


def _of_gaussian(image, block, offset, mode, param, cval):
    sigma = [(size - 1) / 6.0 for size in block] if param is None else param
    smoothing = gaussian(image, sigma, mode=mode, cval=cval, preserve_range=True)
    return _less(smoothing, smoothing.reach, image.shape, working(image.dtype), offset)


def _of_median(image, block, offset, mode, param, cval):
    if image.dtype.char == "e":
        raise Declined(
            "method is 'median' and the image is float16; give image.astype(numpy.float32)"
        )
    if image.dtype.kind != "f" and number(cval) != 0:
        raise Declined(
            "cval is not 0 and the image is of integers; give cval=0, or a float image, which "
            "changes the result"
        )
    if not _are_integers(block) or min(block) < 1 or any(type(size) is bool for size in block):
        raise Declined("block_size is not of integers above 0; give odd integers, as 35")
    if math.prod(map(int, block)) > SHARED:
        raise Declined("footprint is too large for a GPU's shared memory; give a smaller one")
    dtype = working(image.dtype)
    is_wide = image.dtype.kind in "iu" and image.dtype.itemsize == 8
    given = Array(image.shape, dtype) if is_wide else image
    medians = median(given, np.ones(block, bool), mode=mode, cval=cval)
    reach = medians.reach._replace(arrays=3)
    plan = _less(medians, reach, image.shape, dtype, offset)
    return _of_doubles(plan, image) if is_wide else plan


def _of_doubles(plan, image):
    """`plan` for doubles, of 64-bit integers: SciPy's medians are doubles, up to 2^64."""
    doubles = 8 * math.prod(image.shape)
    cost = added(Cost(1, image.nbytes, doubles, doubles), plan.cost)
    return Plan(functools.partial(_made_double, plan.run), plan.reach, cost=cost)


def _made_double(run, image):
    return run(image=image.astype(np.float64))


def _of_mean(image, block, offset, mode, param, cval):
    if not _are_integers(block):
        raise Declined("block_size is not of integers; give odd integers, as 35")
    if min(block) < 1:
        raise Declined("block_size is less than 1; give odd integers from 1 on")
    if not isinstance(mode, str):
        raise Declined(
            "mode is a list, one for each axis; give one mode, as 'reflect', which changes the "
            "result"
        )
    if mode not in BOUNDARY:
        raise Invalid("mode is unknown")
    beyond = number(cval)
    block = tuple(map(int, block))
    _refuse_wide(block)
    return _of_windows(image.shape, image.dtype, block, 1, mode, beyond, float(offset))


_METHODS = {"gaussian": _of_gaussian, "mean": _of_mean, "median": _of_median}


def _block(block_size, ndim):
    """Odd lengths of a block along each axis."""
    if np.isscalar(block_size):
        block_size = (block_size,) * ndim
    if not isinstance(block_size, list | tuple | range | np.ndarray):
        raise Declined(
            "block_size is neither a number nor a sequence of numbers; give an odd "
            "integer, as 35, or one for each axis"
        )
    if not _has_length(block_size, ndim):
        raise Invalid("block_size has another length than the image has axes")
    block = [plain(size) for size in block_size]
    if not all(isinstance(size, _REALS) and abs(size) < _MOST for size in block):
        raise Declined("block_size is not of numbers, or very large; give odd integers, as 35")
    if any(size % 2 == 0 for size in block):
        raise Invalid("block_size is even")
    return block


def _has_length(sizes, ndim):
    is_scalar = isinstance(sizes, np.ndarray) and sizes.ndim == 0
    return not is_scalar and len(sizes) == ndim


def _are_integers(block):
    return all(isinstance(size, int | np.integer) for size in block)


def _window(image, window_size):
    """Odd lengths of a window along each axis."""
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    if image.size == 0:
        raise Invalid("image is empty; nothing to change")
    if isinstance(window_size, int | np.integer):
        window_size = (window_size,) * image.ndim
    elif not isinstance(window_size, list | tuple | np.ndarray):
        raise Declined(
            "window_size is neither an integer nor a sequence of integers; give an odd "
            "integer, as 15, or one for each axis"
        )
    if not _has_length(window_size, image.ndim):
        raise Invalid("window_size has another length than the image has axes")
    window = tuple(integer("window_size", size) for size in window_size)
    if any(isinstance(size, np.integer) and size.dtype.char not in "lq" for size in window_size):
        # NumPy pads by no unsigned ones, and products of short ones wrap around
        raise Declined("window_size is of a short or unsigned type; give Python's integers")
    if any(size % 2 == 0 or size < 1 for size in window):
        raise Invalid("window_size is even or less than 1")
    _refuse_wide(window)
    return window


def _refuse_wide(window):
    """Refuse what the kernel's shared memory cannot take, or its numbers."""
    if window[-1] > MOST_ACROSS:
        raise Declined(
            f"window_size has {window[-1]} pixels along the last axis; give at most {MOST_ACROSS}"
        )
    if max(window) >= _MOST:
        raise Declined(f"window_size has {max(window)} pixels; give less than the image has")


@functools.lru_cache(maxsize=256)
def _less(plan, reach, shape, dtype, offset):
    """What `plan` makes of an image, as `dtype`, less the offset."""
    made = plan.launches.result
    with np.errstate(over="ignore"):  # infinity, as scikit-image has it
        less = dtype.type(offset) if offset else None
    is_converted = made.dtype != dtype
    if less is None and not is_converted:
        return plan
    launches, read, written, between = plan.cost
    result = math.prod(shape) * dtype.itemsize
    passes = is_converted + (less is not None)
    cost = Cost(
        launches + passes,
        read + made.nbytes + result * (passes - 1),
        written + result * passes,
        between + made.nbytes * is_converted,
    )
    run = functools.partial(_lessened, plan.run, dtype, less)
    return Plan(run, reach, launches=plan.launches, cost=cost)


def _lessened(make, dtype, less, image):
    result = make(image=image).astype(dtype, copy=False)
    if less is not None:
        result -= less
    return result


@functools.lru_cache(maxsize=256)
def _of_windows(shape, dtype, window, moments, mode, cval, weight, r=1.0, sauvola=False):
    """Plan of `moments` sums over windows, and a threshold of them."""
    threshold = np.array((math.prod(window), weight, r, sauvola), _THRESHOLD)[()]
    result, odd = Array(shape, working(dtype)), Array((1,), np.dtype("uint32"), zero=True)
    source, kind, sums = Array(shape, dtype, "image"), c_name(dtype), f"Sums<{moments}>"
    passes, steps = _passes(shape, window), []
    summed = None
    if len(passes) == 1:
        summed = _integer(dtype, math.prod(window), cval)
    size = summed.itemsize if summed else 8
    for left, (*view, down, across) in zip(range(len(passes))[::-1], passes, strict=True):
        into = Array((math.prod(shape), moments), np.dtype("float64")) if left else result
        made = sums if left else c_name(result.dtype)
        group, chunk = _group(across, moments, size), _rows(down, summed)
        numbers = np.int32(BOUNDARY[mode]), cval, chunk, np.int32(group), threshold
        steps.append(
            Launch(
                _SOURCE,
                f"window_sums<{kind}, {made}, {moments}{f', {c_name(summed)}' if summed else ''}>",
                (source, into, odd, *view, down, across, *numbers),
                work=_threads(view, chunk),
                block=_STRIP,
                shared=_shared(across, moments, group, size),
                fit=functools.partial(_higher, view, down) if summed else None,
            )
        )
        source, kind = into, sums
        cval *= down * across  # what the sums of elements beyond the border are
    reach = _reach(window, mode, moments)
    if dtype.kind != "f":
        return Plan(Launches(steps, result), reach)
    launches = Launches(steps, (result, odd))
    return Plan(functools.partial(_finite, launches), reach, launches=launches)


def _rows(down, is_exact):
    """Rows that a block goes down before it begins anew, which is where roundings do.

    The least where sums are exact.
    """
    if is_exact:
        return max(16, 2 * down)
    return _ROWS // 2 if 2 * down <= _ROWS // 2 else max(_ROWS, 2 * down)


def _higher(view, down, step):
    """The launch with more rows for each block where all blocks have some."""
    outer, rows, columns = view
    strips, enough = outer * -(-columns // _STRIP), resident_blocks(_STRIP)
    fewer = next((each for each in (64, 32) if strips * -(-rows // each) >= enough), 16)
    chunk = max(fewer, 2 * down)
    *first, _, group, threshold = step.arguments
    return step._replace(arguments=(*first, chunk, group, threshold), work=_threads(view, chunk))


def _threads(view, chunk):
    outer, rows, columns = view
    return outer * -(-rows // chunk) * -(-columns // _STRIP) * _STRIP


def _finite(launches, image):
    result, odd = launches(image=image)
    if to_host(odd)[0]:
        raise Declined(
            "image has NaN, infinities or numbers whose sums are infinite; give finite numbers, "
            "as numpy.nan_to_num(image), which changes the result"
        )
    return result


def _reach(window, mode, moments):
    """Running sums go down chunks of lines, in strips across the last axis."""
    align = tuple(max(_ROWS, 2 * size) for size in window)
    between = 4 * moments if len(window) > 2 else 0  # sums in double, read and written
    halo = along([size // 2 for size in window], mode)
    return Reach((*halo[:-1], None), align=align, arrays=1 + between)


def _passes(shape, window):
    """View (outer, rows, columns) and window of each launch: two axes first, then single ones."""
    if len(shape) == 1:
        return [(1, 1, *shape, 1, *window)]
    passes = [(math.prod(shape[:-2]), *shape[-2:], *window[-2:])]
    for axis in range(len(shape) - 2):
        if window[axis] > 1:
            view = (math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))
            passes.append((*view, window[axis], 1))
    return passes


def _integer(dtype, count, cval):
    """The integers that windows' sums are taken in, or None: none overflows, squares among them.

    A constant other than 0 might be none of them, so that there are none beside it.
    """
    name = _INTEGERS.get(dtype.name)
    if name is None or cval or count * 255**2 >= 2**32:
        return None
    return np.dtype(name)


def _group(across, moments, size):
    """Rows of column sums that fit into shared memory at a time."""
    fitting = (rows for rows in (8, 4, 2) if _shared(across, moments, rows, size) <= 48 * 1024)
    return next(fitting, 1)


def _shared(across, moments, group, size):
    """Bytes of shared memory, as window_sums divides it, of sums of so many bytes."""
    pitch = (_STRIP + across - 1) | 1
    return pitch * (moments * (group + 1) * size + 8)


def _half_range(dtype):
    """Half of what `skimage.util.dtype_limits` spans."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return 0.5 * (int(limits.max) - int(limits.min))
    return 0.5 if dtype.kind == "b" else 1.0


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype, ndim in itertools.product(C_NAMES, (2, 4)):
        image = Array((4,) * ndim, np.dtype(dtype))
        for size in (3, 259):  # of 259 x 259 elements not all sums fit into 32 bits
            yield from (threshold_niblack(image, size), threshold_local(image, size, "mean"))
