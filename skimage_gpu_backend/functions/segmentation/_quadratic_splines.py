"""FITPACK's interpolating quadratic splines: what the host knows of them, and asks them.

A line of n elements at 0, 1, ... has its knots halfway between elements, three at each end. All
numbers are FITPACK's to the last bit: `scipy.interpolate.RectBivariateSpline` with kx=ky=2, s=0.

P. Dierckx, "Curve and surface fitting with splines", Oxford University Press, 1993: fpgrre, fpgivs,
fprota (`elimination`), fpbspl, fpbisp (`slopes_of_numpy`).
"""

import functools
import math

import numpy as np

_DEGREE = 2
# Points times what FITPACK's search for knots takes, up to which it is quicker than some twenty
# operations of NumPy's: counted in knots, as measured on a CPU
_SEARCH, _MANY = 170, 54_000
_AT = np.array([[0.3, 2.25, 3.4, 5.9], [4.9, 0.7, 2.2, 1.7]])
# What FITPACK's slopes at these points are, where each product is rounded before it is added
_SLOPES = (
    *("-0x1.aa1425e816709p-1", "-0x1.717efe3d53117p-1"),
    *("0x1.b4c66bf0e7ee4p-3", "-0x1.1e6ceee478bb9p+0"),
)


@functools.cache
def is_fused():
    """Whether this SciPy was compiled to fuse products with sums, as compilers for ARM do."""
    from scipy.interpolate import RectBivariateSpline

    image = (np.arange(42) * 0.37 % 1).reshape(7, 6)
    spline = RectBivariateSpline(np.arange(7), np.arange(6), image, kx=_DEGREE, ky=_DEGREE)
    return spline(*_AT, dx=1, grid=False).tolist() != [float.fromhex(slope) for slope in _SLOPES]


@functools.lru_cache(maxsize=64)
def elimination(length):
    """Rotations that bring a line's system into triangular form, and the triangle.

    Returns
    -------
    rotations : numpy.ndarray
        For each row three cosines and three sines. Where a sine is 0 nothing is rotated.
    triangle : numpy.ndarray
        For each row the diagonal and what is right of it.
    """
    knots = _knots(length)
    rotations, triangle = np.zeros((length, 6)), np.zeros((length, 3))
    below = [[0.0] * 3 for _ in range(3)]  # rows of the triangle that are not finished
    row, before = 0, None
    while row < length:
        first = min(max(row - 1, 0), length - 3)
        if 1 < row < length - 1:
            triangle[first - 1] = below[0]
            below = [*below[1:], [0.0] * 3]
        rotations[row] = _rotated(_quadratic(knots, first + _DEGREE, float(row)), below)
        # rows whose knots are all between the ends are alike: so is, soon, what comes of them
        if 3 < row < length - 4 and below == before:
            rotations[row + 1 : length - 3] = rotations[row]
            triangle[first : length - 5] = below[0]
            row = length - 4
        before = [list(each) for each in below]
        row += 1
    triangle[length - 3 :] = below
    for table in rotations, triangle:
        table.flags.writeable = False
    return rotations, triangle


def _knots(length):
    """Of a line of `length` elements."""
    knots = np.arange(length + 3) - 1.5
    knots[:3], knots[length:] = 0, length - 1
    return knots


def _quadratic(knots, k, x):
    """The three quadratic splines that are not 0 between the knots k and k + 1."""
    low, start, end, high = (float(knot) for knot in knots[k - 1 : k + 3])
    factor = 1 / (end - start)
    left, right = factor * (end - x), factor * (x - start)
    factor = left / (end - low)
    first, second = factor * (end - x), factor * (x - low)
    factor = right / (high - start)
    return [first, second + factor * (high - x), factor * (x - start)]


