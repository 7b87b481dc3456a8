"""Arrays in managed memory survive a fork: the child gets ordinary memory with what was in them.

CUDA cannot be used in a forked child, and managed memory is not mapped there: the driver
marks it so that a child does not inherit it. Before the fork the blocks that NumPy arrays
lie in are copied to the host, and the child puts the copies where the blocks were.
"""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = _libc.mremap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.mremap.argtypes = [*[ctypes.c_void_p, *[ctypes.c_size_t] * 2], ctypes.c_int, ctypes.c_void_p]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_NO_ACCESS, _READ_WRITE, _PRIVATE_ANONYMOUS, _TO_A_FIXED_PLACE = 0, 3, 0x22, 3
_FAILED = ctypes.c_void_p(-1).value

_copies = []  # (block, address of the copy) while this process forks
_parents = []  # allocations of the parent, whom they belong to: never freed here


def keep_alive(exposed, lock, kept):
    """Have blocks survive the forks of this process.

    Parameters
    ----------
    exposed : callable
        The blocks that NumPy arrays lie in.
    lock : threading.RLock
        Held while the process forks.
    kept : dict
        Memory that the child has not.
    """

    def before():
        lock.acquire()
        for block in exposed():
            place = _libc.mmap(None, block.nbytes, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
            if place == _FAILED:
                raise MemoryError(f"no memory for {block.nbytes} bytes that the child would have")
            _copies.append((block, place))
            try:
                block.pointer().copy_to_host(place, block.nbytes)
            except RuntimeError:  # the device is lost, and what was in its memory
                _libc.mprotect(place, block.nbytes, _NO_ACCESS)

    def in_parent():
        while _copies:
            block, place = _copies.pop()
            _libc.munmap(place, block.nbytes)
        lock.release()

    def in_child():
        for block, place in _copies:
            size = block.nbytes
            _libc.mremap(place, size, size, _TO_A_FIXED_PLACE, block.address)
            block.lives_here = False
        _copies.clear()
        _parents.append(dict(kept))
        kept.clear()
        lock.release()

    os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)


def give_up(allocation, nbytes):
    """In the child: free the memory that stands for an allocation of the parent."""
    _parents.append(allocation)
    _libc.munmap(allocation.ptr, nbytes)
