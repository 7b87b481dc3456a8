"""PolynomialTransform and ThinPlateSplineTransform move points on the device."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.transform import PolynomialTransform, ThinPlateSplineTransform

from skimage_gpu_backend import disable, functions, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.plan import Declined, Invalid
from tests.functions.images import DTYPES

RNG = np.random.default_rng(3)
POLYNOMIAL, SPLINE = "skimage.transform:_polynomial", "skimage.transform:_thin_plate_spline"
NUMBERS = [dtype for dtype in DTYPES if dtype != "bool"]


def points(dtype, count=700, most=50):
    return (RNG.random((count, 2)) * most).astype(dtype)


def same(expected, found, tolerance=1e-12):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=0, atol=tolerance * size)


@pytest.fixture(autouse=True)
def by_scikit_image():
    disable()


@pytest.mark.parametrize("order", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_polynomials_of_any_dtype(order, dtype):
    params = RNG.random((2, (order + 1) * (order + 2) // 2)) - 0.5
    coords = points(dtype, most=5 if dtype == "float16" else 50)  # integers wrap around
    expected = PolynomialTransform(params)(coords)
    plan = functions.plan(POLYNOMIAL, (coords, params), {})
    assert plan.cost.launches == 1
    assert plan.cost.read + plan.cost.written == coords.nbytes + expected.nbytes + params.nbytes
    tolerance = {"float16": 1e-2, "float32": 1e-5}.get(dtype, 1e-12)  # NumPy's powers
    same(expected, plan.run(coords=cp.asarray(coords)), tolerance if order > 2 else 1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("controls", [3, 40, 600])
def test_splines_of_any_dtype(controls, dtype):
    source = RNG.random((controls, 2)) * 50
    moving = ThinPlateSplineTransform.from_estimate(source, source + RNG.random((controls, 2)))
    coords = points(dtype)
    if dtype[0] == "f":
        coords[:3] = source[:3]
    expected = moving(coords)
    plan = functions.plan(SPLINE, (coords, moving.src, moving._spline_mappings), {})
    assert plan.cost.launches == 1 + (dtype != "float64")
    # what is added up cancels: weights are larger than their sum
    size = np.abs(moving._spline_mappings).max() * 5000 * controls
    assert size * 1e-14 < 1e-3
    found = plan.run(coords=cp.asarray(coords))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=0, atol=size * 1e-14)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a.repeat(3, 0)[::3]])
def test_any_layout_and_more_columns(layout):
    coords = layout(RNG.random((300, 4)))
    params = RNG.random((2, 7))  # of which the last ones count for nothing
    expected = PolynomialTransform(params)(coords)
    same(expected, functions.plan(POLYNOMIAL, (coords, params), {}).run(coords=cp.asarray(coords)))


def test_whole_numbers_as_coefficients():
    coords = points("float32")
    moving = PolynomialTransform()
    found = functions.plan(POLYNOMIAL, (coords, moving.params), {}).run(coords=cp.asarray(coords))
    np.testing.assert_array_equal(found.get(), moving(coords))


def test_no_points_are_anywhere_and_nan_stays():
    coords = np.array([[np.nan, 1], [np.inf, 2], [3, 4.0]])
    for name, numbers in (
        (POLYNOMIAL, (np.ones((2, 3)),)),
        (SPLINE, (points("f8", 5), np.ones((8, 2)))),
    ):
        found = functions.plan(name, (coords, *numbers), {}).run(coords=cp.asarray(coords)).get()
        assert not np.isfinite(found[:2]).any()
        assert np.isfinite(found[2]).all()


def test_what_is_left_to_scikit_image():
    coords, params = points("f8", 4), np.ones((2, 6))
    for given in (
        (coords[:, :1], params),
        (coords[:0], params),
        (coords.astype(bool), params),
        (coords.astype(int), params.astype(int)),
        (coords.astype("f4"), params.astype("f4")),
        (coords, params.astype(complex)),
        (coords, params[0]),
        (coords, params[:, :0]),
        (coords[None], params),
    ):
        with pytest.raises(Declined):
            functions.plan(POLYNOMIAL, given, {})
    source, spline = points("f8", 5), np.ones((8, 2))
    with pytest.raises(Invalid):
        functions.plan(SPLINE, (RNG.random((4, 3)), source, spline), {})
    for given in (
        (coords[:0], source, spline),
        (coords, source, spline[:-1]),
        (coords, source.astype(complex), spline),
    ):
        with pytest.raises(Declined):
            functions.plan(SPLINE, given, {})


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
@pytest.mark.parametrize("kind", [PolynomialTransform, ThinPlateSplineTransform])
def test_methods_are_dispatched(however_small, kind, move):
    source = points("f8", 12)
    moving = kind.from_estimate(source, source * [1.1, 0.9] + 3)
    given = RNG.random((90, 2))
    expected = moving(given)
    with use_backends("gpu"), observe() as calls:
        found = moving(move(given))
        moving(coords=move(given))
    assert [(call.name, call.source) for call in calls] == [
        (f"skimage.transform:{kind.__name__}.__call__", "kernel")
    ] * 2
    assert type(found) is type(move(given))
    same(expected, found, 1e-9)


@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_a_spline_that_is_not_fitted_raises_what_scikit_image_raises(however_small, move):
    with use_backends("gpu"), pytest.raises(ValueError, match="Transformation is undefined"):
        ski.transform.ThinPlateSplineTransform()(move(RNG.random((3, 2))))


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_any_order_of_threads(strict, monkeypatch, order):
    monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
    source = points("f8", 300)
    moving = ThinPlateSplineTransform.from_estimate(source, source + 1)
    coords = points("f8", 600)
    plan = functions.plan(SPLINE, (coords, moving.src, moving._spline_mappings), {})
    np.testing.assert_allclose(plan.run(coords=cp.asarray(coords)).get(), coords + 1, atol=1e-2)