def _rotated(row, triangle):
    """Cosines and sines of the rotations that take `row` into three rows of the triangle."""
    cosines, sines = [1.0] * 3, [0.0] * 3
    for i in range(3):
        pivot, diagonal = row[i], triangle[i][0]
        if pivot == 0:
            continue
        if abs(pivot) >= diagonal:
            ratio = diagonal / pivot
            turned = abs(pivot) * math.sqrt(1 + ratio * ratio)
        else:
            ratio = pivot / diagonal
            turned = diagonal * math.sqrt(1 + ratio * ratio)
        cosine, sine = cosines[i], sines[i] = diagonal / turned, pivot / turned
        triangle[i][0] = turned
        for j in range(i + 1, 3):
            mine, theirs = row[j], triangle[i][j - i]
            triangle[i][j - i] = cosine * theirs + sine * mine
            row[j] = cosine * mine - sine * theirs
    return cosines + sines


def slopes(along, down, rows, columns, count):
    """How the derivatives of an image's spline are asked, whichever is quicker.

    Parameters
    ----------
    along, down : numpy.ndarray
        Coefficients of the derivatives along rows and down columns, of columns first.
    rows, columns : int
        Of the image.
    count : int
        Of points.

    Returns
    -------
    callable
        Takes points, columns and rows of them in doubles, and gives both derivatives.
    """
    quick = count * (_SEARCH + rows + columns) < _MANY
    ways = slopes_of_fitpack if quick else slopes_of_numpy
    return ways(along.ravel(), down.ravel(), rows, columns)


def slopes_of_fitpack(along, down, rows, columns):
    """As `slopes`: FITPACK looks for the knots around each point from the first one on."""
    from scipy.interpolate import RectBivariateSpline

    few = RectBivariateSpline(np.arange(3), np.arange(3), np.zeros((3, 3)), kx=_DEGREE, ky=_DEGREE)
    first, second = few.partial_derivative(1, 0), few.partial_derivative(0, 1)
    first.tck = _knots(columns)[1:-1], _knots(rows), along
    second.tck = _knots(columns), _knots(rows)[1:-1], down
    return lambda points: [spline(*points, grid=False) for spline in (first, second)]


def slopes_of_numpy(along, down, rows, columns):
    """As `slopes`: the knots around a point are known."""
    knots = np.concatenate([_knots(columns), _knots(rows)])
    around = np.arange(-1, 3)[:, np.newaxis, np.newaxis] + _DEGREE
    around = around + np.array([[0], [columns + 3]])
    ends = np.array([[columns - 1.0], [rows - 1.0]])
    of_along = (np.arange(2)[:, np.newaxis] * rows + np.arange(3)).reshape(6, 1)
    of_down = (np.arange(3)[:, np.newaxis] * (rows - 1) + np.arange(2)).reshape(6, 1)

    def ask(points):
        with np.errstate(all="ignore"):
            at = np.minimum(np.maximum(points, 0), ends)
            place = np.fmax(np.fmin(np.floor(at + 0.5) - 1, ends - _DEGREE), 0).astype(int)
            low, start, end, high = knots.take(place + around)
            to_end, from_start = end - at, at - start
            factor = 1 / (end - start)
            linear = np.stack([factor * to_end, factor * from_start])
            left, right = linear[0] / (end - low), linear[1] / (high - start)
            middle = left * (at - low) + right * (high - at)
            quadratic = np.stack([left * to_end, middle, right * from_start])
            first = along.take(place[0] * rows + place[1] + of_along)
            second = down.take(place[0] * (rows - 1) + place[1] + of_down)
            return (
                _summed(first, linear[:, 0], quadratic[:, 1]),
                _summed(second, quadratic[:, 0], linear[:, 1]),
            )

    return ask


def _summed(coefficients, across, down):
    """Coefficients times splines, in FITPACK's order."""
    count = coefficients.shape[1]
    terms = coefficients.reshape(len(across), len(down), count) * across[:, np.newaxis] * down
    return np.add.reduce(terms.reshape(6, count), axis=0)
