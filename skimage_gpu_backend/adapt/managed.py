"""Managed memory: blocks that host and device both address, and arrays in them.

The CUDA driver moves its pages to the side that touches them. Blocks are kept for later
arrays like those of CuPy's pool, by device and stream, with two differences: a block whose
pages the host has is given back, since what is in them would cross the bus when a kernel
writes over it; and none is made that does not fit into free device memory, where the
driver would let arrays push each other out, or into its last quarter, which calls need.
"""

import contextlib
import functools
import mmap
import os
import sys
import threading
import weakref

import cupy as cp
import numpy as np

from . import fork, resident

LEAST = 16 << 10  # bytes; smaller results are looked at at once, or cost a page fault more
_ROUND = 64 << 10  # bytes: the pieces in which the driver gives device memory to pages
_SAMPLES = 16  # pages of a block that are asked for
_DTYPES = frozenset("?bBhHiIlLqQefdFD")  # that CuPy has
_PRESENT = 0x80  # in the last byte of a page's entry

_lock = threading.RLock()  # a block may be collected while another is being made
_kept = {}  # (device, `_identity` of the stream, bytes) -> allocations
_live = weakref.WeakValueDictionary()  # address -> Block
_thread = threading.local()  # .own: what a thread's own stream is known by
refusal = None  # why the driver would give no managed memory, when it was last asked


class Block:
    """One piece of managed memory that arrays lie in.

    Attributes
    ----------
    address, nbytes, device : int
    lives_here : bool
        Whether this process may use it on the device: false in a forked child.
    exposed : bool
        Whether a NumPy array lies in it.
    """

    __slots__ = (
        "__weakref__",
        "_allocation",
        "_key",
        "address",
        "device",
        "exposed",
        "lives_here",
        "nbytes",
    )

    def __init__(self, key, allocation):
        self._key = key
        self._allocation = allocation
        self.device, _, self.nbytes = key
        self.address = allocation.ptr
        self.lives_here = True
        self.exposed = False
        _live[self.address] = self

    def __del__(self, finalizing=sys.is_finalizing):
        if finalizing():
            return
        if not self.lives_here:
            fork.give_up(self._allocation, self.nbytes)
        elif not (_has_ended(self._key) or (self.exposed and _host_has(self.address, self.nbytes))):
            with _lock:
                _kept.setdefault(self._key, []).append(self._allocation)

    def pointer(self, offset=0):
        """CuPy's pointer into the block, for the current device."""
        device = cp.cuda.runtime.getDevice()
        memory = cp.cuda.UnownedMemory(self.address, self.nbytes, self, device)
        return cp.cuda.MemoryPointer(memory, offset)


@functools.cache
def why_not(device) -> str | None:
    """Why results cannot stay on a device, None where they can."""
    attribute = cp.cuda.runtime.cudaDevAttrConcurrentManagedAccess
    if cp.cuda.runtime.deviceGetAttribute(attribute, device):
        return None
    return (
        f"device {device} cannot share memory with the host while it works"
        " (concurrentManagedAccess is 0), so results cannot stay on it"
    )


@contextlib.contextmanager
def allocations():
    """Have the arrays of this thread made in managed memory inside a ``with`` block."""
    ordinary = cp.cuda.get_allocator()

    def allocate(size):
        block = _block(size) if size >= LEAST else None
        return ordinary(size) if block is None else block.pointer()

    with cp.cuda.using_allocator(allocate):
        yield


def free_kept():
    """Give the memory that is kept for later arrays back to the driver."""
    with _lock:
        _kept.clear()


def nbytes() -> int:
    """Bytes of managed memory on the current device: arrays' and what is kept for later ones."""
    device = cp.cuda.runtime.getDevice()
    with _lock:
        kept = sum(key[2] * len(there) for key, there in _kept.items() if key[0] == device)
    return kept + sum(block.nbytes for block in list(_live.values()) if block.device == device)


