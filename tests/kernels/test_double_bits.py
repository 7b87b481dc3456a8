"""Doubles handled as integers and as floats (common/double_bits.cuh) are what doubles are."""

import math
import os

import cupy as cp
import numpy as np
import pytest

WHITES = (0.95047, 1.08883, 0.35582280, 1.18224949, 0.92148059)
ENDS = [0.0, np.inf, np.nan, 5e-324, 2.0**-1022, 2.0**-900, 2.0**900, 1.7e308, 1.0, 6.0, 0.008856]


@pytest.fixture
def numbers():
    """Doubles of all sizes and signs, neighbours of multiples of 6, 116, 200 and 500, and ends."""
    rng = np.random.default_rng(3)
    some = rng.integers(-(2**63), 2**63 - 1, 40_000).view(float)
    whole = np.arange(1, 4000) * rng.choice([6.0, 116, 200, 500, 0.95047], 3999)
    near = [np.nextafter(whole, 0), whole, np.nextafter(whole, np.inf), rng.normal(size=40_000)]
    found = np.concatenate([some, *near, ENDS])
    if "flush" in os.environ.get("CUDA_SIMULATOR_ROUNDING", ""):  # which a GPU does to no double
        found = found[(np.abs(found) > 1e-300) | (found == 0)]
    return np.concatenate([found, -found])


def of_each(kernel, expression, numbers, dtype="float64"):
    """The expression of each number `x`."""
    made = "bool" if dtype == "bool" else "double"
    text = f"""
        #include "common/double_bits.cuh"
        __global__ void each(const double* numbers, int count, {made}* result) {{
            for (int k = threadIdx.x; k < count; k += blockDim.x) {{
                const double x = numbers[k];
                result[k] = {expression};
            }}
        }}
        """
    result = cp.zeros(numbers.size, dtype)
    kernel(text, "each")((1,), (32,), (cp.asarray(numbers), np.int32(numbers.size), result))
    return result.get()


def assert_equal_bits(result, expected):
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(result), ~there)
    np.testing.assert_array_equal(result[there].view("u8"), expected[there].view("u8"))


def assert_quotients(result, numbers, divisor):
    """They miss those of a division by a last bit at most, but near the smallest and largest."""
    chosen = ~((np.abs(numbers) > 2.0**900) & np.isfinite(numbers))
    with np.errstate(invalid="ignore"):
        expected = numbers[chosen] / divisor
    np.testing.assert_allclose(result[chosen], expected, rtol=2.0**-52, atol=2.0**-900)


@pytest.mark.parametrize("divisor", [6, 116, 200, 500])
def test_quotients_by_a_whole_number_are_those_of_a_division(kernel, numbers, divisor):
    assert_quotients(of_each(kernel, f"divided_by<{divisor}>(x)", numbers), numbers, divisor)


@pytest.mark.parametrize("divisor", WHITES)
def test_quotients_by_a_white_point_are_those_of_a_division(kernel, numbers, divisor):
    from skimage_gpu_backend.functions.color._steps import divisor_of

    both = ", ".join(float(number).hex() for number in divisor_of(np.float64, divisor))
    result = of_each(kernel, f"divided(x, Divisor<double>{{{both}}})", numbers)
    assert_quotients(result, numbers, divisor)


@pytest.mark.parametrize("count", [1, 3, 9, 225, 2601, 66_563, 2**20 - 1])
def test_means_of_equal_pixels_are_these(kernel, numbers, count):
    rng = np.random.default_rng(count)
    values = rng.integers(0, 2 ** rng.integers(1, 33, 20_000)).astype(float)
    values = np.concatenate([values, -values])
    expression = f"divided(x, divisor_of({count}.0))"
    np.testing.assert_array_equal(of_each(kernel, expression, values * count), values)
    assert_quotients(of_each(kernel, expression, numbers), numbers, count)


@pytest.mark.parametrize("axes", [2, 3])
def test_quotients_of_roots_are_those_of_a_division(kernel, numbers, axes):
    divisor = math.sqrt(axes)
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(np.abs(numbers))
    result = of_each(kernel, f"divided(x, divisor_of({divisor.hex()}))", roots)
    assert_quotients(result, roots, divisor)


@pytest.mark.parametrize("limit", [0.0, 0.008856, 1.0])
def test_comparisons_are_those_of_doubles(kernel, numbers, limit):
    above = of_each(kernel, f"is_above(x, {limit})", numbers, "bool")
    np.testing.assert_array_equal(above, numbers > limit)
    same = of_each(kernel, f"are_same(x, {limit})", numbers, "bool")
    np.testing.assert_array_equal(same, numbers == limit)
    there = numbers[~np.isnan(numbers)]
    assert_equal_bits(
        of_each(kernel, f"larger(x, {limit + 1})", there), np.maximum(there, limit + 1)
    )
    assert_equal_bits(
        of_each(kernel, f"smaller(x, {limit + 1})", there), np.minimum(there, limit + 1)
    )


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("is_negative", lambda x: x < 0),
        ("is_finite", np.isfinite),
        ("is_number", lambda x: ~np.isnan(x)),
    ],
)
def test_kinds_of_numbers_are_told_apart(kernel, numbers, function, expected):
    result = of_each(kernel, f"{function}(x)", numbers, "bool")
    np.testing.assert_array_equal(result, expected(numbers))


def test_floats_are_widened_exactly_and_doubles_cut(kernel, numbers):
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        floats = numbers.astype(np.float32)
    floats = floats[np.isfinite(floats) & (np.abs(floats) >= 2.0**-126)].astype(float)
    assert_equal_bits(of_each(kernel, "widened((float)x)", floats), floats)
    assert_equal_bits(of_each(kernel, "widened((float)x, -40)", floats), floats * 2.0**-40)
    cut = np.abs(floats) * (1 + 2.0**-25)
    assert_equal_bits(of_each(kernel, "widened(cut_to_single(x))", cut), np.abs(floats))
