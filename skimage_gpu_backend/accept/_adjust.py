"""Calls that adjust_gamma, adjust_log and adjust_sigmoid of skimage.exposure take."""

from numbers import Real

import numpy as np

from ._verdict import Invalid


def adjust_gamma(image, gamma=1, gain=1):
    if isinstance(gamma, Real) and gamma < 0:
        return Invalid("gamma is negative")
    return _adjustment(image, gamma=gamma, gain=gain)


def adjust_log(image, gain=1, inv=False):
    return _adjustment(image, gain=gain, inv=inv)


def adjust_sigmoid(image, cutoff=0.5, gain=10, inv=False):
    return _adjustment(image, cutoff=cutoff, gain=gain, inv=inv)


def _adjustment(image, **parameters):
    for name, value in parameters.items():
        if not isinstance(value, Real) and not isinstance(value, np.bool_):
            return f"{name} is not a number"
    if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
        return (
            "integers of 32 and 64 bits show the last bits of powers and logarithms, which"
            " differ on a GPU"
        )
    return None
