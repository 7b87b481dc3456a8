"""`cupy.cuda.thrust`: where what goes wrong in a sort is raised; NumPy sorts."""

import functools

from cuda_simulator import counters, faults

__all__ = ["available"]

available = True


def sorting(function):
    """`function`, which sorts on the host what Thrust would on the device."""
    counters.sorts()

    @functools.wraps(function)
    def sort(*args, **kwargs):
        faults.meet("sort")
        return function(*args, **kwargs)

    return sort
