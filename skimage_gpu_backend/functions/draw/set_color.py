"""skimage.draw.set_color, in the image where it lies on the device.

Cost: 1 launch where alpha is 1, its default; 3 otherwise: the last place that names a pixel owns
it, and 8 bytes a pixel are there for the owners, of which those at the places are written and read.
One more launch, and 4 bytes that come to the host, where an image of integers might get numbers
that it does not hold: with an alpha for each place, or a color or alpha out of range. Only pixels
at the places are read and written. The color goes to the device, and places and alpha that are on
the host.
"""

import functools
from typing import NamedTuple

import numpy as np

from ...device import launch
from ...device.dtypes import code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import is_numeric

_SOURCE = "draw/set_color.cu"
_TYPES = (
    "image",
    "color",
    "alpha",
    "added",
    "rest",
    "kept",
    "sum",
    "stored",
)  # Types in set_color.cu
_PLACES = ("count", "height", "width", "channels", "row_step", "column_step", "channel_step")


def set_color(image, coords, color, alpha=1):
    """Colour pixels of an image in place: `skimage.draw.set_color`."""
    if isinstance(image, np.ndarray):
        raise Declined(
            Idle("image is a NumPy array, of which few pixels change; nothing to change")
        )
    if image.ndim < 2:
        raise Invalid("image has fewer than two axes")
    if image.ndim > 3:
        raise Declined("image has more than three axes; give a plane of channels")
    shape, index = _places(coords)
    color = _color(color, image.shape[2] if image.ndim == 3 else 1)
    same, alpha_type = _alpha(alpha, shape, index)
    types = _types(image.dtype, color.dtype, alpha_type)
    alone = same is not None and same == 1 and _is_finite(color, image.dtype)
    how = _How(types, color, same, alone, not _surely_fit(types, color, same))
    count = int(np.prod(shape))
    pixels = 0 if alone else 8 * image.shape[0] * image.shape[1]
    launches, numbers = (1 if alone else 3) + how.asks, 16 * count + 8 * count + 8 * len(color) + 8
    cost = Cost(4 + launches, launches * (numbers + pixels) + 32 * count + image.nbytes, 0, pixels)
    cost = cost._replace(written=image.nbytes * 2 + launches * pixels + 32 * count)
    return Plan(functools.partial(_colored, how), cost=cost)


class _How(NamedTuple):
    """What the kernels are told.

    Attributes
    ----------
    types : dict
        Of all numbers between the image and itself.
    color : numpy.ndarray
    same : numpy.number or None
        Alpha where it is the same for all places.
    alone : bool
        Whether nobody has to own a pixel.
    asks : bool
        Whether the image might not hold what is to be written.
    """

    types: dict
    color: np.ndarray
    same: object
    alone: bool
    asks: bool


def _places(coords):
    """Shape of the lists of rows and columns, and the dtype of the rows."""
    if _is_array(coords):
        if coords.ndim < 2 or coords.shape[0] != 2:
            raise Invalid("coords are not two lists; give rows and columns")
        shapes, dtypes = [coords.shape[1:]] * 2, [coords.dtype] * 2
    else:
        if not isinstance(coords, tuple | list):
            raise Declined("coords are no pair of arrays; give rows and columns")
        if len(coords) != 2:
            raise Invalid("coords are not two lists; give rows and columns")
        if not all(_is_array(each) for each in coords):
            raise Declined("coords are not arrays; give numpy.asarray(...) of rows and of columns")
        shapes, dtypes = [c.shape for c in coords], [c.dtype for c in coords]
    if shapes[0] != shapes[1]:
        raise Declined("coords are lists of different shapes; give a column for each row")
    if any(dtype.kind not in "iu" for dtype in dtypes) or not shapes[0]:
        raise Declined("coords are not lists of integers; give arrays of such")
    return shapes[0], dtypes[0].newbyteorder("=")


def _is_array(value):
    return isinstance(getattr(value, "dtype", None), np.dtype) and not np.isscalar(value)


def _color(color, channels):
    try:
        color = np.array(color, ndmin=1)
    except (TypeError, ValueError):
        raise Invalid("color is no regular list") from None
    if color.shape[-1] != channels:
        raise Invalid("color has not a number for each channel of the image")
    if color.ndim > 1:
        raise Declined("color has several axes; give a number for each channel")
    return _of_numbers("color", color)


