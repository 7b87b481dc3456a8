"""Kernels by name, launched on the current stream."""

import functools

import numpy as np

from ..adapt import meter
from ..devices import CPU, current
from ..devices.cuda.lazy import cp
from .loading import load, loaded


def launch(source, expression, args, *, work, block=256, shared=0, grid=None):
    """Launch a kernel.

    Parameters
    ----------
    source : str
        File below ``kernels/``, as ``"color/convert.cu"``.
    expression : str
        Name expression of the specialization, as ``"convert<float, 3>"``.
    args : tuple
        Device arrays (passed as pointers) and scalars: `int` is ``long long``,
        `float` is ``double``, `bool` is ``bool``, NumPy scalars are their own type,
        structured NumPy scalars are structs.
    work : int
        Number of items; the grid covers them, or is as large as the device can hold
        at once and the kernel strides over the rest.
    block : int or tuple of int
        Threads per block.
    shared : int
        Bytes of dynamic shared memory.
    grid : tuple of int, optional
        Blocks, where the kernel's tiling and not `work` decides.
    """
    if work == 0:
        return
    grid, block = shape_of(work, block, grid)
    device = current()
    args = tuple(map(explicit, args))
    function = loaded.get((source, expression, device))
    if function is None:
        load([(source, expression)], device)
        function = loaded[source, expression, device]
    if meter.watcher is None:
        function(grid, block, args, shared)
        return
    with meter.watcher.launch(expression):
        function(grid, block, args, shared)


def shape_of(work, block, grid):
    """Grid and block as CuPy takes them."""
    if isinstance(block, int):
        block = (block,)
    if grid is None:
        threads = block[0] * (block[1] if len(block) > 1 else 1)
        grid = (min(-(-work // threads), resident_blocks(threads)),)
    return grid, block


# What CuPy takes as one byte, and as a struct by value: a structured array of no dimension.
_EXPLICIT = {bool: np.bool_, np.void: np.asarray}


def explicit(argument):
    """A kernel's argument as CuPy takes it."""
    of = type(argument)
    return _EXPLICIT[of](argument) if of in _EXPLICIT else argument


def resident_blocks(threads: int) -> int:
    """Blocks of `threads` threads that the current device runs at once."""
    count, per_processor = _processors(current())
    return count * max(1, per_processor // threads)


@functools.cache
def _processors(device):
    if device == CPU:
        return 16, 2048
    properties = cp.cuda.runtime.getDeviceProperties(device)
    return properties["multiProcessorCount"], properties["maxThreadsPerMultiProcessor"]
