"""skimage.segmentation.active_contour: snakes, equal to the last bit.

Cost: 5 launches, whatever the snake does: one for the energy of the image, three for the
coefficients of the spline through it, one for those of its derivatives, 16 bytes a pixel, which
come to the host. The image is read once; between launches 8 bytes a pixel are written and read four
times.

The steps are the host's (`_snake_steps.py`). They ask the derivatives at a few hundred points,
where scikit-image lets SciPy derive the spline of the whole image anew, twice a step.
"""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_wider
from ...primitives.gaussian import working
from ._quadratic_splines import elimination, is_fused, slopes
from ._snake_steps import matrix, moved

_SOURCE = "segmentation/snake.cu"
_BLOCK = 128
_LINES, _SIDE = 16, 32  # LINES and SIDE in snake.cu
_LEAST = 3  # elements of a line that has a quadratic spline
_MOST_CHANNELS = 7  # whose sum NumPy takes one after the other
_LEAST_POINTS = 5
_DOUBLE = np.dtype(float)
_LINES_OF = np.dtype([(name, "i8") for name in ("count", "length", "apart", "step")])
_BOUNDARIES = (
    *("periodic", "free", "fixed", "free-fixed", "fixed-free", "fixed-fixed", "free-free"),
)


def active_contour(
    image,
    snake,
    alpha=0.01,
    beta=0.1,
    w_line=0.0,
    w_edge=1,
    gamma=0.01,
    max_px_move=1.0,
    max_num_iter=2500,
    convergence=0.1,
    *,
    boundary_condition="periodic",
):
    """Curve that lines and edges draw: `skimage.segmentation.active_contour`. 5 launches."""
    iterations = _iterations(max_num_iter)
    if not isinstance(boundary_condition, str) or boundary_condition not in _BOUNDARIES:
        raise Invalid("boundary_condition is unknown; give one, as 'periodic'")
    _refuse_shapes(image, w_edge)
    dtype = working(image.dtype)
    points = _points(snake, dtype)
    for name, value in (
        *(("alpha", alpha), ("beta", beta), ("gamma", gamma)),
        *(("max_px_move", max_px_move), ("convergence", convergence)),
    ):
        refuse_wider(name, value, _DOUBLE)
        if isinstance(value, np.bool_ | np.unsignedinteger):
            raise Declined(f"{name} is of NumPy's, without a sign; give float({name})")
    weights = _weight("w_line", w_line, dtype), _weight("w_edge", w_edge, dtype)
    if is_fused():
        raise Declined(
            "image is interpolated by a SciPy that rounds otherwise than kernels, after which "
            "snakes may end elsewhere; nothing to change"
        )
    launches = _derived(image.shape, image.dtype, *weights)
    held = alpha, beta, gamma, boundary_condition
    how = gamma, max_px_move, iterations, convergence
    run = functools.partial(_drawn, launches, points, held, how)
    return Plan(run, launches=launches)


def _iterations(max_num_iter):
    if isinstance(max_num_iter, np.ndarray | np.complexfloating):  # NumPy warns of it
        raise Declined("max_num_iter is no plain number; give an integer")
    try:
        iterations = int(max_num_iter)
    except (TypeError, ValueError, OverflowError):
        raise Invalid("max_num_iter is no integer; give one") from None
    if iterations <= 0:
        raise Invalid("max_num_iter is not above 0; give a larger one")
    return iterations


def _refuse_shapes(image, w_edge):
    if image.ndim not in (2, 3):
        raise Invalid("image has not two axes, or two and channels; give such a one")
    if min(image.shape[:2]) < _LEAST:
        raise Invalid("image has less than three rows or columns; give a larger one")
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels > _MOST_CHANNELS:
        raise Declined(
            f"image has more than {_MOST_CHANNELS} channels; give image[..., :3], which changes "
            "the result"
        )
    if image.ndim == 3 and channels < 3:
        raise Declined(
            "image has less than three channels; give image[..., 0], which changes the result"
        )


def _points(snake, dtype):
    """Columns and rows of a snake's points."""
    if type(snake) is not np.ndarray:
        raise Declined("snake is no array of NumPy's; give numpy.asarray(snake)")
    if snake.ndim != 2 or snake.shape[1] < 2:
        raise Invalid("snake has not two axes, the last of two; give rows and columns of points")
    if snake.dtype.kind not in "biuf" or len(snake) < _LEAST_POINTS:
        raise Declined(
            f"snake has less than {_LEAST_POINTS} points, or no real numbers; give more, as floats"
        )
    with np.errstate(over="ignore"):
        return np.stack([snake[:, -1], snake[:, -2]]).astype(dtype)


def _weight(name, value, dtype):
    """A weight of the energy, as NumPy multiplies an image of `dtype` by it."""
    refuse_wider(name, value, dtype)
    with np.errstate(over="ignore"):
        weight = float(dtype.type(value))
    if not math.isfinite(weight):
        raise Declined(f"{name} is not finite in the image's type; give a smaller number, as 1.0")
    return weight


@functools.lru_cache(maxsize=64)
def _derived(shape, dtype, w_line, w_edge):
    """Coefficients of an energy's derivatives, along rows and down columns."""
    rows, columns = shape[:2]
    image, energy = Array(shape, dtype, "image"), Array((rows, columns), _DOUBLE)
    numbers = w_line, w_edge, rows, columns, math.prod(shape[2:]), w_edge != 0
    args = image, energy, np.array(numbers, _weights(working(dtype)))[()]
    steps = [Launch(_SOURCE, f"snake_energy<{c_name(dtype)}>", args, rows * columns)]
    along_rows = (rows, columns, columns, 1), *map(Array.of, elimination(columns))
    down_columns = (columns, rows, 1, columns), *map(Array.of, elimination(rows))
    source, made, over = energy, Array((rows, columns), _DOUBLE), ()
    for which, (lines, *system) in (
        ("true, false", along_rows),
        ("true, true", down_columns),
        ("false, true", along_rows),
    ):
        args = source, made, np.array(lines, _LINES_OF)[()], *system
        work = -(-lines[0] // _LINES) * _BLOCK
        steps.append(Launch(_SOURCE, f"snake_spline<{which}>", args, work, _BLOCK, over=over))
        source, made = made, source
        over = (made,)
    result = Array((columns - 1, rows), _DOUBLE), Array((columns, rows - 1), _DOUBLE)
    tiles = -(-rows // _SIDE) * -(-columns // _SIDE)
    args = source, *result, rows, columns
    steps.append(Launch(_SOURCE, "snake_derivatives", args, tiles * 256))
    return Launches(steps, result)


def _weights(dtype):
    """The struct Weights of snake.cu."""
    numbers = [(name, "i8") for name in ("rows", "columns", "channels")]
    return np.dtype([("line", dtype), ("edge", dtype), *numbers, ("edges", "i4")], align=True)


def _drawn(launches, points, held, how, image):
    *numbers, boundary = held
    try:
        inverse = matrix(points.shape[1], *numbers, boundary, points.dtype)
    except np.linalg.LinAlgError:
        raise Declined(
            "alpha, beta and gamma make a matrix that has no inverse; give others"
        ) from None
    along, down = (to_host(derived) for derived in launches(image=image))
    asked = slopes(along, down, *image.shape[:2], points.shape[1])
    kinds = boundary.split("-")
    ends = [] if boundary == "periodic" else [(0, kinds[0]), (-1, kinds[-1])]
    x, y = moved(points.copy(), asked, inverse, *how, ends)
    return xp.asarray(np.stack([y, x], axis=1))


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        yield active_contour(Array((9, 8), np.dtype(dtype)), np.zeros((9, 2)))