def _of_numbers(name, array):
    if not is_numeric(array.dtype):
        raise Declined(f"{name} is not of real numbers of up to 64 bits; give such")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _alpha(alpha, shape, index):
    """Alpha where it is the same for all places, or None, and its dtype."""
    if np.isscalar(alpha):
        try:
            with np.errstate(all="ignore"):
                found = np.ones(1, index) * alpha
        except Exception as error:  # as NumPy refuses what it is
            raise Invalid(f"alpha is none of a list of {index}: {error}") from None
        found = _of_numbers("alpha", found)
        return found[0], found.dtype
    if not _is_array(alpha):
        raise Declined("alpha is neither a number nor an array; give one of them")
    if alpha.shape != shape:
        raise Declined("alpha has another shape than the lists of coords; give one of that shape")
    if not is_numeric(alpha.dtype):
        raise Declined("alpha is not of real numbers of up to 64 bits; give such")
    return None, alpha.dtype.newbyteorder("=")


def _types(image, color, alpha):
    """Types of all numbers between the image and itself, as NumPy gives them."""
    image, color, one = (np.ones(1, dtype) for dtype in (image, color, alpha))
    rest = 1 - one
    added, kept = color * one, image * rest
    found = {"image": image, "color": color, "alpha": one, "added": added, "rest": rest}
    found |= {"kept": kept, "sum": kept + added}
    return {name: array.dtype for name, array in found.items()}


def _is_finite(color, image):
    """Whether colours are finite in the image, so that 0 times any of them is 0."""
    if image.kind != "f":
        return True
    with np.errstate(over="ignore"):
        return bool(np.isfinite(color.astype(image)).all())


def _surely_fit(types, color, same):
    """Whether all blends fit into the image, whatever it shows."""
    image = types["image"]
    if types["sum"].kind != "f" or image.kind in "fb":
        return True
    limits = np.iinfo(image)
    if same is None or image.itemsize > 4 or not 0 <= same <= 1:
        return False
    return all(limits.min <= number <= limits.max for number in color.tolist())


def _bits(numbers):
    """Numbers as the kernels take them: the bits of integers or doubles."""
    if numbers.dtype.kind == "f":
        return numbers.astype(np.float64).view(np.int64)
    return numbers.astype(np.uint64 if numbers.dtype == np.uint64 else np.int64).view(np.int64)


def _struct(values, dtype):
    """A C struct of numbers of one type, followed by those of another."""
    layout = np.dtype([(name, dtype) for name in values], align=True)
    return np.array(tuple(values.values()), layout)[()]


def _colored(how, image, coords, alpha=None):
    rows, columns = (xp.ascontiguousarray(each) for each in coords)
    if not rows.size or not image.size:
        return
    color, types = how.color, dict(how.types)
    if how.same is None:
        alphas, step = xp.ascontiguousarray(alpha), 1
        numbers, types["stored"] = xp.asarray(_bits(color)), alphas.dtype
    else:
        same = _bits(np.array([how.same]))
        numbers, step = xp.asarray(np.concatenate([_bits(color), same])), 0
        alphas = numbers[len(color) :]
        types["stored"] = np.dtype(np.float64 if how.same.dtype.kind == "f" else np.int64)
    told = _struct({name: code(types[name]) for name in _TYPES}, np.int32)
    steps = [stride // image.itemsize for stride in image.strides]
    sizes = (rows.size, *image.shape[:2], len(color), *steps, *[0] * (3 - image.ndim))
    layout = [(name, np.int64) for name in _PLACES] + [("rows", np.int32), ("columns", np.int32)]
    kinds = code(rows.dtype), code(columns.dtype)
    places = np.array((*sizes, *kinds), np.dtype(layout, align=True))[()]
    at = rows, columns, places
    if how.asks:
        unfit = xp.zeros(1, "uint32")
        _launch("find_unfit", (*at, image, numbers, alphas, step, told, unfit))
        if to_host(unfit)[0]:
            raise Declined("image does not hold all blends; give an alpha and a color within it")
    owner = numbers.view("uint64")
    if not how.alone:
        owner = xp.empty(image.shape[:2], "uint64")
        _launch("claim_pixels", (*at, owner))
        _launch("own_pixels", (*at, owner))
    owned = "false" if how.alone else "true"
    _launch(f"color_pixels<{owned}>", (*at, numbers, alphas, step, told, owner, image))


def _launch(kernel, args):
    launch(_SOURCE, kernel, args, work=args[0].size)


def specializations():
    """Every (source, expression) that this room launches."""
    for kernel in ("find_unfit", "claim_pixels", "own_pixels"):
        yield _SOURCE, kernel
    for owned in ("false", "true"):
        yield _SOURCE, f"color_pixels<{owned}>"
