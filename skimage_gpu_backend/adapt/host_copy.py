"""Copies between arrays of the host by several threads: one alone is slower than the bus."""

import functools
import itertools
import os
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

# Bytes for each thread at least: some hundred microseconds, beside which its start does not count.
LEAST = 2 << 20
# A core copies some 10 GB/s, the bus takes 25 to 60. Not yet measured beside a GPU.
THREADS = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 4)


def copy(target, source):
    """Copy a NumPy array into another one of its shape, whatever their layouts and dtypes."""
    parts = min(THREADS, target.nbytes // LEAST, len(target) if target.ndim else 1)
    if parts < 2:
        np.copyto(target, source)
        return
    borders = [len(target) * number // parts for number in range(parts + 1)]
    rows = [slice(*pair) for pair in itertools.pairwise(borders)]
    others = [_threads(THREADS).submit(np.copyto, target[r], source[r]) for r in rows[1:]]
    try:
        np.copyto(target[rows[0]], source[rows[0]])
    finally:  # after Ctrl-C, too: who owns the memory may use it for something else
        wait(others)
    for other in others:
        other.result()


@functools.cache
def _threads(count):
    return ThreadPoolExecutor(count, thread_name_prefix="skimage-gpu-copy")
