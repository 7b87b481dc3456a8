"""Rows are those of scikit-image, in its order: that of their bytes in memory."""

import cupy as cp
import numpy as np
import pytest
from skimage.util import unique_rows

from tests.functions.feature.textures import equal, layouts
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(21)


@pytest.mark.parametrize("dtype", DTYPES)
@layouts
def test_every_dtype_and_layout(gpu_of_each_kind, dtype, layout):
    for columns in (1, 2, 3, 7, 8, 9, 20):
        few = noise(RNG, (15, columns), dtype)
        rows = few[RNG.integers(0, 15, 90)]
        rows[::3, -1] = rows[::-3, 0]
        equal(gpu_of_each_kind, unique_rows, layout(rows))


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 511, 512])
def test_rows_of_any_length_that_differ_in_one_byte(gpu, length):
    rows = np.repeat(RNG.integers(0, 256, (1, length), np.uint8), 70, axis=0)
    rows[np.arange(70), RNG.integers(0, length, 70)] = RNG.integers(0, 256, 70)
    rows[::9, -1] = 0  # strings of NumPy's end there
    rows[::7] = 0
    equal(gpu, unique_rows, rows)
    wide = np.concatenate([rows[:, :1], rows], axis=1)
    equal(gpu.cupy, unique_rows, wide[:, 1:])


def test_zeros_and_nan_are_told_apart_by_their_bits(gpu):
    bits = RNG.integers(0, 2**64, 4, np.uint64) | np.uint64(0x7FF8000000000000)
    values = np.concatenate([[0.0, -0.0, np.inf, -np.inf, np.nan], bits.view(float)])
    rows = values[RNG.integers(0, len(values), (200, 2))]
    expected, found = unique_rows(rows), gpu(unique_rows, rows)
    np.testing.assert_array_equal(found.view(np.uint64), expected.view(np.uint64))


def test_one_row_and_equal_rows(gpu):
    for rows in (np.ones((1, 1)), np.ones((300, 3)), np.arange(300)[:, None], np.zeros((2, 64))):
        equal(gpu, unique_rows, rows)


def test_what_is_refused_or_left_to_scikit_image(gpu):
    rows = noise(RNG, (9, 4))
    for wrong in (rows[0], rows[None], rows[0, 0:1].reshape(())):
        assert gpu.invalid(unique_rows, wrong)
    for odd, reason in (
        (rows[:0], "elements"),
        (rows[:, :0], "elements"),
        (np.zeros((9, 65)), "512"),
        (rows.astype(">f8"), "byte order"),
        (rows * 1j, "complex"),
    ):
        assert reason in gpu.declined(unique_rows, odd)


@pytest.mark.parametrize(("columns", "words"), [(2, 2), (3, 3), (1, 1)])
def test_launches_and_bytes(gpu, counting, columns, words):
    rows = cp.asarray(RNG.integers(0, 9, (5000, columns)))
    with counting() as counts:
        result = gpu(unique_rows, rows)
    assert counts.launches <= 6 + 3 * (words - 1)
    assert counts.to_device == 0
    column = 8 * len(rows)
    assert counts.kernel_bytes_read <= rows.nbytes + result.nbytes + (6 * words + 1) * column
    assert counts.kernel_bytes_written <= result.nbytes + (4 * words + 3) * column
