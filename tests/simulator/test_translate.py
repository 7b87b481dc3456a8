"""What is rewritten in kernels that were written for CuPy."""

import cupy as cp
import numpy as np
import pytest

import cuda_simulator
from cuda_simulator import translate

pytestmark = pytest.mark.skipif(not cuda_simulator.active(), reason="about the simulator")


@pytest.mark.parametrize(
    ("code", "rewritten"),
    [
        ("y = (Y)rint(a + b);", "y = (Y)sim_stored<Y>(rint(a + b));"),
        ("-(B)(-a)", "-(B)sim_stored<B>((-a))"),
        ("(T)x[(T)q] * 2", "(T)sim_stored<T>(x[(T)sim_stored<T>(q)]) * 2"),
        ("(N) - x", "(N) - x"),
        ("(X)cast<int>(3)", "(X)cast<int>(3)"),
    ],
)
def test_casts_to_a_kernels_own_types(code, rewritten):
    assert translate.saturated_casts(code) == rewritten


def test_casts_saturate_where_an_integer_is_too_small():
    cast = cp.ElementwiseKernel("float64 x", "T y", "y = (T)rint(x)", "saturating_cast")
    values = cp.array([300.0, -3, 1e12])
    np.testing.assert_array_equal(
        cast(values, cp.zeros(3, np.int32)).get(), [300, -3, np.iinfo(np.int32).max]
    )
    # through 32 bits, which saturate: the bytes that do not fit are cut off
    np.testing.assert_array_equal(cast(values, cp.zeros(3, np.uint8)).get(), [44, 0, 255])
