"""Kernels by name: compiled once per specialization, launched on the current stream."""

import functools
import re

import numpy as np

from ..adapt import meter
from ..trouble import KernelCompileError
from .lazy import cp
from .source import kernel_source

OPTIONS = ("-std=c++17",)


@functools.cache
def _function(source, expression, device):
    module = cp.RawModule(
        code=kernel_source(source), options=OPTIONS, name_expressions=(expression,)
    )
    try:
        return module.get_function(expression)
    except cp.cuda.compiler.CompileException as error:
        raise KernelCompileError(_explain(source, expression, str(error))) from error


def _explain(source, expression, log):
    place = re.search(r"^(\S+?\.cuh?)[(:](\d+)\)?.*?error\s*:\s*(.*)$", log, re.MULTILINE)
    where = f"{place[1]}:{place[2]}: {place[3]}" if place else log.strip()
    return f"kernel {expression} of kernels/{source} does not compile: {where}"


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
    if isinstance(block, int):
        block = (block,)
    if grid is None:
        threads = block[0] * (block[1] if len(block) > 1 else 1)
        grid = (min(-(-work // threads), resident_blocks(threads)),)
    device = cp.cuda.runtime.getDevice()
    args = tuple(_EXPLICIT[type(a)](a) if type(a) in _EXPLICIT else a for a in args)
    function = _function(source, expression, device)
    if meter.watcher is None:
        function(grid, block, args, shared_mem=shared)
        return
    with meter.watcher.launch(expression):
        function(grid, block, args, shared_mem=shared)


# What CuPy takes as one byte, and as a struct by value: a structured array of no dimension.
_EXPLICIT = {bool: np.bool_, np.void: np.asarray}


def resident_blocks(threads: int) -> int:
    """Blocks of `threads` threads that the current device runs at once."""
    count, per_processor = _processors(cp.cuda.runtime.getDevice())
    return count * max(1, per_processor // threads)


@functools.cache
def _processors(device):
    properties = cp.cuda.runtime.getDeviceProperties(device)
    return properties["multiProcessorCount"], properties["maxThreadsPerMultiProcessor"]
