"""Memory-mapped files: a call takes them as plain arrays over the same memory."""

import numpy as np

from .values import replace


def is_map(value) -> bool:
    """Whether a value is a memory-mapped file, and of no subclass."""
    return type(value) is np.memmap


def any_map(args, kwargs) -> bool:
    """Whether an argument is one."""
    return np.memmap in map(type, args) or np.memmap in map(type, kwargs.values())


def plain(value):
    """A plain array for a memory-mapped file, also inside tuples, lists and dicts."""
    return replace(value, lambda item: item.view(np.ndarray) if is_map(item) else item)
