"""Arrays in larger ones: what kernels/restoration/deconvolution.cu is launched with."""

import math

import numpy as np

from ...device import launch
from ...device.dtypes import c_name, code
from ...devices import to_device, xp
from ...plan import Declined, Invalid
from ...primitives.stencils import MOST_AXES

SOURCE = "restoration/deconvolution.cu"
_FRAME = np.dtype(
    [(name, "i8", MOST_AXES) for name in ("outer", "inner", "shift")] + [("first", "i4")],
    align=True,
)


def refuse_image(image):
    """Refuse images that have too few or too many axes, or no elements."""
    if not 0 < image.ndim <= MOST_AXES or image.size == 0:
        raise Declined(f"image has no elements, or other than 1 to {MOST_AXES} axes; give elements")


def refuse_response(name, response, *, kinds="biuf"):
    """Refuse what is no array of numbers."""
    if not isinstance(response, np.ndarray):  # a scalar of NumPy may do
        raise (Declined if hasattr(response, "astype") else Invalid)(
            f"{name} is no array; give numpy.asarray({name})"
        )
    if response.dtype.kind not in kinds or response.dtype.itemsize > 16:
        raise Declined(f"{name} has a dtype that kernels do not take; give {name}.astype(float)")
    if response.dtype.kind in "biuf" and response.dtype.itemsize > 8:
        raise Declined(f"{name} has more than 64 bits; give {name}.astype(float)")
    if response.size == 0:
        raise Declined(f"{name} has no elements; give one that has")


def frame(outer, inner, shift=None):
    """The struct Frame."""
    struct = np.ones((), _FRAME)
    struct["shift"] = 0
    first = MOST_AXES - len(outer)
    struct["outer"][first:], struct["inner"][first:] = outer, inner
    struct["first"] = first
    if shift is not None:
        struct["shift"][first:] = shift
    return struct[()]


def placed(array, outer, dtype, shift=None):
    """`array` in one of `dtype` and the shape `outer`, moved towards its beginning by `shift`."""
    array = xp.ascontiguousarray(to_device(array))
    result = xp.empty(outer, dtype)
    args = (array, code(array.dtype), frame(outer, array.shape, shift), result.size, result)
    launch(SOURCE, f"placed<{c_name(np.dtype(dtype))}>", args, work=result.size)
    return result


def finished(values, shape, clip, dtype):
    """The first elements of `values`, clipped and in `dtype`, or in complex numbers of it."""
    is_complex = values.dtype.kind == "c"
    given = frame(values.shape, shape)
    values = xp.ascontiguousarray(values)
    into = np.result_type(dtype, np.complex64) if is_complex else dtype
    result, size = xp.empty(shape, into), math.prod(shape)
    if is_complex:
        values = values.view(values.real.dtype)
    args = (values, given, clip, size, result.view(dtype))
    types = f"{c_name(values.dtype)}, {c_name(dtype)}, {'true' if is_complex else 'false'}"
    launch(SOURCE, f"finished<{types}>", args, work=size)
    return result
