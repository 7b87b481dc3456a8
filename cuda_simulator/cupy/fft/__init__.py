"""`cupy.fft`: as cuFFT, single precision stays single; SciPy computes."""

import functools
import operator

import numpy as np
import scipy.fft

from cuda_simulator import faults

from .._declare import declared
from .._dtypes import cast
from .._ndarray import from_host

_MODULE = "cupy.fft"
_ALONG_AXIS = "fft ifft rfft irfft hfft ihfft"
_PLANES = "fft2 ifft2 rfft2 irfft2"
_ALL_AXES = "fftn ifftn rfftn irfftn"
_SIGNATURES = {
    _ALONG_AXIS: "(a: array, n=None, axis=-1, norm=None)",
    _PLANES: "(a: array, s=None, axes=(-2, -1), norm=None)",
    _ALL_AXES: "(a: array, s=None, axes=None, norm=None)",
}

__all__ = [
    *(f"{_ALONG_AXIS} {_PLANES} {_ALL_AXES}").split(),
    "fftfreq",
    "fftshift",
    "ifftshift",
    "rfftfreq",
]


def _of_reals(transform):
    """A transform of real numbers, which casts where SciPy refuses."""

    def call(a, *args, **kwargs):
        if a.dtype.kind == "c":
            a = cast(a, np.empty(0, a.dtype).real.dtype)
        return transform(a, *args, **kwargs)

    return call


def _of_axes(call):
    """Transforms along several axes ask for their number before they look at what they got."""

    @functools.wraps(call)
    def asked(a, *args, **kwargs):
        operator.attrgetter("ndim")(a)
        return call(a, *args, **kwargs)

    return asked


for _names, _signature in _SIGNATURES.items():
    for _name in _names.split():
        _host = faults.meeting("fft", getattr(scipy.fft, _name))
        _host = _of_reals(_host) if _name.startswith(("rfft", "ihfft")) else _host
        _call = declared(_name + _signature, _host, _MODULE)
        globals()[_name] = _call if _names == _ALONG_AXIS else _of_axes(_call)

fftshift = declared("fftshift(x: arraylike, axes=None)", np.fft.fftshift, _MODULE)
ifftshift = declared("ifftshift(x: arraylike, axes=None)", np.fft.ifftshift, _MODULE)


def fftfreq(n, d=1.0):
    """Frequencies of the results of `fft`."""
    return from_host(np.fft.fftfreq(n, d))


def rfftfreq(n, d=1.0):
    """Frequencies of the results of `rfft`."""
    return from_host(np.fft.rfftfreq(n, d))
