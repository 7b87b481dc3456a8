"""Names of NumPy dtypes in CUDA C++, as kernels are specialized by them."""

import functools

import numpy as np

C_NAMES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
}


@functools.cache  # NumPy puts a dtype's name together anew each time
def c_name(dtype) -> str:
    """C++ type of the elements of `dtype`; ``float16`` is in ``common/types.cuh``."""
    return C_NAMES[dtype.name]


def float_type(*dtypes) -> type:
    """Floating-point type in which scikit-image computes with images of these dtypes."""
    if any(dtype.kind == "c" for dtype in dtypes):
        raise ValueError("complex valued input is not supported")
    return np.float32 if all(dtype.char in "ef" for dtype in dtypes) else np.float64


@functools.cache
def code(dtype) -> np.int32:
    """Number of `dtype` in ``common/any_type.cuh``, for kernels that are told it when they run."""
    return np.int32(list(C_NAMES).index(dtype.name))
