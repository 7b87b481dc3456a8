"""Sums, extremes, means, medians, scans: NumPy's results, in a GPU's accuracy."""

import math
import warnings

import cupy as cp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cuda_simulator import counters

RNG = np.random.default_rng(0)
HOST = RNG.integers(-5, 6, (4, 5, 6))
DTYPES = "?bBiLefdFD"
NAMES = [
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "max",
    "min",
    "ptp",
    "any",
    "all",
    "argmax",
    "argmin",
    "median",
    "count_nonzero",
]
AXES = st.sampled_from([None, 0, 1, -1, (0, 2), (1, 0, 2)])


def same(ours, expected, rtol):
    expected = np.asarray(expected)
    assert type(ours) is cp.ndarray
    assert ours.dtype == expected.dtype
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours.get(), expected, rtol=rtol, atol=rtol)


@given(st.sampled_from(NAMES), st.sampled_from(DTYPES), AXES, st.booleans())
def test_results_have_numpys_values_shapes_and_types(name, dtype, axis, keepdims):
    host = abs(HOST).astype(dtype) if dtype in "BL" else HOST.astype(dtype)
    kwargs = {} if name == "count_nonzero" else {"keepdims": keepdims}
    if name in ("argmax", "argmin") and isinstance(axis, tuple):
        axis = 1
    assume(not (name == "ptp" and dtype == "?") and not (name == "median" and dtype in "?FD"))
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(host, axis=axis, **kwargs)
    for array in (cp.asarray(host), cp.asarray(host.T.copy()).T):
        ours = getattr(cp, name)(array, axis=axis, **kwargs)
        same(ours, expected, 2e-2 if dtype == "e" else 1e-5)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_sums_of_float32_are_added_in_blocks(axis, layout):
    host = RNG.random((3000, 700), np.float32)
    device = cp.asarray(host, order="F" if layout == "F" else "C")
    if layout == "strided":
        device, host = device[::2, ::2], host[::2, ::2]
    for name in ("sum", "mean"):
        exact = getattr(host, name)(axis=axis, dtype=np.float64)
        ours = getattr(device, name)(axis=axis).get()
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, exact, rtol=3e-7)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_running_sums_of_float32_keep_their_accuracy(axis):
    host = RNG.random((300, 2000), np.float32)
    exact = host.cumsum(axis=axis, dtype=np.float64)
    ours = cp.asarray(host).cumsum(axis=axis)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours.get(), exact, rtol=1e-6)


def test_running_sums_of_many_float32():
    ours = cp.full(20_000_000, 1, np.float32).cumsum()  # one after the other stops at 2**24
    assert float(ours[-1]) == 20_000_000


@given(st.integers(0, 3), st.integers(0, 2000), st.sampled_from("?bfdF"))
def test_running_sums_and_products_are_numpys(rows, columns, dtype):
    host = np.random.default_rng(columns).integers(0, 2, (rows, columns)).astype(dtype)
    for axis in (0, 1, None):
        same(cp.cumsum(cp.asarray(host), axis), np.cumsum(host, axis), 1e-6)
        same(cp.cumprod(cp.asarray(host), axis), np.cumprod(host, axis), 1e-6)


def test_float16_is_summed_in_float32():
    host = np.full(5000, 1, np.float16)
    assert float(cp.asarray(host).sum()) == 5000
    assert cp.asarray(host).sum().dtype == np.float16
    assert float(cp.asarray(host * 60000 / 5000 * 5000).mean()) == 60000
    assert cp.asarray(host).mean().dtype == np.float16


def test_sums_of_other_types_in_float32_are_added_in_blocks():
    host = RNG.integers(0, 256, 3_000_000).astype(np.uint8)
    for array in (host, host.astype(np.float16) / 256):
        mean = cp.asarray(array).mean(dtype=np.float32)
        np.testing.assert_allclose(float(mean), array.mean(dtype=float), rtol=2e-7)


