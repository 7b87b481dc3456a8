"""skimage.restoration.wiener: Fourier transforms are CuPy's.

Cost: 2 launches and a transform there and back, in single precision for float16 and float32
images, else in double; one more launch and a transform for a point spread function, and for a
regularisation that is not the default. Those are read on the host. One launch more brings other
dtypes to floats.
"""

import functools
import math

import numpy as np

from ...device import launch
from ...device.dtypes import c_name
from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_wider, truth
from ...primitives.gaussian import working
from ...primitives.stencils import MOST_AXES
from ._frames import SOURCE, finished, placed, refuse_image, refuse_response

_REGULARISATION = np.dtype([("shape", "i8", MOST_AXES), ("step", "i4"), ("first", "i4")])
_OF_AXES, _REAL, _COMPLEX = range(3)  # `step` in the kernel


def wiener(image, psf, balance, reg=None, is_real=True, clip=True):
    """Image before it was blurred: `skimage.restoration.wiener`."""
    refuse_image(image)
    dtype = working(image.dtype)
    refuse_wider("balance", balance, dtype)
    is_real, clip = truth("is_real", is_real), truth("clip", clip)
    shape = spectrum_shape(image.shape, is_real)
    regularisation = regularisation_of(reg, image, shape)
    transfer = transfer_of(psf, image.shape, shape, dtype)
    run = functools.partial(_run, transfer, regularisation, float(balance), is_real, clip)
    return Plan(run, cost=_cost(image, psf, reg, shape))


def spectrum_shape(shape, is_real):
    """Of the Fourier transform of an image of `shape`."""
    return (*shape[:-1], shape[-1] // 2 + 1) if is_real else tuple(shape)


def transfer_of(psf, shape, spectrum, dtype):
    """A point spread function in `dtype`, and whether it is a transfer function of real numbers."""
    refuse_response("psf", psf, kinds="biufc")
    with np.errstate(over="ignore"):
        real = psf.real.astype(dtype, copy=False)
    is_transfer = psf.shape == spectrum
    if not is_transfer:
        refuse_wide("psf", psf, shape)
    return real, is_transfer


def regularisation_of(reg, image, spectrum):
    """Numbers and the `step` of the kernel."""
    if reg is None:
        if min(image.shape) < 3:
            raise Invalid("image has an axis of length 1 or 2, where no Laplacian is; give reg")
        angles = (2 * np.pi / n * np.arange(m) for n, m in zip(image.shape, spectrum, strict=True))
        return np.concatenate([2 - 2 * np.cos(each) for each in list(angles)[::-1]]), _OF_AXES
    refuse_response("reg", reg, kinds="biufc")
    if reg.dtype.kind != "c":
        if reg.dtype.char in "ef" and working(image.dtype).itemsize == 8:
            raise Declined("reg is in single precision, the image is not; give reg.astype(float)")
        refuse_wide("reg", reg, image.shape)
        return reg, _COMPLEX
    if reg.shape != spectrum:
        raise Declined(
            "reg is a transfer function of another shape than the image's; give one of it"
        )
    return reg.real, _REAL


def refuse_wide(name, response, shape):
    """Refuse what has other axes than an image of `shape`, or is longer along one."""
    if response.ndim < len(shape):
        raise Declined(f"{name} has fewer axes than the image; give as many")
    if response.ndim > len(shape):
        raise Invalid(f"{name} has more axes than the image; give as many")
    if any(m > n for m, n in zip(response.shape, shape, strict=True)):
        raise Invalid(f"{name} is larger than the image; give a smaller one")


def _cost(image, psf, reg, spectrum):
    """At most; a transform counts as a launch or two."""
    numbers, complexes = 8 * image.size, 16 * math.prod(spectrum)
    given = 16 * psf.size + (16 * reg.size if reg is not None else 8 * sum(spectrum))
    read = 3 * (2 * numbers + complexes) + 6 * complexes + 2 * numbers + 2 * given
    return Cost(16, 2 * read, 2 * read, 3 * (numbers + complexes) + 4 * numbers + given)


def _run(transfer, regularisation, balance, is_real, clip, image):
    shape, dtype = image.shape, working(image.dtype)
    axes = tuple(range(image.ndim))
    forward, back = (xp.fft.rfftn, xp.fft.irfftn) if is_real else (xp.fft.fftn, xp.fft.ifftn)
    spectrum = xp.ascontiguousarray(
        forward(xp.ascontiguousarray(image, dtype), axes=axes, norm="ortho")
    )
    args = (*on_device(transfer, regularisation, shape, dtype, is_real), dtype.type(balance))
    numbers = spectrum.view(dtype)
    args = (numbers, *args, spectrum.size, numbers)
    launch(SOURCE, f"filtered<{c_name(dtype)}>", args, work=spectrum.size)
    return finished(back(spectrum, s=shape, axes=axes, norm="ortho"), shape, clip, dtype)


def on_device(transfer, regularisation, shape, dtype, is_real):
    """Arguments of the kernel: transfer function and regularisation, each with its step."""
    axes = tuple(range(len(shape)))

    def spectrum_of(response, dtype):
        centre = tuple(n // 2 for n in response.shape)
        response = placed(response, shape, dtype, centre)
        spectrum = (xp.fft.rfftn if is_real else xp.fft.fftn)(response, axes=axes)
        return xp.ascontiguousarray(spectrum).view(dtype)

    psf, is_transfer = transfer
    if is_transfer:
        psf, step = xp.asarray(np.array(psf, dtype, order="C")), np.int32(_REAL)
    else:
        psf, step = spectrum_of(psf, dtype), np.int32(_COMPLEX)
    reg, kind = regularisation
    if kind == _COMPLEX:
        reg = spectrum_of(reg, np.float64)
    else:
        reg = xp.asarray(np.array(reg, np.float64, order="C"))
    struct = np.ones((), _REGULARISATION)
    struct["step"], struct["first"] = kind, MOST_AXES - len(shape)
    struct["shape"][MOST_AXES - len(shape) :] = spectrum_shape(shape, is_real)
    return psf, step, reg, struct[()]


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        yield SOURCE, f"placed<{name}>"
        yield SOURCE, f"filtered<{name}>"
        for is_complex in ("true", "false"):
            yield SOURCE, f"finished<{name}, {name}, {is_complex}>"
