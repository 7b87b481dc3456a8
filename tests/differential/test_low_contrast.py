"""Images whose contrast is small beside their numbers, through every kernel.

Differences of nearly equal numbers are where a kernel's own rounding shows. Results lie within
the bound of all sweeps; or as far from scikit-image's as a few units in the last place of the
largest number; or, in single precision, not much farther from it than scikit-image's lie from
its own in double.
"""

import warnings

import numpy as np
import pytest

from skimage_gpu_backend import interface
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG

from .check import by_position, expected_of, inside, listed, made, selected
from .compare import DOUBLE, SINGLE, difference
from .inputs import Input
from .sweep import changed
from .sweeps import SWEEPS

# The smallest number and the contrast. Some functions take numbers up to 1 alone.
LOOKS = ((1000, 1), (0.5, 1e-3))
UNITS = 6  # in the last place of the largest number, which is what single precision has
_NOTHING = "of NumPy arrays it has nothing to do on a GPU"
LEFT_OUT = {
    "skimage.draw:set_color": "gives no result, but changes the image",
    "skimage.feature:match_template": "scikit-image subtracts squares of sums from sums of squares",
    "skimage.feature:multiblock_lbp": "reads 36 numbers, for which an image is not moved",
    "skimage.filters:hessian": "declined where rounding decides, which it does here",
    "skimage.filters:median": "the standard call has no kernel",
    "skimage.segmentation:quickshift": "NumPy's rounding of roots in single precision decides",
    "skimage.segmentation:slic": "NumPy's rounding of roots in single precision decides",
    **{f"skimage.util:{name}": _NOTHING for name in ("crop", "dtype_limits")},
    **{f"skimage.util:view_as_{name}": _NOTHING for name in ("blocks", "windows")},
}
# in double; for the first of these reasons, or since it works in single precision
LOST_BY_SCIKIT_IMAGE = {
    "skimage.feature:multiscale_basic_features",
    "skimage.filters:threshold_niblack",
    "skimage.filters:threshold_sauvola",
    "skimage.metrics:structural_similarity",
}


def _lowered(dtype, low, contrast):
    def lower(image):
        array = image.array()
        return (low + contrast * array).astype(dtype) if array.dtype.kind == "f" else image

    return lower


def _floating(sweep):
    """Whether images of the standard call are floating; point spread functions are not meant."""
    given = inside([sweep.call.get(name) for name in CATALOG[sweep.name].images], Input)
    return any(image.array().dtype.kind == "f" for image in given)


def _numbers(result):
    """All floating numbers of a result, one after the other, in double."""
    arrays = [np.asarray(a, float) for a in inside(result, np.floating | np.ndarray | float)]
    return np.concatenate([np.ravel(a) for a in arrays]) if arrays else np.zeros(0)


def _in_double(value):
    single = isinstance(value, np.ndarray) and value.dtype == np.float32
    return value.astype(float) if single else value


def _cases():
    for sweep in SWEEPS:
        if sweep.name in LEFT_OUT or not _floating(sweep):
            continue
        if "float32" in sweep.dtypes:
            yield pytest.param(sweep, "float32", id=f"{sweep.name}-float32")
        if "float64" in sweep.dtypes and sweep.name not in LOST_BY_SCIKIT_IMAGE:
            marks = pytest.mark.thorough
            yield pytest.param(sweep, "float64", id=f"{sweep.name}-float64", marks=marks)


def _ours(sweep, arguments):
    """The kernel's result."""
    with selected(maker=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args, kwargs = by_position(sweep.name, arguments)
        decision = interface.gpu.decide(sweep.name, args, kwargs)
        assert decision.source == "kernel"
        return sweep.view(listed(decision.run()))


def _allowed(sweep, arguments, expected, dtype):
    """How far numbers may lie from scikit-image's, where that is more than the bound."""
    theirs = _numbers(expected)
    allowed = UNITS * np.finfo(dtype).eps * np.nanmax(np.abs(theirs))
    if dtype == "float64":
        return allowed
    exact, _, _ = expected_of(sweep.name, replace(arguments, _in_double))
    return max(allowed, 3 * np.nanmax(np.abs(theirs - _numbers(sweep.view(exact)))))


@pytest.mark.parametrize(("sweep", "dtype"), list(_cases()))
def test_result_has_the_digits_that_scikit_images_has(sweep, dtype):
    compared = 0
    for look in LOOKS:
        lower = _lowered(dtype, *look)
        arguments = made(changed(sweep.call, CATALOG[sweep.name].images, lower))
        expected, error, _ = expected_of(sweep.name, arguments)
        if error is not None:
            continue
        compared += 1
        expected, result = sweep.view(expected), _ours(sweep, arguments)
        if difference(result, expected) <= (SINGLE if dtype == "float32" else DOUBLE):
            continue
        apart = np.nanmax(np.abs(_numbers(result) - _numbers(expected)))
        allowed = _allowed(sweep, arguments, expected, dtype)
        assert apart <= allowed, f"differs by {apart:.2e} for numbers like {look}"
    assert compared
