"""Results that share memory with what a function still reads or writes."""

from typing import NamedTuple


class Written(NamedTuple):
    """What a plan's `run` returns for such a function.

    Attributes
    ----------
    result
        If it is one of the arrays, the caller gets the argument itself.
    arrays : dict
        By the names of parameters: device arrays of what is to be in the caller's arrays.
        Those are written when all is done, so that a call that fails has changed nothing.
    """

    result: object
    arrays: dict


class Level:
    """A result of a generator that computes its next result from it.

    The caller may change the result before the next one is computed, as with scikit-image.

    Attributes
    ----------
    array
        A device array, or the caller's own array on the host.
    current : callable
        Gives a device array with the elements that the caller's result has now.
    """

    __slots__ = ("array", "current")

    def __init__(self, array):
        self.array = array
        self.current = lambda: array
