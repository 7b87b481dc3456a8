"""The simulator's stand-in for `cupyx.scipy.fft`: SciPy's transforms; single stays single.

A plan says what cuFFT shall prepare; here there is nothing to prepare.
"""

import scipy.fft as _scipy
from cupy.fft import fftfreq, fftshift, ifftshift, rfftfreq
from cupyx._host import wrapped as _wrapped

from cuda_simulator import faults as _faults

_OF_AN_AXIS = "fft ifft rfft irfft hfft ihfft"
_OF_A_PLANE = "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2"
_OF_ALL = "fftn ifftn rfftn irfftn hfftn ihfftn"
_SIGNATURES = {
    _OF_AN_AXIS: "(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None)",
    _OF_A_PLANE: "(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None)",
    _OF_ALL: "(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None)",
    "dct dst idct idst": "(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False)",
    "dctn dstn idctn idstn": "(x, type=2, s=None, axes=None, norm=None, overwrite_x=False)",
}
_transforms = {}
for _names, _signature in _SIGNATURES.items():
    for _name in _names.split():
        _host = _faults.meeting("fft", getattr(_scipy, _name))
        globals()[_name] = _transforms[_name] = _wrapped(
            _name + _signature, _host, ("x",), ("plan",)
        )

__all__ = [
    *_transforms,
    "fftfreq",
    "fftshift",
    "get_fft_plan",
    "ifftshift",
    "next_fast_len",
    "rfftfreq",
]


def next_fast_len(target, real=False):
    """The next length that cuFFT is quick at: a product of 2, 3, 5 and 7."""
    while target and not _is_quick(target):
        target += 1
    return target


def _is_quick(length):
    for prime in (2, 3, 5, 7):
        while length % prime == 0:
            length //= prime
    return length == 1


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan: nothing to prepare."""
    return _Plan()


class _Plan:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
