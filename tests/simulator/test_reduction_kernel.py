"""`ReductionKernel` reduces along axes as CuPy's does."""

import cupy as cp
import numpy as np
import pytest
from cupy import ReductionKernel

AXES = [None, 0, 1, 2, -1, (0, 2), (2, 1), (0, 1, 2), ()]
VIEWS = [lambda x: x, lambda x: x.transpose(2, 0, 1), lambda x: x[::2, ::-1]]


@pytest.fixture
def values():
    return np.random.default_rng(0).random((5, 70, 6), dtype=np.float32)


@pytest.fixture
def norm():
    return ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("view", VIEWS)
def test_axes_and_layouts(norm, values, view, axis, keepdims):
    result = norm(view(cp.asarray(values)), axis=axis, keepdims=keepdims)
    expected = np.sqrt((view(values).astype(float) ** 2).sum(axis, keepdims=keepdims))
    assert result.shape == expected.shape
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.get(), expected, rtol=1e-6)


def test_broadcast_inputs_scalars_and_no_identity(values):
    largest = ReductionKernel("T x, T y", "T z", "x * y", "max(a, b)", "z = a", "")
    row = values[:1]
    result = largest(cp.asarray(values), cp.asarray(row), axis=1)
    np.testing.assert_array_equal(result.get(), (values * row).max(1))
    assert largest(cp.asarray(values), 2).get() == values.max() * 2
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        largest(cp.zeros((0, 3)), 1.0, axis=0)


def test_a_reduction_of_nothing_is_the_identity(norm):
    assert norm(cp.zeros((0, 3)), axis=0).get().tolist() == [0, 0, 0]
    assert norm(cp.zeros((3, 0)), axis=0).shape == (0,)


def test_what_is_reduced_may_be_a_struct_and_know_its_place(values):
    place = ReductionKernel(
        "T x",
        "int64 y",
        "Best{x, _J}",
        "a.value < b.value ? b : a",
        "y = a.place",
        "Best{-1, 0}",
        reduce_type="Best",
        preamble="struct Best { double value; long long place; };",
    )
    for axis in (0, 1, 2):
        result = place(cp.asarray(values), axis=axis)
        np.testing.assert_array_equal(result.get(), values.argmax(axis))


def test_outputs_are_taken_as_keyword_or_by_position(norm, values):
    out = cp.empty((5, 6), np.float32)
    assert norm(cp.asarray(values), axis=1, out=out) is out
    again = cp.empty((5, 6), np.float32)
    norm(cp.asarray(values), again, axis=1)
    np.testing.assert_array_equal(out.get(), again.get())
    with pytest.raises(ValueError, match="both a positional and keyword"):
        norm(cp.asarray(values), again, axis=1, out=out)
    with pytest.raises(ValueError, match="Out shape"):
        norm(cp.asarray(values), axis=0, out=out)


def test_float32_sums_do_not_drift():
    total = ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    tenths = np.full(10**6, 0.1, np.float32)
    result = total(cp.asarray(tenths)).get().item()
    assert abs(result / tenths.sum(dtype=float) - 1) < 1e-4  # one by one: 1e-2


def test_arguments_that_cupy_refuses(norm):
    with pytest.raises(TypeError, match="Unsupported type"):
        norm(np.ones(3))
    with pytest.raises(TypeError, match="Wrong number"):
        norm()
    with pytest.raises(TypeError, match="Wrong arguments"):
        norm(cp.ones(3), axes=0)
    with pytest.raises(np.exceptions.AxisError):
        norm(cp.ones(3), axis=1)
