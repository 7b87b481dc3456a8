"""Kernels compiled for the host, which read and write the memory of NumPy arrays."""

import ctypes
import os
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cuda_simulator import library, settings
from cuda_simulator.compiler import CompileError
from cuda_simulator.launch import scalar

from ...device.source import kernel_source
from ...trouble import KernelCompileError
from .. import CPU
from . import threads
from .engine import engine

_HEADER = "Q6I"  # of a `Request` in engine.cpp
# In `struct`, formats of scalars that it packs as they are.
_FORMATS = {float: "d", bool: "?", np.bool_: "?"}
_FORMATS |= {np.float16: "e", np.float32: "f", np.float64: "d"}
_FORMATS |= {np.dtype(c).type: " bh i   q"[np.dtype(c).itemsize] for c in "bhilq"}
_FORMATS |= {np.dtype(c).type: " BH I   Q"[np.dtype(c).itemsize] for c in "BHILQ"}
_DATA = object.__basicsize__  # where NumPy's C API has the address of an array's elements

_lock = threading.Lock()


def _renew_lock():
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # a thread that does not exist there may hold it


class Kernel:
    """A kernel, called as those of `device.loading`.

    Parameters
    ----------
    entry : cuda_simulator.library.Entry
    """

    def __init__(self, entry):
        if not entry.flat:
            raise ValueError(f"kernel {entry.name} cannot run with one thread per block")
        self._entry, self._run = entry, engine().engine_launch
        self._packers = {}  # by the types of the arguments

    def __call__(self, grid, block, args, shared):
        types = tuple(map(type, args))
        packer = self._packers.get(types)
        if packer is None:
            packer = self._packers[types] = self._packer(args)
        pack, conversions = packer
        values = [convert(value) for convert, value in zip(conversions, args, strict=True)]
        x, y, z = (*grid, 1, 1)[:3]
        request = pack(self._entry.address, x, y, z, shared, threads.count(), 0, *values)
        if self._run(request):
            raise RuntimeError(f"{self._entry.name}: {engine().engine_error().decode()}")

    def _packer(self, args):
        """Function that packs a request with arguments of these types, and their conversions."""
        name, parameters = self._entry.name, self._entry.parameters
        if len(args) != len(parameters):
            raise TypeError(f"{name} takes {len(parameters)} arguments, not {len(args)}")
        formats, conversions, end = ["=", _HEADER], [], 0
        for parameter, value in zip(parameters, args, strict=True):
            try:
                code, convert = _packed(value, parameter)
            except TypeError as error:
                raise TypeError(f"argument {len(conversions) + 1} of {name} {error}") from None
            formats += f"{parameter.offset - end}x", code
            conversions.append(convert)
            end = parameter.offset + parameter.size
        return struct.Struct("".join(formats)).pack, conversions


def _packed(value, parameter):
    """Format of an argument of this value's type, and what makes of it what is packed."""
    if parameter.kind in "rw":
        if isinstance(value, np.ndarray):
            return "Q", _address
        if value is None:
            return "Q", lambda _: 0
    elif scalar(value)[0] == (parameter.kind, parameter.size):
        code = _FORMATS.get(type(value))
        if code is None:
            return f"{parameter.size}s", lambda value: scalar(value)[1]
        return code, lambda value: value
    raise TypeError(f"is {value!r} ({type(value).__name__}), but should be {parameter}")


def _address(array):
    """Address of an array's elements. `__array_interface__` takes ten times as long to tell it."""
    return ctypes.c_void_p.from_address(id(array) + _DATA).value


def compiled(code, expression):
    """A kernel of a CUDA source.

    Parameters
    ----------
    code : str
    expression : str
        Its name expression, as ``"convert<float, 3>"``.

    Returns
    -------
    Kernel
    """
    # for one thread per block, without sanitizers, in IEEE arithmetic; optimized but in tests,
    # which compile many kernels
    key = False, (), False, settings.optimize(), ()
    module = library.load(code, (expression,), key, api=engine().engine_api())
    return Kernel(module.entries[expression])


def load(kernels, loaded):
    """Have kernels in `loaded`, under `CPU`; those that are to be compiled are compiled together.

    Parameters
    ----------
    kernels : sequence of (str, str)
        Source below ``kernels/`` and name expression.
    loaded : dict

    Raises
    ------
    KernelCompileError
    """
    with _lock:
        missing = [each for each in dict.fromkeys(kernels) if (*each, CPU) not in loaded]
        if not missing:
            return
        with ThreadPoolExecutor(min(len(missing), threads.count())) as pool:
            for each, kernel in zip(missing, pool.map(_of_file, missing), strict=True):
                loaded[(*each, CPU)] = kernel


def _of_file(kernel):
    source, expression = kernel
    try:
        return compiled(kernel_source(source), expression)
    except CompileError as error:
        lines = str(error).splitlines()
        first = next((line for line in lines if "error:" in line), "without a message")
        raise KernelCompileError(
            f"kernel {expression} of kernels/{source} does not compile: {first}"
        ) from error
