"""CUDA kernels and CuPy on the CPU, for machines without a GPU.

``activate()`` puts a stand-in for CuPy in front of the import system; from then on
``import cupy`` gives the one in this folder, which compiles the same CUDA sources with the
host's C++ compiler. Importing this package imports nothing heavy.

Examples
--------
>>> import cuda_simulator
>>> cuda_simulator.activate()
>>> import cupy
>>> cupy.__version__.endswith("simulator")
True
"""

from .errors import KernelError, NoCompilerError
from .finder import activate, active
from .settings import cache_folder, thread_order

__all__ = ["KernelError", "NoCompilerError", "activate", "active", "cache_folder", "thread_order"]
