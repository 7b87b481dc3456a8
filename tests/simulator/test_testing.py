"""`cupy.testing`: assertions on arrays of either side, decorators that repeat tests."""

import cupy as cp
import numpy as np
import pytest
from cupy import testing

SEEN = []


def test_assertions_take_arrays_of_either_side_and_fail_where_they_differ():
    device, host = cp.arange(3.0), np.arange(3.0)
    testing.assert_array_equal(device, host)
    testing.assert_allclose(host, device)
    testing.assert_array_almost_equal(device, host + 1e-9)
    testing.assert_array_less(device, 3)
    for failing in (
        lambda: testing.assert_array_equal(device, host + 1),
        lambda: testing.assert_allclose(device, host + 1e-3),
        lambda: testing.assert_array_almost_equal(device, host + 1e-3),
        lambda: testing.assert_array_less(device, host),
        lambda: testing.assert_array_equal(device, device[:2]),
    ):
        with pytest.raises(AssertionError):
            failing()


def test_arrays_to_test_with():
    testing.assert_array_equal(testing.shaped_arange((2, 2)), [[1, 2], [3, 4]])
    testing.assert_array_equal(testing.shaped_reverse_arange((3,)), [3, 2, 1])
    expected = (np.random.RandomState(0).rand(2, 3) * 10).astype("f")
    testing.assert_array_equal(testing.shaped_random((2, 3)), expected)
    assert type(testing.shaped_random((2,), np)) is np.ndarray


def test_a_warning_that_does_not_come_is_an_error():
    with pytest.raises(AssertionError), testing.assert_warns(UserWarning):
        pass


def test_requirements_skip_a_test():
    assert testing.with_requires("numpy>=99").mark.args == (True,)
    assert testing.with_requires("numpy>=1").mark.args == (False,)


class TestLoops:
    @testing.for_float_dtypes(no_float16=True)
    def test_each_dtype_is_passed(self, dtype):
        SEEN.append(np.dtype(dtype).char)

    def test_all_of_them_were(self):
        assert SEEN == ["d", "f"]


@testing.parameterize(*testing.product({"size": [2, 3], "dtype": ["f", "d"]}))
class TestParameterized:
    @testing.for_int_dtypes(no_bool=True)
    def test_attributes_are_set(self, dtype):
        assert cp.zeros(self.size, self.dtype).nbytes == self.size * np.dtype(self.dtype).itemsize
        assert self.size in (2, 3)
        assert np.dtype(dtype).kind in "iu"


def test_products_are_all_combinations():
    assert len(testing.product({"a": [1, 2], "b": [3, 4, 5]})) == 6
