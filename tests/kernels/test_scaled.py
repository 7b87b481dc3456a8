"""Integers as doubles between 0 and 1 (common/types.cuh) are scikit-image's, to the last bit."""

import cupy as cp
import numpy as np
import pytest
from skimage import util

NAMES = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "int8": "signed char", "int16": "short"}


@pytest.mark.parametrize("dtype", NAMES)
def test_values_are_scaled_as_by_img_as_float(kernel, dtype):
    text = f"""
        #include "common/types.cuh"
        __global__ void scale(const {NAMES[dtype]}* values, int count, double* result) {{
            for (int k = threadIdx.x; k < count; k += blockDim.x)
                result[k] = img_as_float<double>(values[k]);
        }}
        """
    info = np.iinfo(dtype)
    if info.bits <= 16:
        values = np.arange(info.min, info.max + 1).astype(dtype)
    else:
        some = np.random.default_rng(1).integers(0, 2**32, 60_000)
        values = np.concatenate([np.arange(2000), 2**32 - 1 - np.arange(2000), some]).astype(dtype)
    result = cp.zeros(values.size)
    kernel(text, "scale")((1,), (32,), (cp.asarray(values), np.int32(values.size), result))
    expected = util.img_as_float64(values)
    np.testing.assert_array_equal(result.get().view("u8"), expected.view("u8"))
