"""Names of NumPy dtypes in CUDA C++, as kernels are specialized by them."""

import functools

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
