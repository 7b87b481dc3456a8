"""The names of `cuda_simulator` that tests of single functions use."""

from cuda_simulator import active, thread_order

__all__ = ["active", "thread_order"]
