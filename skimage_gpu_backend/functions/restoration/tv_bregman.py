"""skimage.restoration.denoise_tv_bregman, equal to the last bit.

Cost: for every 16 iterations a launch for each diagonal of the image, and two for each iteration
behind the first: 1055 for up to 16 iterations of an image of 512 x 512; two more for the call. 128
bytes then tell the host which of them is the last. It prepares each launch, in some 20 us beside
the launch in one run with the simulator's CuPy, of which the model of sizes knows nothing: images
of the host between 110 x 110, from which that takes them, and some 256 x 256 may be faster there (a
prediction; `tune` measures it). An iteration reads 14 numbers a pixel and writes 5, in single
precision for float32 images, else in double. 16 estimates and 6 numbers a pixel are held, twice as
many of an image as high as wide. With `channel_axis` one channel comes after the other, since
scikit-image begins each with what it has made of the one before.
"""

import functools
import math

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.launches import MOST_BLOCKS, Array
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import integer, is_finite, real
from ...primitives.channels import channels_moved, refuse_axis
from ..util.img_as import img_as_float

_SOURCE = "restoration/tv_bregman.cu"
_BLOCK = 256
_TOGETHER, _LAG, _FIELDS = 16, 2, 4  # as in the kernel
_LENGTHS = "rows", "columns", "shorter", "longer", "width", "right", "below"
_SKEW = np.dtype([(name, "i8") for name in (*_LENGTHS, "channels", "first", "layers")])


@channels_moved()
def denoise_tv_bregman(
    image, weight=5.0, max_num_iter=100, eps=1e-3, isotropic=True, *, channel_axis=None
):
    """Image of less total variation: `skimage.restoration.denoise_tv_bregman`."""
    if image.dtype == np.float16:
        raise Invalid("image is in float16; give float32")
    if image.ndim == 0:
        raise Declined(_THIN)
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
    if image.ndim > 3:
        raise Invalid("image has more than three axes; give one of 2, or 3 with channels")
    if image.ndim < 2:
        raise Declined(_THIN)
    shape = list(image.shape)
    if channel_axis is not None:
        shape.append(shape.pop(channel_axis))
    rows, columns, channels = (*shape, 1)[:3]
    if channels == 0:
        raise Declined("image has no elements; nothing to change")
    if min(rows, columns) < 2:
        raise Declined(_THIN)
    left = sum(length > 1 for length in (rows, columns, channels))
    if channel_axis not in (None, -1) and not -left <= channel_axis < left:
        raise Invalid("channel_axis is no axis of the result, which has none of one element")
    value = np.dtype("float32" if image.dtype == np.float32 else "float64")
    most, eps = _iterations(max_num_iter), real("eps", eps)
    if not np.finfo(float).max > eps:
        raise Declined(Idle("eps allows no iteration, which leaves the image; give a smaller one"))
    sweep = f"sweep<{c_name(value)}, {'true' if _is_true(isotropic) else 'false'}>"
    numbers = _numbers(weight, value)
    return Plan(functools.partial(_run, channel_axis, sweep, numbers, most, eps))


_THIN = (
    "image has fewer than two rows or columns, where scikit-image 0.26 reads what is in memory "
    "behind the image; give a larger one"
)


def _iterations(max_num_iter):
    most = integer("max_num_iter", max_num_iter)
    if most <= 0:
        raise Declined(
            Idle("max_num_iter allows no iteration, which leaves the image; give a larger one")
        )
    if most >= 2**31:
        raise Invalid("max_num_iter has more than 32 bits; give a smaller one")
    return most


def _is_true(isotropic):
    if not isinstance(isotropic, bool | np.bool_ | int) or not -128 <= isotropic < 128:
        raise Declined("isotropic is neither True nor False; give one of them")
    return bool(isotropic)


def _numbers(weight, value):
    if not is_finite(weight):
        raise Declined("weight is no finite number; give one")
    with np.errstate(all="ignore"):
        weight = value.type(weight)
        lam = value.type(2.0 * np.float64(weight))
        norm = value.type(np.float64(weight) + 4.0 * np.float64(lam))
    if not np.isfinite(norm):
        raise Declined(f"weight is too large for {value}; give a smaller one")
    return np.array((weight, lam, norm), [(n, value) for n in ("weight", "lambda", "norm")])[()]


