"""Nearest points of an image, exactly: launches of morphology/distances.cu and what ends them.

Points are nearest as SciPy's `distance_transform_edt` finds them, ties and roundings included.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..device import c_name
from ..device.kernels import resident_blocks
from ..device.launches import Array, Launch
from ..trouble import Declined, Invalid
from .arguments import is_real, real

MOST_AXES = 8
MOST_PIXELS = 2**31 - 1  # whose indices have 32 bits
_SOURCE = "morphology/distances.cu"
_LABELS = "segmentation/expand_labels.cu"
_INT, _LONG, _DOUBLE = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)
_BOOL, _UINT32 = np.dtype(bool), np.dtype(np.uint32)
_FAR = 2**31 - 1  # as in common/nearest.cuh
_SEARCHED = 32  # places to either side up to which each pixel looks for itself
_SHORT = 1e-75  # the least spacing; SciPy multiplies three of them
_CHUNKS = 64  # of a line, for which there are no more than so many threads
_BLOCK = 256


class Metric(NamedTuple):
    """How distances are measured, and up to which one.

    Attributes
    ----------
    dtype : numpy.dtype
        Of squares: int32 where integers hold them, else float64.
    spacing : tuple
        Along each axis.
    limit : int or float
        The largest square that counts; -1 where none does.
    reach : tuple of int, or None
        Along each axis, so many places away a point counts at most; None where points further away
        decide about roundings.
    """

    dtype: np.dtype
    spacing: tuple
    limit: float
    reach: tuple | None

    @property
    def searched(self):
        """Whether each pixel looks for its nearest point, along the axes behind the first."""
        return self.reach is not None and max(self.reach[1:], default=0) <= _SEARCHED


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in ("int", "long long"):
        yield _SOURCE, f"search_squares<{index}>"
        yield _SOURCE, f"search_within<{index}>"
        for label in (1, 2, 4, 8):
            yield _LABELS, f"search_labels<{_unsigned(label)}, {index}>"
        for square in ("int", "double"):
            yield _SOURCE, f"scan_squares<{square}, {index}>"
            yield _SOURCE, f"scan_within<{square}, {index}>"
            for size in (1, 2, 4, 8):
                yield _SOURCE, f"first_axis<{_unsigned(size)}, {square}, {index}>"
                yield _LABELS, f"scan_labels<{_unsigned(size)}, {square}, {index}>"


def spacings(spacing, ndim):
    """The parameter `spacing` as a tuple of positive floats, one for each axis."""
    if spacing is None:
        return (1.0,) * ndim
    axes = spacing
    if is_real(spacing):
        axes = (spacing,) * ndim
    elif not isinstance(spacing, list | tuple | np.ndarray) or getattr(spacing, "ndim", 1) != 1:
        raise Declined("spacing is not a number for each axis; give a number or a list of them")
    elif len(spacing) != ndim:
        raise Invalid("spacing has not one number for each axis; give as many as there are axes")
    if not all(is_real(each) and _SHORT <= float(each) <= 1 / _SHORT for each in axes):
        raise Declined("spacing is not positive and finite; give positive numbers")
    return tuple(map(float, axes))


def radius_of(name, value) -> float:
    """The parameter `name`, to which distances in double precision are compared."""
    if isinstance(value, np.longdouble):
        raise Declined(f"{name} is of more than double precision; give float({name})")
    return real(name, value)


def metric(shape, spacing, radius) -> Metric:
    """How an image is measured along its axes, in which pixels are `spacing` apart.

    Parameters
    ----------
    shape : tuple of int
    spacing : tuple of float
        As of `spacings`.
    radius : float
        The largest distance that counts, no NaN.
    """
    found = _integers(spacing)
    if found is not None:
        steps, unit = found
        lengths = [n * step for n, step in zip(shape, steps, strict=True)]
        diagonal = sum(length**2 for length in lengths)
        limit = _largest_integer(radius / unit)
        far = math.isqrt(max(limit, 0))
        reach = tuple(min(far // step, max(n - 1, 0)) for n, step in zip(shape, steps, strict=True))
        measured = Metric(_INT, steps, min(limit, _FAR - 1), reach)
        is_exact = 4 * max(lengths) * diagonal < 2**53  # what SciPy computes, too
        if diagonal < _FAR or (is_exact and limit < _FAR - 1 and measured.searched):
            return measured
    return Metric(_DOUBLE, spacing, _largest_double(radius), None)


def _integers(spacing):
    """Spacings as integers, and the power of two that is their unit; None where these are large."""
    ratios = [each.as_integer_ratio() for each in spacing]
    unit = max(below for _, below in ratios)  # all of them are powers of two
    steps = [above * (unit // below) for above, below in ratios]
    common = math.gcd(*steps)
    common &= -common
    steps = tuple(step // common for step in steps)
    return (steps, common / unit) if max(steps) < _FAR else None


def _largest_integer(radius):
    """The largest integer whose root in double is at most `radius`; -1 where none is."""
    if not radius >= 0:
        return -1
    if radius > 2**16:
        return _FAR
    square = int(radius * radius)
    while math.sqrt(square) > radius:
        square -= 1
    while math.sqrt(square + 1) <= radius:
        square += 1
    return square


def _largest_double(radius):
    """The largest double whose root is at most `radius`; -1 where none is."""
    if not radius >= 0:
        return -1.0
    if radius < _SHORT**2:  # of no two pixels
        return 0.0
    square = radius * radius  # whose root is the radius
    while square < math.inf and math.sqrt(math.nextafter(square, math.inf)) <= radius:
        square = math.nextafter(square, math.inf)
    return square


def labelled(labels, measured):
    """Launches that give each pixel the label of its nearest one that is not 0.

    A launch an axis; labels are read twice, a square and an index a pixel (8 bytes; of doubles, or
    of 2**31 pixels and more, 12 to 16) are written and read between axes.

    Parameters
    ----------
    labels : Array
        Of 1 to `MOST_AXES` axes.
    measured : Metric

    Returns
    -------
    steps : list of Launch
    result : Array
        0 where the nearest label is beyond the metric's limit.
    """
    steps, squares, nearest, _ = _before_last(labels, False, measured, indices=True)
    result = Array(labels.shape, labels.dtype)
    label = _unsigned(labels.dtype.itemsize)
    given = (squares, nearest, labels)
    if labels.size:
        steps.append(_last(_LABELS, "labels", label, given, measured, (), result))
    return steps, result


def within(image, are_zero, measured, inside, any_point=None):
    """Launches that tell which pixels are within a radius of points.

    A launch an axis; the image is read once, a square a pixel (4 bytes, of doubles 8) is written
    and read between axes.

    Parameters
    ----------
    image : Array
        Of 1 to `MOST_AXES` axes. Its pixels that are 0 are points, or those that are not.
    are_zero : bool
    measured : Metric
    inside : bool
        Whether pixels within the metric's limit are True, or those beyond it.
    any_point : Array, optional
        Of one ``uint32`` that is not 0, where the image is a part of one that has points.

    Returns
    -------
    steps : list of Launch
    result : Array
    """
    steps, squares, _, any_point = _before_last(image, are_zero, measured, any_point=any_point)
    result = Array(image.shape, _BOOL)
    beside = (_outside(image.shape, measured), any_point, inside)
    if image.size:
        steps.append(_last(_SOURCE, "within", None, (squares,), measured, beside, result))
    return steps, result


def rows_at_once(length, least=64) -> int:
    """Places of a line that a thread takes."""
    return max(least, -(-length // _CHUNKS))


def _more_threads(length, lines, step):
    """The launch along a first axis with fewer places for each thread where lines are few."""
    enough = resident_blocks(_BLOCK) * _BLOCK
    rows = next((rows for rows in (64, 32, 16) if -(-length // rows) * lines >= enough), 8)
    *image, chunk, most, spacing, any_point, squares, nearest = step.arguments
    chunk = type(chunk)(rows_at_once(length, rows))
    arguments = (*image, chunk, most, spacing, any_point, squares, nearest)
    return step._replace(arguments=arguments, work=-(-length // int(chunk)) * lines)


def squared_distances(image, are_zero, measured):
    """Launches of each pixel's squared distance to the nearest point.

    As `within`, but that squares are written; they are 2**31 - 1 where there is no point.

    Returns
    -------
    steps : list of Launch
    squares : Array
    any_point : Array
        One number, 0 where the image has no point.
    """
    steps, squares, _, any_point = _before_last(image, are_zero, measured)
    further = Array(squares.shape, measured.dtype), None
    axis = squares.ndim - 1
    steps.append(_along(_SOURCE, "squares", None, (squares, None), measured, axis, (), further))
    return steps, further[0], any_point


def _before_last(image, are_zero, measured, *, indices=False, any_point=None):
    """Launches of all axes but the last, squares, nearest points or None, and if there is one."""
    shape, index = _planes(image.shape), _index(image)
    squares = Array(shape, measured.dtype)
    nearest = Array(shape, index) if indices else None
    any_point = any_point or Array((1,), _UINT32, zero=True)
    length, columns = shape[0], math.prod(shape[1:])
    chunk = rows_at_once(length)
    most = measured.reach[0] if measured.reach else length
    unsigned, typed = _unsigned(image.dtype.itemsize), _typed(measured.dtype, index)
    given = (image, _mask(image.dtype), are_zero, *map(index.type, (length, columns, chunk, most)))
    args = (*given, measured.dtype.type(measured.spacing[0]), any_point, squares, nearest)
    work = -(-length // chunk) * columns
    fit = functools.partial(_more_threads, length, columns)
    steps = [Launch(_SOURCE, f"first_axis<{unsigned}, {typed}>", args, work, fit=fit)]
    for axis in range(1, len(shape) - 1):
        further = Array(shape, measured.dtype), Array(shape, index) if indices else None
        given = (squares, nearest)
        steps.append(_along(_SOURCE, "squares", None, given, measured, axis, (), further))
        squares, nearest = further
    return steps, squares, nearest, any_point


def _last(source, kind, first, given, measured, beside, result):
    axis = given[0].ndim - 1
    return _along(source, kind, first, given, measured, axis, beside, (result,), limited=True)


def _along(source, kind, first, given, measured, axis, beside, results, *, limited=False):
    """Launch along an axis behind the first, by search or by scan."""
    squares = given[0]
    shape, index = squares.shape, _index(squares)
    number = measured.dtype.type
    spacing = number(measured.spacing[axis] if axis < len(measured.spacing) else 1)
    line = (squares.size // max(shape[axis], 1), shape[axis], math.prod(shape[axis + 1 :]))
    view = np.array(line, [(name, index) for name in ("lines", "length", "stride")])[()]
    limit = number(measured.limit)
    if measured.searched:
        name, types, work = "search", c_name(index), squares.size
        reach = measured.reach[axis] if axis < len(measured.reach) else 0
        args = (view, spacing, limit, np.int32(reach))
    else:
        # rounding may depend on all of a line
        chunk = rows_at_once(shape[axis]) if measured.reach else max(shape[axis], 1)
        name, types = "scan", _typed(measured.dtype, index)
        work = line[0] * -(-shape[axis] // chunk)
        args = (view, index.type(chunk), spacing, Array(shape, _INT), *([limit] if limited else []))
    expression = f"{name}_{kind}<{', '.join(filter(None, (first, types)))}>"
    return Launch(source, expression, (*given, *args, *beside, *results), work)


def _planes(shape):
    """The shape with two axes at least: the last one of a line has one place."""
    return shape if len(shape) > 1 else (*shape, 1)


def _outside(shape, measured):
    """The struct Outside of distances.cu."""
    index = _index(Array(shape, _BOOL))
    lattice = np.dtype([("length", index, MOST_AXES), ("axes", "i4")], align=True)
    fields = [("lattice", lattice), ("spacing", measured.dtype, MOST_AXES)]
    struct = np.ones((), np.dtype(fields, align=True))
    struct["lattice"]["length"][MOST_AXES - len(shape) :] = shape
    struct["lattice"]["axes"] = len(shape)
    struct["spacing"][MOST_AXES - len(shape) :] = measured.spacing
    return struct[()]


def _index(array):
    return _INT if array.size <= MOST_PIXELS else _LONG


def _typed(*dtypes):
    return ", ".join(map(c_name, dtypes))


@functools.cache
def _unsigned(size):
    return c_name(np.dtype(f"u{size}"))


def _mask(dtype):
    """Bits that make an element nonzero: all but the sign of a floating one."""
    ones = (1 << 8 * dtype.itemsize) - 1
    return np.uint64(ones >> 1 if dtype.kind == "f" else ones)
