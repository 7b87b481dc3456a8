"""The simulator's stand-in for `cupyx.scipy.signal`: what image processing uses of it."""

import scipy.signal as _scipy
from cupyx._host import wrapped as _wrapped

__all__ = ["convolve2d"]

convolve2d = _wrapped(
    "convolve2d(in1, in2, mode='full', boundary='fill', fillvalue=0)",
    _scipy.convolve2d,
    ("in1", "in2"),
)
