"""Indices: NumPy's elements, CuPy's wrapping around, views and copies."""

import cupy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cuda_simulator import counters

HOST = np.arange(60).reshape(3, 4, 5)


def on_device(index):
    """The same index with device arrays for NumPy's."""
    if isinstance(index, tuple):
        return tuple(on_device(i) for i in index)
    return cp.asarray(index) if isinstance(index, np.ndarray) else index


SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)
INDICES = st.one_of(
    hnp.basic_indices(HOST.shape, allow_newaxis=True),
    SHAPES.flatmap(
        lambda shape: hnp.integer_array_indices(HOST.shape, result_shape=st.just(shape))
    ),
    hnp.arrays(bool, HOST.shape),
    hnp.arrays(bool, HOST.shape[0]),
)


@given(INDICES)
def test_elements_are_numpys(index):
    result = cp.asarray(HOST)[on_device(index)]
    expected = HOST[index]
    assert result.shape == np.shape(expected)
    np.testing.assert_array_equal(result.get(), expected)


@given(INDICES)
def test_elements_are_set_as_numpys(index):
    device, expected = cp.asarray(HOST), HOST.copy()
    values = -1 - np.arange(np.size(HOST[index])).reshape(np.shape(HOST[index]))
    if len(set(np.arange(60).reshape(HOST.shape)[index].ravel())) == values.size:
        device[on_device(index)] = cp.asarray(values)
        expected[index] = values
    device[on_device(index)] += 0
    np.testing.assert_array_equal(device.get(), expected)


@given(hnp.arrays(np.int64, 5, elements=st.integers(-100, 100)))
def test_integer_arrays_wrap_around(index):
    device = cp.asarray(HOST)
    np.testing.assert_array_equal(device[:, cp.asarray(index)].get(), HOST[:, index % 4])
    np.testing.assert_array_equal(device[..., index.tolist()].get(), HOST[..., index % 5])
    np.testing.assert_array_equal(device.take(index, axis=1).get(), HOST[:, index % 4])
    device[cp.asarray(index)] = -1
    expected = HOST.copy()
    expected[index % 3] = -1
    np.testing.assert_array_equal(device.get(), expected)


@pytest.mark.parametrize("index", [3, -4, (0, 4), (0, 0, 0, 0), (..., ...)])
def test_scalars_out_of_bounds_are_refused(index):
    with pytest.raises(IndexError):
        cp.asarray(HOST)[index]


@pytest.mark.parametrize("index", [[0.5], np.array([1.0])])
def test_arrays_of_floats_are_no_indices(index):
    with pytest.raises(IndexError, match="must be of integer or boolean type"):
        cp.asarray(HOST)[index]


def test_slices_are_views_and_arrays_of_indices_make_copies():
    device = cp.asarray(HOST)
    with counters.counting() as counts:
        part = device[1:, ::2, None, 3]
    assert part.base is device
    assert (counts.launches, counts.allocations) == (0, 0)
    with counters.counting() as counts:
        chosen = device[cp.asarray(1)]
    assert chosen.base is None
    assert counts.launches == 1
    chosen[...] = 0
    np.testing.assert_array_equal(device.get(), HOST)


def test_arrays_of_indices_take_values_from_the_host():
    device, expected = cp.asarray(HOST), HOST.copy()
    device[[0, 2]] = np.full((4, 5), 7)
    device[cp.asarray(HOST > 50)] = [1] * 9
    expected[[0, 2]] = 7
    expected[HOST > 50] = 1
    np.testing.assert_array_equal(device.get(), expected)


FUNCTIONS = [
    lambda xp, a: xp.where(a > 20, a, 0.5),
    lambda xp, a: xp.nonzero(a > 50)[1],
    lambda xp, a: xp.argwhere(a > 50),
    lambda xp, a: xp.flatnonzero(a % 7 == 0),
    lambda xp, a: xp.take_along_axis(a, xp.asarray(a[:, :2] % 4), 1),
    lambda xp, a: xp.extract(a % 7 == 0, a),
    lambda xp, a: xp.select([a < 10, a > 50], [a, a * 2], 5),
    lambda xp, a: xp.diagonal(a, 1, 1, 2),
    lambda xp, a: xp.compress(xp.asarray([True, False, True]), a, 0),
    lambda xp, a: xp.unravel_index(a[0], (10, 9))[1],
    lambda xp, a: xp.ravel_multi_index((a[0] % 3, a[1] % 4), (3, 4)),
    lambda xp, a: xp.tril_indices_from(a[0])[1],
    lambda xp, a: a[xp.ix_(xp.asarray([0, 2]), xp.asarray([1, 3]))],
    lambda xp, a: xp.diag_indices(3)[0],
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_give_what_numpys_give(function):
    result, expected = function(cp, cp.asarray(HOST)), function(np, HOST)
    assert type(result) is cp.ndarray
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.get(), expected)


def test_put_place_putmask_and_diagonals_change_the_array():
    device, expected = cp.zeros((4, 4), int), np.zeros((4, 4), int)
    cp.put(device, [1, 17], 3)
    np.put(expected, [1, 17], 3, mode="wrap")
    cp.place(device, cp.eye(4, k=1, dtype=bool), cp.asarray([7, 8]))
    np.place(expected, np.eye(4, k=1, dtype=bool), [7, 8])
    cp.putmask(device, cp.eye(4, k=-1, dtype=bool), cp.asarray([5]))
    np.putmask(expected, np.eye(4, k=-1, dtype=bool), [5])
    cp.fill_diagonal(device, 9)
    np.fill_diagonal(expected, 9)
    np.testing.assert_array_equal(device.get(), expected)


def test_conditions_that_are_no_device_arrays_are_refused():
    for call in (cp.nonzero, cp.argwhere, cp.flatnonzero):
        with pytest.raises(TypeError, match=r"must be a cupy\.ndarray object"):
            call(HOST)
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.where(HOST > 1, 1, 2)
    with pytest.raises(AttributeError):
        cp.where(True, 1, 2)
