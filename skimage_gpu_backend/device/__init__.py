"""Kernel compilation, cache and launch. CuPy is imported by the first launch."""

from .dtypes import c_name
from .kernels import launch, resident_blocks

__all__ = ["c_name", "launch", "resident_blocks"]
