"""Kernel compilation, cache and launch. Imports CuPy: only ops and `run` come here."""

from .dtypes import c_name
from .kernels import KernelCompileError, launch, resident_blocks

__all__ = ["KernelCompileError", "c_name", "launch", "resident_blocks"]
