"""For modules of `ops`, `accept` and `tiles.reach` that still use what has become a room.

Goes when the last function has its room.
"""

import functools

from .. import plan
from ..accept import Invalid
from ..trouble import Declined


def verdict_of(function):
    """What an accept function answers: None, a reason, or `Invalid`."""

    @functools.wraps(function)
    def accept(*args, **kwargs):
        try:
            function(*args, **kwargs)
        except plan.Invalid as invalid:
            return Invalid(invalid.reason)
        except Declined as declined:
            return declined.reason

    return accept


def op_of(function, image):
    """Op that plans and runs; `image` is the name of its parameter."""

    @functools.wraps(function)
    def op(array, *args, out=None, **kwargs):
        if out is None:
            return function(array, *args, **kwargs).run(**{image: array})
        return function(array, *args, out=out, **kwargs).run(**{image: array}, out=out)

    return op


def raised(refusal):
    """Raise what an accept function has answered."""
    if refusal is not None:
        raise (plan.Invalid if isinstance(refusal, Invalid) else Declined)(refusal)