def test_types_and_targets():
    device = cp.asarray(HOST.astype(np.uint8))
    assert cp.sum(device).dtype == np.uint64
    assert cp.sum(device, dtype=np.float32).dtype == np.float32
    assert cp.argmax(device, dtype=np.int32).dtype == np.int32
    out = cp.zeros((5, 6), np.float32)
    assert cp.mean(device, axis=0, out=out) is out
    np.testing.assert_allclose(out.get(), HOST.astype(np.uint8).mean(0), rtol=1e-6)
    with pytest.raises(ValueError, match="output shape"):
        cp.sum(device, out=out)
    with pytest.raises(TypeError, match="'out' has incorrect type"):
        cp.sum(device, out=np.zeros(()))


def test_results_stay_on_the_device_and_are_one_launch():
    device = cp.asarray(HOST)
    with counters.counting() as counts:
        total = device.sum()
    assert (total.ndim, counts.launches, counts.to_host) == (0, 1, 0)


@pytest.mark.parametrize("call", [cp.max, cp.min, cp.argmax])
def test_extremes_of_nothing_are_refused(call):
    with pytest.raises(ValueError):
        call(cp.zeros(0))
    with pytest.raises(ValueError):
        call(cp.zeros((0, 3)), axis=0)


def test_bad_axes_are_refused():
    device = cp.asarray(HOST)
    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
        device.sum(axis=3)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        device.max(axis=(0, -3))


NAN = np.where(HOST > 2, np.nan, HOST / 3)
NAN[1, 1] = np.nan  # nothing is left of this row
NAN[0] = HOST[0]


@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "std", "var", "max", "min", "median", "cumsum", "cumprod"]
)
@pytest.mark.parametrize("axis", [None, 0, 2])
@pytest.mark.parametrize("dtype", "fd")
def test_nan_is_left_out(name, axis, dtype):
    host = NAN.astype(dtype)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = getattr(cp, f"nan{name}")(cp.asarray(host), axis=axis)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(np, f"nan{name}")(host, axis=axis)
    same(ours, expected, 1e-5)
    expected_warning = name in ("max", "min") and axis == 2
    assert [w.category for w in caught] == [RuntimeWarning] * expected_warning


def test_nan_shows_in_plain_extremes():
    device = cp.asarray(NAN)
    assert math.isnan(float(device.max())) and math.isnan(float(device.min()))
    assert int(device.argmax()) == int(np.argmax(NAN))
    assert int(cp.nanargmin(device)) == int(np.nanargmin(NAN))


METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


@given(st.sampled_from(METHODS), AXES, st.booleans(), st.sampled_from("bfd"), st.data())
def test_percentiles_are_numpys(method, axis, keepdims, dtype, data):
    q = data.draw(st.one_of(st.floats(0, 100), st.lists(st.floats(0, 100), min_size=1, max_size=4)))
    host = HOST.astype(dtype) * 7
    kwargs = {"axis": axis, "keepdims": keepdims, "method": method}
    ours = cp.percentile(cp.asarray(host), q, **kwargs)
    expected = np.percentile(host, q, **kwargs)
    if method != "nearest":  # NumPy's rounding of places differs by the last bit
        np.testing.assert_allclose(ours.get(), expected, rtol=1e-5, atol=1e-5)
    assert ours.shape == expected.shape


def test_percentiles_that_cupy_refuses():
    for call, message in (
        (lambda: cp.percentile(cp.ones(3), 101), r"range \[0, 100\]"),
        (lambda: cp.quantile(cp.ones(3), -1), r"range \[0, 1\]"),
        (lambda: cp.percentile(cp.ones(3), 50, method="hazen"), "not yet supported"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_averages():
    weights = np.arange(1.0, 6.0)
    device = cp.asarray(HOST)
    same(cp.average(device), np.average(HOST), 1e-12)
    same(cp.average(device, 1, cp.asarray(weights)), np.average(HOST, 1, weights), 1e-12)
    ours = cp.average(device, 1, cp.asarray(weights), returned=True)
    expected = np.average(HOST, 1, weights, returned=True)
    for one, other in zip(ours, expected, strict=True):
        same(one, other, 1e-12)
    with pytest.raises(ZeroDivisionError):
        cp.average(device, 1, cp.zeros(5))


@pytest.mark.parametrize("name", ["any", "all", "cumsum", "count_nonzero", "median", "nansum"])
def test_arrays_on_the_host_are_refused(name):
    with pytest.raises(TypeError):
        getattr(cp, name)(HOST)
