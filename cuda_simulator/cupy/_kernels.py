"""Kernels of compiled modules, however CuPy hands them out: launched in the mode that is set."""

import operator

from cuda_simulator import library
from cuda_simulator.launch import Launcher

from .cuda import driver, memory, runtime

MAX_SHARED = 48 << 10  # bytes that a block may have without asking
_INVALID_VALUE, _NOT_FOUND, _ILLEGAL_ADDRESS = 1, 500, 700


class Kernel:
    """A kernel; calling it runs a grid, in the mode that is set.

    Parameters
    ----------
    entry : callable
        Takes the way of compiling, as `library.build_key` gives it; gives the kernel.
    is_exact : bool
        Whether arguments must be what the kernel declares.
    module : object
        What it belongs to.
    """

    def __init__(self, entry, is_exact, module):
        self._entry = entry
        self._is_exact = is_exact
        self._launchers = {}
        self.module = module
        self._shared_limit = MAX_SHARED

    def __call__(
        self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False
    ):
        launcher = self._launcher()
        static = launcher.static_shared
        shared_mem = int(shared_mem)
        grid, block = _checked(grid, block, shared_mem, self._shared_limit, static or 0)
        _check_addresses(args)
        launcher(grid, block, args, shared_mem)
        if static is None:  # how much there is, the first launch shows
            _checked(grid, block, shared_mem, self._shared_limit, launcher.static_shared)

    def _launcher(self):
        """What runs the kernel in the mode that is set; compiled at the first time."""
        build = library.build_key()
        launcher = self._launchers.get(build)
        if launcher is None:
            from ._ndarray import ndarray

            launcher = Launcher(self._entry(build), ndarray, self._is_exact)
            self._launchers[build] = launcher
        return launcher


def _check_addresses(args):
    """Refuse arrays of another device, whose addresses mean nothing without peer access."""
    for argument in args:
        device = getattr(getattr(argument, "_memory", None), "device_id", None)
        if device is not None and argument.size and device != runtime._current():
            error = driver.CUDADriverError(_ILLEGAL_ADDRESS)
            error.add_note(f"an array of device {device} on device {runtime._current()}")
            raise error


def variable(module, name, owner):
    """Pointer to a variable of a compiled module."""
    try:
        address, nbytes = module.variable(name)
    except KeyError:
        raise not_found(name) from None
    return memory.MemoryPointer(memory.UnownedMemory(address, nbytes, owner), 0)


def not_found(name):
    """The driver's error for a name that a module lacks."""
    error = driver.CUDADriverError(_NOT_FOUND)
    error.add_note(f"symbol: {name}")
    return error


def _checked(grid, block, shared_bytes, shared_limit, static_bytes):
    """Grid and block with three dimensions each; an error where a GPU refuses them."""
    runtime.getDevice()  # raises where there is none
    if not (isinstance(grid, tuple) and isinstance(block, tuple)):
        raise TypeError(f"grid and block are tuples, not {type(grid)} and {type(block)}")
    for number in (*grid, *block):
        operator.index(number)
    if shared_bytes < 0:
        raise OverflowError("can't convert negative value to size_t")
    grid = (*grid, 1, 1)[:3]
    block = (*block, 1, 1)[:3]
    if (
        min(grid) < 1
        or min(block) < 1
        or block[0] * block[1] * block[2] > 1024
        or block[2] > 64
        or grid[0] > 2**31 - 1
        or max(grid[1:]) > 65535
        or shared_bytes > shared_limit
        or shared_limit <= MAX_SHARED < static_bytes + shared_bytes
    ):
        error = driver.CUDADriverError(_INVALID_VALUE)
        error.add_note(
            f"grid {grid}, block {block}, {static_bytes} bytes of static and "
            f"{shared_bytes} of dynamic shared memory"
        )
        raise error
    return grid, block
