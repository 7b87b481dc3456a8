"""Kernels compiled for the host, which read and write the memory of NumPy arrays."""

import threading
from concurrent.futures import ThreadPoolExecutor

from cuda_simulator import library, settings
from cuda_simulator.engine import engine
from cuda_simulator.launch import layout, scalar

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
        self._layout = layout(entry)

    def __call__(self, grid, block, args, shared):
        values = []
        for value, is_pointer in zip(args, self._are_pointers, strict=True):
            if is_pointer:
                value = 0 if value is None else value.__array_interface__["data"][0]
            else:
                _, value = scalar(value)
            values.append(value)
        grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        block, flags = ((1, 1, 1), 0) if self._entry.flat else (block, settings.launch_flags())
        packed = self._layout.pack(*values)
        if self._run(self._entry.address, packed, *grid, *block, int(shared), 0, flags):
            raise RuntimeError(engine().sim_engine_error().decode())


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
