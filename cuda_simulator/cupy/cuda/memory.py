"""`cupy.cuda.memory`: pieces of device memory, pointers into them, the pool and its error."""

import ctypes
import threading

from cuda_simulator import faults, pages

__all__ = [
    "BaseMemory",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "set_allocator",
]


class OutOfMemoryError(MemoryError):
    """Out of memory error."""

    def __init__(self, size, total, limit=0):
        self._size = size
        self._total = total
        self._limit = limit
        message = f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes"
        message += f", limit set to: {limit:,} bytes)." if limit else ")."
        super().__init__(message)

    def __reduce__(self):
        return type(self), (self._size, self._total, self._limit)


class BaseMemory:
    """A piece of memory on a device: ``ptr``, ``size`` and ``device_id``."""

    __slots__ = ("__weakref__", "device_id", "ptr", "size")
    _shift = 0  # from the host's address to the device's, in managed memory

    def __int__(self):
        return self.ptr

    @property
    def device(self):
        """The device that has the memory."""
        from .device import Device

        return Device(self.device_id)


class UnownedMemory(BaseMemory):
    """Memory of somebody else, who is kept alive.

    Parameters
    ----------
    ptr : int
        Address.
    size : int
        Bytes.
    owner : object
        What frees the memory when it is gone.
    device_id : int
        Device of the memory, the current one by default.
    """

    __slots__ = ("_owner", "_shift")

    def __init__(self, ptr, size, owner, device_id=-1):
        from . import runtime

        if ptr == 0 and device_id < 0:
            raise RuntimeError("UnownedMemory requires explicit device ID for a null pointer.")
        self._shift = pages.shift(ptr)
        self.ptr = ptr
        self.size = size
        self.device_id = runtime.getDevice() if device_id < 0 else device_id
        self._owner = owner


class MemoryPointer:
    """An address in a piece of memory, so many bytes from its start."""

    __slots__ = ("mem", "ptr")

    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + offset

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def __iadd__(self, offset):
        self.ptr += offset
        return self

    def __sub__(self, offset):
        return self + -offset

    def __isub__(self, offset):
        self.ptr -= offset
        return self

    def __repr__(self):
        return f"<MemoryPointer 0x{self.ptr:x} device={self.device_id} mem={self.mem!r}>"

    @property
    def device_id(self):
        """Index of the device."""
        return self.mem.device_id

    @property
    def device(self):
        """The device that has the memory."""
        return self.mem.device

    @property
    def _address(self):
        """Where the device finds it."""
        return self.ptr + self.mem._shift

    def copy_from_device(self, src, size):
        """Copy bytes that another pointer points at."""
        ctypes.memmove(self._address, src._address, size)

    def copy_from_device_async(self, src, size, stream=None):
        """Copy bytes that another pointer points at."""
        self.copy_from_device(src, size)

    def copy_from_host(self, mem, size):
        """Copy bytes from the host."""
        faults.meet("to_device")
        ctypes.memmove(self._address, mem, size)

    def copy_from_host_async(self, mem, size, stream=None):
        """Copy bytes from the host."""
        self.copy_from_host(mem, size)

    def copy_from(self, mem, size):
        """Copy bytes from a device pointer or from the host."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        """Copy bytes from a device pointer or from the host."""
        self.copy_from(mem, size)

    def copy_to_host(self, mem, size):
        """Copy bytes to the host."""
        faults.meet("to_host")
        ctypes.memmove(mem, self._address, size)

    def copy_to_host_async(self, mem, size, stream=None):
        """Copy bytes to the host."""
        self.copy_to_host(mem, size)

    def memset(self, value, size):
        """Set bytes."""
        ctypes.memset(self._address, value, size)

    def memset_async(self, value, size, stream=None):
        """Set bytes."""
        self.memset(value, size)


class MemoryPool:
    """The pool that all arrays come from; every object of this class is a view of it."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        """A pointer to new memory."""
        return _malloc(size)

    def used_bytes(self):
        """Bytes of all arrays that are alive."""
        from .. import _memory

        return _memory.used_bytes()

    def free_bytes(self):
        """Bytes that are kept for later arrays."""
        from .. import _memory

        return _memory.free_bytes()

    def total_bytes(self):
        """Bytes in use and bytes kept."""
        return self.used_bytes() + self.free_bytes()

    def n_free_blocks(self):
        """Number of blocks that are kept for later arrays."""
        from .. import _memory

        return _memory.free_blocks()

    def free_all_blocks(self, stream=None):
        """Give what is kept for later arrays back."""
        from .. import _memory

        _memory.free_all_blocks()

    def free_all_free(self):
        """The former name of `free_all_blocks`."""
        self.free_all_blocks()

    def set_limit(self, size=None, fraction=None):
        """Bound the bytes of the current device's arrays; 0 is no bound."""
        from .. import _memory
        from . import runtime

        if size is not None and fraction is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        if size is None and fraction is None:
            size = 0
        if size is None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * runtime.memGetInfo()[1])
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        _memory.set_limit(size)

    def get_limit(self):
        """Bytes that the current device's arrays may have, 0 where there is no limit."""
        from .. import _memory

        return _memory.limit()


_chosen = threading.local()  # .allocator inside `cupy.cuda.using_allocator`


def _malloc(size):
    from .._memory import Memory

    return MemoryPointer(Memory(size), 0)


def alloc(size):
    """A pointer to so many bytes of new memory, from the thread's allocator."""
    return get_allocator()(size)


def get_allocator():
    """The function that gives memory to this thread's arrays."""
    return getattr(_chosen, "allocator", None) or _malloc


def set_allocator(allocator=None):
    """Refused: the memory of all threads comes from the simulator, which counts it."""
    raise NotImplementedError("the simulator has allocators of threads: cupy.cuda.using_allocator")
