"""How many threads a call on the CPU uses."""

import contextlib
import os
from contextvars import ContextVar

_limit = ContextVar("skimage_gpu_backend.threads", default=None)


def count() -> int:
    """Threads that a call may use here and now."""
    cores = len(os.sched_getaffinity(0))
    limit = _limit.get()
    return min(cores, limit) if limit else cores


@contextlib.contextmanager
def limited_to(limit):
    """Context in which calls use at most so many threads; None: what the environment allows."""
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)