def _skew(rows, columns, channels, layers):
    shorter, longer = sorted((rows, columns))
    is_high = rows > columns
    values = rows, columns, shorter, longer, shorter + 2, is_high, not is_high, channels, 0, layers
    return np.array(values, _SKEW)


def _run(channel_axis, sweep, numbers, most, eps, image):
    value = numbers.dtype["weight"]
    if image.dtype.kind != "f":
        image = img_as_float(Array(image.shape, image.dtype)).run(image=image)
    if channel_axis is not None:
        image = xp.moveaxis(image, channel_axis, -1)
    image = xp.ascontiguousarray(xp.atleast_3d(image), value)
    rows, columns, channels = image.shape
    layers = channels if channel_axis is None else 1
    skew, result = _skew(rows, columns, channels, layers), xp.empty(image.shape, value)
    lines, width = rows + columns + 2, int(skew["width"])
    images = xp.empty((lines, layers, width), value)
    moments = lines + _LAG * _TOGETHER
    estimates = xp.empty((moments, layers, _TOGETHER, width), value)
    kept = xp.empty((lines, layers, _FIELDS, width), value)
    last = -1
    for first in range(0, channels, layers):
        skew["first"] = first
        args = image, skew[()], last, images, estimates, kept
        _launch(f"start<{c_name(value)}>", args, lines * width, layers)
        last = _iterated(sweep, skew[()], numbers, most, eps, (images, estimates, kept))
        args = estimates, skew[()], last, result
        _launch(f"ended<{c_name(value)}>", args, rows * columns, layers)
    result = xp.squeeze(result)
    return result if channel_axis in (None, -1) else xp.moveaxis(result, -1, channel_axis)


def _iterated(sweep, skew, numbers, most, eps, arrays):
    """Iterate until little changes; which of the iterations under way is the last one."""
    images, estimates, kept = arrays
    lines, layers, width = images.shape
    fields = [xp.empty((layers, _TOGETHER, _FIELDS, width), images.dtype) for _ in range(3)]
    total = int(skew["rows"] * skew["columns"]) * layers
    blocks = -(-width // _BLOCK)
    for turn in rounds(-(-most // _TOGETHER)):
        left = most - turn * _TOGETHER
        count = min(_TOGETHER, left)
        changes = xp.zeros(count)
        for moment in range(1, lines + _LAG * (count - 1)):
            begin = max(0, -(-(moment - lines + 1) // _LAG))
            end = min(count - 1, (moment - 1) // _LAG)
            here, lag = min(moment, lines - 1), _LAG * (count - 1)
            args = (
                *(images[moment - _LAG * end : moment - _LAG * begin + 1], skew, numbers),
                *(moment, begin, end - begin + 1, count - 1),
                estimates[here + _LAG * _TOGETHER - 1 : here + _LAG * _TOGETHER + 1],
                *(kept[here], estimates[moment - 1 : moment + 1]),
                *(fields[(moment + 1) % 3], fields[(moment + 2) % 3], estimates[moment + 1]),
                *(fields[moment % 3], kept[max(0, moment - lag)], changes),
            )
            grid = blocks, end - begin + 1, min(layers, MOST_BLOCKS)
            launch(_SOURCE, sweep, args, work=width, block=_BLOCK, grid=grid)
        for last, change in enumerate(to_host(changes)):
            if not _goes_on(float(change), total, eps):
                return last
    return count - 1


def _goes_on(change, total, eps):
    """Whether the change of an iteration is above eps, added in any order.

    Raises
    ------
    Declined
        That depends on the order.
    """
    with np.errstate(all="ignore"):
        error = np.float64(math.sqrt(change / total))
        bound = error * (4 * total + 64) * np.finfo(float).eps
        lower, upper = error - bound > eps, error + bound > eps
    if np.isfinite(error) and lower != upper:
        raise Declined(
            "eps is what an iteration changes, but for rounding; give another one, which changes "
            "the result"
        )
    return bool(error > eps)


def _launch(kernel, args, work, layers):
    grid = min(-(-work // _BLOCK), resident_blocks(_BLOCK)), min(layers, MOST_BLOCKS)
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK, grid=grid)


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        for kernel in (f"start<{name}>", f"ended<{name}>"):
            yield _SOURCE, kernel
        for isotropic in ("true", "false"):
            yield _SOURCE, f"sweep<{name}, {isotropic}>"