def _host_has(address, nbytes):
    """Whether pages of a block are mapped on the host, told from a sample of them.

    Pages that are on the device are not. Where the system does not tell, the answer is no.
    """
    first, count = address // mmap.PAGESIZE, nbytes // mmap.PAGESIZE
    pages = {*range(0, count, max(1, count // _SAMPLES)), count - 1}
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as map_of_pages:
            file = map_of_pages.fileno()
            return any(os.pread(file, 8, 8 * (first + page))[7] & _PRESENT for page in pages)
    except OSError:
        return False


def _fits(size):
    free, total = cp.cuda.runtime.memGetInfo()
    pool = cp.get_default_memory_pool()
    if limit := pool.get_limit():  # it holds for all that we use
        total = min(total, limit)
        free = min(free, limit - pool.used_bytes() - nbytes())
    return size <= free - total // 4


class _Own:
    """A thread's own stream, while the thread lives."""

    __slots__ = ("__weakref__",)


def _identity(stream):
    """What tells a stream from others.

    By ``CUPY_CUDA_PER_THREAD_DEFAULT_STREAM=1`` the default stream is another one in each thread,
    and has the same number in all of them.
    """
    if stream != cp.cuda.runtime.streamPerThread:
        return stream
    own = getattr(_thread, "own", None)
    if own is None:
        own = _thread.own = _Own()
    return weakref.ref(own)


def _has_ended(key):
    """Whether the stream of a key was of a thread that is no more: nobody can use it again."""
    stream = key[1]
    return isinstance(stream, weakref.ref) and stream() is None


def _block(size):
    """A block for so many bytes, on the device.

    None where it does not fit there, or where the driver refuses it (some virtual GPUs and
    parts of GPUs have no managed memory, whatever their attributes say).
    """
    global refusal
    nbytes = -(-size // _ROUND) * _ROUND
    stream = cp.cuda.get_current_stream().ptr
    key = cp.cuda.runtime.getDevice(), _identity(stream), nbytes
    with _lock:
        there = _kept.get(key)
        if there:
            return Block(key, there.pop())
        for ended in filter(_has_ended, list(_kept)):
            del _kept[ended]
    if not _fits(nbytes):
        free_kept()
        if not _fits(nbytes):
            return None
    try:
        block = Block(key, cp.cuda.malloc_managed(nbytes).mem)
    except cp.cuda.runtime.CUDARuntimeError as error:
        refusal = f"the driver gives no managed memory: {error}"
        return None
    _prefetch(block.address, nbytes, block.device, stream)
    return block


def _prefetch(address, nbytes, device, stream):
    """Bring pages to the device at once; where the driver does not, kernels fetch them."""
    with contextlib.suppress(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.runtime.memPrefetchAsync(address, nbytes, device, stream)


def as_numpy(array, apart_from) -> np.ndarray | None:
    """NumPy array over the memory of a device array, once the device has finished.

    What does not lie in a block of ours, or neither in C nor in Fortran order, is copied into one
    on the device.

    Parameters
    ----------
    array : cupy.ndarray
    apart_from : collection of Block
        Those of the caller's arrays, which the result is not to share memory with.

    Returns
    -------
    numpy.ndarray or None
        None where the array is small, or where there is no room for it.
    """
    if array.nbytes < LEAST:
        return None
    if array.flags.fnc:
        found = as_numpy(array.T, apart_from)
        return None if found is None else found.T
    block = _live.get(array.data.mem.ptr)
    if block is None or block in apart_from or not array.flags.c_contiguous:
        block = _block(array.nbytes)
        if block is None:
            return None
        there = cp.ndarray(array.shape, array.dtype, block.pointer())
        there[...] = array
        array = there
    block.exposed = True
    buffer = resident.over(block, array.data.ptr, array.nbytes)
    return np.ndarray(array.shape, array.dtype, buffer)


def as_cupy(array):
    """Device array over the memory of a NumPy array in a block, None for other arrays.

    Its pages are brought to the device at once, where kernels would fetch them one by one.
    """
    block = resident.block_of(array)
    dtype = array.dtype
    if block is None or dtype.char not in _DTYPES or not dtype.isnative:
        return None
    if not array.flags.aligned or array.size == 0:
        return None
    device, stream = cp.cuda.runtime.getDevice(), cp.cuda.get_current_stream().ptr
    if why_not(device):
        return None
    address = array.__array_interface__["data"][0]
    low, high = address, address + array.nbytes
    if not array.flags.forc:
        low, high = np.lib.array_utils.byte_bounds(array)
    _prefetch(low, high - low, device, stream)
    pointer = block.pointer(address - block.address)
    return cp.ndarray(array.shape, dtype, pointer, array.strides)


def _exposed():
    return [block for block in list(_live.values()) if block.exposed and block.lives_here]


fork.keep_alive(_exposed, _lock, _kept)
