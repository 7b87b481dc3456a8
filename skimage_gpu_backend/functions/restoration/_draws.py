"""The numbers that C's `rand` gives in glibc after `srand(0)`, on the device.

A number is the sum of those 3 and 31 before it, modulo 2^32, without its lowest bit. So one that is
farther away is a sum of 31 consecutive ones, of which each launch about doubles what there is.

Source: glibc `stdlib/random_r.c`.
"""

import functools
import platform

import numpy as np

from ...device import launch
from ...device.lazy import cp

_SOURCE = "restoration/unwrap.cu"
_BLOCK = 256
_WORDS, _LAG = 31, 28
_FIRST = 1 << 12  # that the host makes
_POLYNOMIAL = np.dtype([("factors", "u4", _WORDS)])


@functools.cache
def is_known():
    """Whether this process's `rand` is glibc's."""
    return platform.libc_ver()[0] == "glibc"


def draws(count):
    """So many numbers, in uint32, each with its lowest bit, which `rand` leaves out."""
    result = cp.empty(max(count, _FIRST), "uint32")
    result[:_FIRST] = cp.asarray(_first())
    known = _FIRST
    while known < count:
        most = min(count, 2 * known - 2 * _WORDS + 1)
        far = np.array([(_far(known - _WORDS),)], _POLYNOMIAL)[0]
        args = result, known, most, far, result
        launch(_SOURCE, "grow", args, work=most - known, block=_BLOCK)
        known = most
    return result


@functools.cache
def _first():
    words = [1]
    for _ in range(_WORDS - 1):
        words.append(16807 * words[-1] % (2**31 - 1))
    words += words[:3]
    while len(words) < 344 + _FIRST:
        words.append((words[-3] + words[-_WORDS]) % 2**32)
    return np.array(words[344:], "uint32")


@functools.lru_cache(maxsize=64)
def _far(steps):
    """Factors of the 31 numbers that give the one so many steps after the first of them."""
    result, square = [1] + [0] * (_WORDS - 1), [0, 1] + [0] * (_WORDS - 2)
    while steps:
        if steps & 1:
            result = _product(result, square)
        square = _product(square, square)
        steps >>= 1
    return tuple(result)


def _product(a, b):
    """Of polynomials modulo x^31 - x^28 - 1 and 2^32."""
    result = [0] * (2 * _WORDS - 1)
    for i, x in enumerate(a):
        for k, y in enumerate(b):
            result[i + k] += x * y
    for i in range(2 * _WORDS - 2, _WORDS - 1, -1):
        result[i - _WORDS + _LAG] += result[i]
        result[i - _WORDS] += result[i]
    return [each % 2**32 for each in result[:_WORDS]]
