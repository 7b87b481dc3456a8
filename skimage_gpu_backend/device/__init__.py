"""Kernel compilation, cache and launch. CuPy is imported by the first launch."""

from .dtypes import c_name
from .kernels import KernelCompileError, launch, resident_blocks

__all__ = ["KernelCompileError", "c_name", "launch", "resident_blocks"]
