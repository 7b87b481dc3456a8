"""Kernels compiled for the host, which read and write the memory of NumPy arrays."""

import struct
import threading
from concurrent.futures import ThreadPoolExecutor

from cuda_simulator import library, settings
from cuda_simulator.engine import engine

from ...device.source import kernel_source
from .. import CPU

_lock = threading.Lock()


class Kernel:
    """A kernel, called as those of `device.loading`.

    Parameters
    ----------
    entry : cuda_simulator.library.Entry
    """

    def __init__(self, entry):
        self._entry, self._run = entry, engine().sim_launch
        self._are_pointers = [parameter.kind in "rw" for parameter in entry.parameters]
        self._layout = _layout(entry.parameters)

    def __call__(self, grid, block, args, shared):
        values = []
        for value, is_pointer in zip(args, self._are_pointers, strict=True):
            if is_pointer:
                value = 0 if value is None else value.__array_interface__["data"][0]
            else:
                value = _as_bytes(value)
            values.append(value)
        grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        block, flags = ((1, 1, 1), 0) if self._entry.flat else (block, settings.launch_flags())
        packed = self._layout.pack(*values)
        if self._run(self._entry.address, packed, *grid, *block, int(shared), 0, flags):
            raise RuntimeError(engine().sim_engine_error().decode())


def _layout(parameters):
    """How arguments lie in memory: addresses, and values as bytes."""
    parts, end = ["<"], 0
    for parameter in parameters:
        parts.append(f"{parameter.offset - end}x" if parameter.offset > end else "")
        parts.append("Q" if parameter.kind in "rw" else f"{parameter.size}s")
        end = parameter.offset + parameter.size
    return struct.Struct("".join(parts))


def _as_bytes(value):
    """A scalar as a kernel takes it: `int` is ``long long``, `float` is ``double``."""
    if type(value) is int:
        return value.to_bytes(8, "little", signed=value < 2**63)
    if type(value) is float:
        return struct.pack("<d", value)
    return bytes((value,)) if type(value) is bool else value.tobytes()


def load(kernels, loaded):
    """Have kernels in `loaded`, under `CPU`; those that are to be compiled are compiled together.

    Parameters
    ----------
    kernels : sequence of (str, str)
        Source below ``kernels/`` and name expression.
    loaded : dict
    """
    with _lock:
        missing = [each for each in dict.fromkeys(kernels) if (*each, CPU) not in loaded]
        with ThreadPoolExecutor(max(1, min(len(missing), 8))) as pool:
            for each, kernel in zip(missing, pool.map(_compiled, missing), strict=True):
                loaded[(*each, CPU)] = kernel


def _compiled(kernel):
    source, expression = kernel
    module = library.load(kernel_source(source), (expression,), library.build_key())
    return Kernel(module.entries[expression])
