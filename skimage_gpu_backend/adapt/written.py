"""Results of functions that also write into their arguments."""

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
