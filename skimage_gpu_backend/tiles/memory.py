"""Device memory: what is free, what we may use, and the caches.

``SKIMAGE_GPU_MEMORY_LIMIT`` bounds CuPy's memory pool, from which all our arrays come (and those
of a program that uses CuPy beside us): bytes, with a suffix ``K``, ``M``, ``G`` or ``T`` for powers
of 1024, or a share of the device's memory as ``80%``, as CuPy's own ``CUPY_GPU_MEMORY_LIMIT``.
"""

import re

import cupy as cp

from ..adapt import managed
from ..availability import DeviceTrouble
from ..environ import reader

_limit = reader("SKIMAGE_GPU_MEMORY_LIMIT")
_applied = None  # the text that the pools' bounds were made from
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# Share of the free bytes that is planned with: blocks of other sizes lie between.
_SHARE = 0.8


def apply_limit():
    """Bound CuPy's pools as the environment variable says now.

    Raises
    ------
    DeviceTrouble
        The variable is no number of bytes and no share.
    """
    global _applied
    text = _limit()
    if text == _applied:
        return
    size, fraction = _parsed(text or "0")
    for device in range(cp.cuda.runtime.getDeviceCount()):
        with cp.cuda.Device(device):
            cp.get_default_memory_pool().set_limit(size=size, fraction=fraction)
    _applied = text


def _parsed(text):
    """Bytes and None, or None and a share."""
    if found := re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*%\s*", text):
        return None, min(1.0, float(found[1]) / 100)
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not found:
        raise DeviceTrouble(
            "SKIMAGE_GPU_MEMORY_LIMIT is a number of bytes, as 6G, or a share, as 80%;"
            f" it is {text!r}"
        )
    return int(float(found[1]) * _UNITS[found[2].upper()]), None


def available() -> int:
    """Bytes that a call may plan with on the current device."""
    pool = cp.get_default_memory_pool()
    free = cp.cuda.runtime.memGetInfo()[0] + pool.free_bytes()
    if limit := pool.get_limit():
        free = min(free, limit - pool.used_bytes() - managed.nbytes())
    return int(_SHARE * free)


def counts() -> list[dict]:
    """Bytes of each device, as `skimage_gpu_backend.memory` tells them."""
    apply_limit()
    devices = []
    for number in range(cp.cuda.runtime.getDeviceCount()):
        with cp.cuda.Device(number):
            pool = cp.get_default_memory_pool()
            free, total = cp.cuda.runtime.memGetInfo()
            devices.append(
                {
                    "total": total,
                    "free": free,
                    "used": pool.used_bytes(),
                    "cached": pool.free_bytes(),
                    "managed": managed.nbytes(),
                    "limit": pool.get_limit() or None,
                }
            )
    return devices


def forget():
    """Give CuPy's free blocks back, of all devices, and its free pinned memory."""
    for number in range(cp.cuda.runtime.getDeviceCount()):
        with cp.cuda.Device(number):
            cp.get_default_memory_pool().free_all_blocks()
    cp.get_default_pinned_memory_pool().free_all_blocks()
