"""Device memory: what is free, what we may use, and the caches.

``SKIMAGE_GPU_MEMORY_LIMIT`` bounds CuPy's memory pool, from which all our arrays come (and those
of a program that uses CuPy beside us): bytes, with a suffix ``K``, ``M``, ``G`` or ``T`` for powers
of 1024, or a share of the device's memory as ``80%``, as CuPy's own ``CUPY_GPU_MEMORY_LIMIT``.
"""

import gc
import itertools

import cupy as cp

from ..adapt import managed, pinned
from ..environ import VARIABLES, reader
from . import devices

_limit = reader("SKIMAGE_GPU_MEMORY_LIMIT")
_UNBOUNDED = VARIABLES["SKIMAGE_GPU_MEMORY_LIMIT"].unset
_applied = {}  # device -> what its pool's bound is
# Share of the free bytes that is planned with: blocks of other sizes lie between.
_SHARE = 0.8


def apply_limit():
    """Bound CuPy's pool of the current device as the environment variable says now.

    Other devices are left alone: to ask for one takes some of its memory.
    """
    limit = _limit()
    if limit == _UNBOUNDED and not _applied:
        return
    device = cp.cuda.runtime.getDevice()
    if limit != _applied.get(device, _UNBOUNDED):
        size, fraction = limit
        cp.get_default_memory_pool().set_limit(size=size, fraction=fraction)
        _applied[device] = limit


def available() -> int:
    """Bytes that a call may plan with on the current device."""
    apply_limit()
    pool = cp.get_default_memory_pool()
    free = cp.cuda.runtime.memGetInfo()[0] + pool.free_bytes()
    if limit := pool.get_limit():
        free = min(free, limit - pool.used_bytes() - managed.nbytes())
    return int(_SHARE * free)


def least_available() -> int:
    """Bytes that a call may plan with on each of the devices."""
    numbers = devices.chosen()
    if not numbers:
        return available()
    found = []
    for number in numbers:
        with cp.cuda.Device(number):
            found.append(available())
    return min(found)


def counts() -> dict[int, dict]:
    """Bytes of our devices, as `skimage_gpu_backend.memory` tells them."""
    return {number: _counts() for number in devices.each()}


def _counts():
    apply_limit()
    pool = cp.get_default_memory_pool()
    free, total = cp.cuda.runtime.memGetInfo()
    return {
        "total": total,
        "free": free,
        "used": pool.used_bytes(),
        "cached": pool.free_bytes(),
        "managed": managed.nbytes(),
        "limit": pool.get_limit() or None,
    }


def pinned_bytes() -> int:
    """Bytes of CuPy's pool of pinned memory, from which our buffers come, too.

    CuPy has no count of them; they are those of the blocks that the pool refers to, used or free.
    """
    blocks = []
    for held in gc.get_referents(cp.get_default_pinned_memory_pool()):
        if isinstance(held, dict):  # by size
            blocks += itertools.chain(*held.copy().values())
        elif isinstance(held, set):
            blocks += held.copy()
    # a program may have given CuPy another allocator
    return max(pinned.nbytes(), sum(block.size for block in blocks))


def forget():
    """Give CuPy's free blocks on our devices back, and its free pinned memory."""
    for _ in devices.each():
        cp.get_default_memory_pool().free_all_blocks()
    cp.get_default_pinned_memory_pool().free_all_blocks()
