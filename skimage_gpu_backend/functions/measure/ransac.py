"""skimage.measure.ransac: samples and models on the host, points against models on the device.

Cost: scikit-image draws a sample, estimates its model, and computes the residuals of all points.
Here samples are drawn and models are estimated ahead, 16 of them, then twice as many each time up
to 512, and one launch tells how many points may at most be inliers of each. It reads the points
once for each 8 models; 16 bytes a model come to the host. Residuals are computed there, by
scikit-image's own method, for the models alone that may be as good as the best one before, and for
those whose residuals cannot be bounded. So the model, the inliers, and what the generator draws
next are scikit-image's.

Estimating takes 0.05 to 0.4 ms a sample on the host, as in scikit-image; so does the last model,
of all inliers, for which `ProjectiveTransform`, `AffineTransform`, `PolynomialTransform` and the
epipolar ones take memory with the square of how many there are. Worth it from some thousand points
on.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import launch, resident_blocks
from ...device.launches import Cost
from ...devices import as_numpy, to_device, to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_real
from ._consensus import MOST_AT_ONCE, Stops, batches, consensus

_SOURCE = "measure/ransac.cu"
_GROUP, _BLOCK = 8, 256  # models that a block takes at a time, as in the kernel


class Model(NamedTuple):
    """A model class of scikit-image and its struct in measure/ransac.cu.

    Attributes
    ----------
    struct : str
        `{axes}` stands for the numbers of a point.
    axes : tuple of int
        Numbers of a point for which there is a kernel.
    attributes : tuple of str
        Of a model, which the kernel gets.
    pairs : bool
        Whether `data` is of two arrays.
    single : bool
        Whether residuals of points in single precision are computed in single precision.
    """

    struct: str
    axes: tuple
    attributes: tuple
    pairs: bool = True
    single: bool = False

    def expression(self, axes):
        return f"possible_inliers<{self.struct.format(axes=axes)}>"


_MATRIX = Model("Projective<{axes}>", (2, 3), ("params",))
_EPIPOLAR = Model("Epipolar", (2,), ("params",))
_MODELS = {
    "LineModelND": Model("Line<{axes}>", (2, 3), ("origin", "direction"), False, True),
    "CircleModel": Model("Circle", (2,), ("center", "radius"), False, True),
    "EuclideanTransform": _MATRIX,
    "SimilarityTransform": _MATRIX,
    "AffineTransform": _MATRIX,
    "ProjectiveTransform": _MATRIX,
    "FundamentalMatrixTransform": _EPIPOLAR,
    "EssentialMatrixTransform": _EPIPOLAR,
    "PolynomialTransform": Model("Polynomial", (2,), ("params",), True, True),
}


def ransac(
    data,
    model_class,
    min_samples,
    residual_threshold,
    is_data_valid=None,
    is_model_valid=None,
    max_trials=100,
    stop_sample_num=np.inf,
    stop_residuals_sum=0,
    stop_probability=1,
    rng=None,
    initial_inliers=None,
    model_kwargs=None,
):
    """Robust estimate of a model: `skimage.measure.ransac`.

    The model is scikit-image's object, on the host.
    """
    for name, value in (("is_data_valid", is_data_valid), ("is_model_valid", is_model_valid)):
        if value is not None:
            raise Declined(
                f"{name} is a Python function, which is asked about one sample after the other; "
                "leave it out, which changes the result"
            )
    model = _model_of(model_class)
    points, axes, dtypes = _points(data, model)
    if isinstance(min_samples, bool | np.bool_):
        raise Declined("min_samples is no number; give an integer, as 4")
    if not 0 < integer("min_samples", min_samples) <= points:
        raise Invalid("min_samples is not from 1 to the number of points; give such, as 4")
    threshold = _number("residual_threshold", residual_threshold)
    if threshold < 0:
        raise Invalid("residual_threshold is negative; give a positive number")
    if not math.isfinite(threshold):
        raise Declined("residual_threshold is not finite; give a finite number")
    if _number("max_trials", max_trials) < 0:
        raise Invalid("max_trials is negative; give an integer from 0 on")
    for name, value in (
        ("stop_sample_num", stop_sample_num),
        ("stop_residuals_sum", stop_residuals_sum),
    ):
        _number(name, value)
    if not 0 <= _number("stop_probability", stop_probability) <= 1:
        raise Invalid("stop_probability is not from 0 to 1; give such, as 0.99")
    if type(rng) is not np.random.Generator:
        if rng is not None and type(rng) is not int and not isinstance(rng, np.integer):
            raise Declined("rng is no generator; give numpy.random.default_rng(rng)")
        if rng is not None and rng < 0:
            raise Invalid("rng is a negative seed; give one from 0 on")
    if initial_inliers is not None:
        _refuse_initial(initial_inliers, points)
    keywords = _keywords(model_kwargs, model)
    stops = Stops(max_trials, stop_sample_num, stop_residuals_sum, stop_probability)
    kernel = model.expression(axes)
    precision = _precision(model, dtypes)
    count = functools.partial(_possible_inliers, kernel, threshold, precision)
    start = residual_threshold, rng, initial_inliers, keywords
    run = functools.partial(_run, model_class, model, count, min_samples, stops, start)
    return Plan(run, cost=_cost(points, axes, model, max_trials), stay=("data",))


def _model_of(model_class):
    from skimage import measure, transform

    name = getattr(model_class, "__name__", None)
    if name == "EllipseModel":
        raise Declined(
            "model_class is EllipseModel, which looks for the nearest place on the ellipse of each "
            "point by SciPy's least squares; nothing to change"
        )
    if name == "PiecewiseAffineTransform":
        raise Declined(
            "model_class is PiecewiseAffineTransform, which looks for the triangle of each point "
            "in SciPy's triangulation; nothing to change"
        )
    module = measure if str(name).endswith("ModelND") or name == "CircleModel" else transform
    model = _MODELS.get(name) if isinstance(name, str) else None
    if model is None or getattr(module, name) is not model_class:
        raise Declined(
            "model_class has residuals in Python, which no kernel calls; give one of "
            "scikit-image's, as skimage.transform.AffineTransform, which changes the result"
        )
    return model


def _points(data, model):
    """How many points there are, of how many numbers, and dtypes."""
    arrays = data if isinstance(data, list | tuple) else (data,)
    if len(arrays) != 1 + model.pairs:
        if model.pairs:
            raise Declined("data is not of two arrays, as model_class takes; give (src, dst)")
        raise Declined("data is not of one array, as model_class takes; give numpy.stack(data, -1)")
    if any(array.ndim != 2 for array in arrays):
        raise Declined("data is not of two axes; give a point in a row")
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        raise Declined("data is of two shapes; give as many points, of as many numbers")
    if shape[1] not in model.axes:
        told = " or ".join(map(str, model.axes))
        raise Declined(f"data has points for which model_class has no kernel; give {told} numbers")
    if shape[0] == 0:
        raise Invalid("data is empty; give some points")
    dtypes = [array.dtype for array in arrays]
    if any(dtype.char == "e" for dtype in dtypes):
        raise Declined("data is of half precision; give data.astype(numpy.float32)")
    if any(not dtype.isnative for dtype in dtypes):
        raise Declined("data is in the other byte order; give it in that of the machine")
    if model.struct == "Polynomial" and any(dtype.kind != "f" for dtype in dtypes):
        raise Declined("data is of integers, whose powers may overflow; give data.astype(float)")
    return *shape, dtypes


def _number(name, value):
    if isinstance(value, bool | np.bool_) or not is_real(value):
        raise Declined(f"{name} is not a number; give one")
    return float(value)


def _refuse_initial(initial, points):
    if type(initial) is not np.ndarray or initial.dtype != bool or initial.ndim != 1:
        raise Declined("initial_inliers is no mask; give a boolean array of NumPy")
    if len(initial) != points:
        raise Invalid("initial_inliers is of another length than data; give a value for each point")


def _keywords(model_kwargs, model):
    """What `from_estimate` gets by name."""
    if model_kwargs is None:
        return {}
    if type(model_kwargs) is not dict:
        raise Declined("model_kwargs is no dictionary; give dict(model_kwargs)")
    if model_kwargs and model.struct == "Polynomial":
        raise Declined(
            "model_kwargs may set the order of a polynomial, and kernels have those of order 2; "
            "leave it out, which changes the result"
        )
    return model_kwargs


def _precision(model, dtypes):
    """Rounding, what underflows and what may be squared, where residuals are computed."""
    single = model.single and any(np.promote_types(d, np.float32) == np.float32 for d in dtypes)
    numbers = (2.0**-23, 1e-18, 1e17) if single else (2.0**-52, 1e-150, 1e140)
    return np.array(numbers, _PRECISION)[()]


_PRECISION = np.dtype([("rounding", "f8"), ("tiny", "f8"), ("most", "f8")])


def _cost(points, axes, model, max_trials):
    """Of all trials, where nothing stops before."""
    if not max_trials <= 2**40:
        return None
    numbers = 8 * points * axes * (1 + model.pairs)
    trials, times = math.ceil(max_trials), _times(max_trials)
    of_models = 8 * trials * (axes + 1) ** 2 if model is _MATRIX else 96 * trials
    read = numbers * (1 + times + -(-trials // _GROUP)) + of_models
    between = numbers + of_models + 16 * trials
    return Cost(2 + times, read, numbers + 16 * trials, between)


def _times(trials):
    """How many times models are estimated ahead."""
    few = sum(1 for _ in batches(min(trials, 2 * MOST_AT_ONCE)))
    return few + max(0, math.ceil(trials) - 2 * MOST_AT_ONCE) // MOST_AT_ONCE + 1


def _run(model_class, model, count, min_samples, stops, start, data):
    threshold, rng, initial, keywords = start
    given = data if isinstance(data, list | tuple) else (data,)
    on_host, there = _both_sides(given)
    count = functools.partial(count, model.attributes, there)
    rng = np.random.default_rng(rng)
    state = rng.bit_generator.state
    try:
        found, inliers = consensus(
            model_class, keywords, on_host, count, min_samples, threshold, stops, rng, initial
        )
        return found, None if inliers is None else xp.asarray(inliers)
    except BaseException:  # whoever answers the call then draws the same numbers
        rng.bit_generator.state = state
        raise


def _both_sides(given):
    """Points on the host, for scikit-image, and on the device, in double."""
    there = [xp.ascontiguousarray(to_device(each), dtype=float) for each in given]
    return list(map(as_numpy, given)), there


def _possible_inliers(kernel, threshold, precision, attributes, there, models):
    """How many points can be inliers of each model at most."""
    numbers = ([getattr(model, name) for name in attributes] for model in models)
    rows = np.array([np.hstack(each, dtype=float).ravel() for each in numbers])
    points = len(there[0])
    found = xp.zeros((len(models), 2), "int64")
    groups = -(-len(models) // _GROUP)
    blocks = min(-(-points // _BLOCK), max(1, resident_blocks(_BLOCK) // groups))
    args = (there[0], there[-1], points, xp.asarray(rows), len(models), threshold, precision, found)
    launch(_SOURCE, kernel, args, work=points, block=_BLOCK, grid=(blocks, min(groups, 65_535)))
    counts, odd = to_host(found).T
    return np.where(odd, points, counts)


def specializations():
    """Every (source, expression) that this function launches."""
    for model in set(_MODELS.values()):
        for axes in model.axes:
            yield _SOURCE, model.expression(axes)
