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


def write_back(found, arguments, write):
    """The result of a function that writes into its arguments, when that is done.

    Parameters
    ----------
    found : Written
    arguments : dict
        The caller's, by the names of parameters.
    write : callable
        Takes the caller's array and a device array with what is to be in it, and returns whether
        the caller gets the argument itself where that array is the result.

    Returns
    -------
    result
    """
    result = found.result
    for name, array in found.arrays.items():
        given = arguments[name]
        if given.dtype != array.dtype:  # in the other byte order: scikit-image writes into a copy
            continue
        if write(given, array) and result is array:
            result = given
    return result


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
