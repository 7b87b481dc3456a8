"""Calls with device arrays that run on the host: there, scikit-image, and back."""

import warnings

import numpy as np

from .kinds import CUPY, kind_of
from .values import replace


def call_on_host(original, args, kwargs):
    """Run scikit-image's `original` on host copies; arrays come back as device arrays.

    What the function writes into its arguments (``out=``, in-place functions) is written
    into the caller's device arrays. Scalars stay scalars.
    """
    from .transfer import to_device, to_host

    copies = {}  # id -> (caller's array, host copy, what was in it)

    def on_host(value):
        if kind_of(value) is not CUPY:
            return value
        if id(value) not in copies:
            copy = np.asarray(to_host(value))
            copies[id(value)] = (value, copy, copy.copy())
        return copies[id(value)][1]

    result = original(
        *(replace(value, on_host) for value in args),
        **{name: replace(value, on_host) for name, value in kwargs.items()},
    )
    callers = {}
    for array, copy, before in copies.values():
        callers[id(copy)] = array
        if not np.array_equal(copy, before, equal_nan=True):
            array.set(copy)

    def as_callers(value):
        if id(value) in callers:
            return callers[id(value)]
        return to_device(value) if type(value) is np.ndarray and value.dtype != object else value

    return replace(result, as_callers)


def raise_as_scikit_image(original, args, kwargs):
    """Let scikit-image refuse the arguments before any data moves.

    Device arrays are stood in for by arrays of their shape and dtype that occupy one
    element. Returns if scikit-image does not raise.
    """

    def stand_in(value):
        if kind_of(value) is not CUPY:
            return value
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        original(
            *(replace(value, stand_in) for value in args),
            **{name: replace(value, stand_in) for name, value in kwargs.items()},
        )
