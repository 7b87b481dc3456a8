"""`cupy.cuda.function`: modules that are loaded, and their kernels."""

import operator

from cuda_simulator import image, library
from cuda_simulator.launch import Launcher

from . import driver, memory, runtime

MAX_SHARED = 48 << 10  # bytes that a block may have without asking
_INVALID_VALUE, _INVALID_IMAGE, _NOT_FOUND = 1, 200, 500


class Module:
    """A module of kernels, loaded from what NVRTC's stand-in compiled."""

    def __init__(self):
        self.mapping = None
        self._loaded = {}

    def load(self, cubin):
        """Load a module; an error where the bytes are none for this device."""
        runtime.getDevice()
        try:
            self._code, self._expressions, self._options = image.unpacked(bytes(cubin))
        except ValueError:
            raise driver.CUDADriverError(_INVALID_IMAGE) from None

    def get_function(self, name):
        """The kernel of a lowered name, or of an expression that has one in `mapping`."""
        name = (self.mapping or {}).get(name, name)
        if name not in self._expressions:
            raise not_found(name)
        is_exact = library.is_for_any_block_size(self._code)
        return Function(lambda build: self._of(build).entries[name], is_exact, self)

    def get_global_var(self, name):
        """Pointer to a ``__device__`` or ``__constant__`` variable."""
        return variable(self._of(library.build_key()), name, self)

    def _set_mapping(self, mapping):
        self.mapping = mapping

    def _of(self, build):
        if build not in self._loaded:
            self._loaded[build] = library.load(self._code, self._expressions, build, self._options)
        return self._loaded[build]


class Function:
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
        self.shared_limit = MAX_SHARED

    def __call__(
        self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False
    ):
        launcher = self.launcher()
        static = launcher.static_shared
        grid, block = _checked(grid, block, shared_mem, self.shared_limit, static or 0)
        launcher(grid, block, args, shared_mem)
        if static is None:  # how much there is, the first launch shows
            _checked(grid, block, shared_mem, self.shared_limit, launcher.static_shared)

    def launcher(self):
        """What runs the kernel in the mode that is set; compiled at the first time."""
        build = library.build_key()
        launcher = self._launchers.get(build)
        if launcher is None:
            from .._ndarray import ndarray

            launcher = Launcher(self._entry(build), ndarray, self._is_exact)
            self._launchers[build] = launcher
        return launcher


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
    for number in (*grid, *block, shared_bytes):
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
