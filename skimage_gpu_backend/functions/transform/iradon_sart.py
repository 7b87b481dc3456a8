"""skimage.transform.iradon_sart: a gather of rays, whose sums are scikit-image's."""

import functools
import math

import numpy as np
from skimage.transform import order_angles_golden_ratio

from ..._warn import warn_caller
from ...adapt.written import Written
from ...device import launch
from ...device.dtypes import c_name
from ...device.launches import Cost
from ...device.rounds import rounds
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import (
    is_numeric,
    is_writeable,
    refuse_but_arrays,
    refuse_wider,
    small_array,
)
from ._angles import angles_of

_SOURCE = "transform/sart.cu"
_RAYS_BLOCK = 32  # there are few rays, which are to be spread over the device
_MOST_ROWS = 1 << 20
_ANY_ROUNDING = 2.0**-18  # of a coordinate, in single precision
_CAST = (
    "Only floating point data type are valid for SART inverse "
    "radon transform. Input data is cast to float. To disable "
    "this warning, please cast image_radon to float."
)


def iradon_sart(
    radon_image,
    theta=None,
    image=None,
    projection_shifts=None,
    clip=None,
    relaxation=0.15,
    dtype=None,
):
    """The plane of a sinogram by SART: `skimage.transform.iradon_sart`.

    2 launches an angle, and 1 before the first; 1 more for each angle whose projection is
    shifted otherwise than the one before. An angle reads the plane twice and writes it once;
    weights along the rays, twice the plane's bytes, are read by each, and the way of each ray
    is written and read. Nothing comes to the host; the order of angles is scikit-image's,
    found on the host. `image` is written as scikit-image writes it, at the end, if it has the
    result's dtype: 1 launch more, with `clip` 3.
    """
    if radon_image.ndim != 2:
        raise Invalid("radon_image is not of two axes")
    into = _dtype_of(radon_image, dtype)
    rows, count = radon_image.shape
    theta = angles_of(theta)
    if theta is None:
        theta = np.linspace(0, 180, count, endpoint=False, dtype=into)
    theta = _of_each_angle("theta", theta, count, into)
    if image is not None:
        refuse_but_arrays(image=image)
        if image.shape != (rows, rows):
            raise Invalid("image has other sides than radon_image has rows")
        if not is_numeric(image.dtype):
            raise Declined("image is not of real numbers of up to 64 bits; give floats")
        if image is radon_image:
            raise Declined("image is radon_image, which would change meanwhile; give a copy")
        if image.dtype == into and not is_writeable(image):
            raise Invalid("image is read-only; give a copy, into which scikit-image writes")
    if rows < 2 or not count or rows > _MOST_ROWS:
        raise Declined("radon_image has fewer than two rows, or no columns; nothing to change")
    shifts = np.zeros(count, into)
    if projection_shifts is not None:
        shifts = small_array("projection_shifts", projection_shifts)
        if shifts.ndim != 1:
            raise Invalid("projection_shifts is not of one axis; give a list of numbers")
        shifts = _of_each_angle("projection_shifts", shifts, count, into)
    ends = _ends(clip, into)
    refuse_wider("relaxation", relaxation, into)
    if not abs(float(relaxation)) <= float(np.finfo(into).max):
        raise Declined("relaxation is not finite; give a number, as 0.15")
    told = []
    if dtype is None and radon_image.dtype != into:
        told.append(_CAST)
    if image is not None and image.dtype != into:
        told.append(f"image dtype does not match output dtype: image is cast to {into}")
    steps = _steps(theta.tobytes(), shifts.tobytes(), into)
    args = steps, ends, into.type(relaxation), into, told
    cost = _cost(rows, steps, radon_image, image, into)
    return Plan(functools.partial(_reconstructed, *args), cost=cost)


def _dtype_of(radon_image, dtype):
    """Floating type of the result."""
    if dtype is None:
        single = radon_image.dtype == np.float32
        return np.dtype(np.float32 if single else np.float64)
    try:
        into = np.dtype(dtype)
    except TypeError:
        raise Invalid("dtype is none of NumPy's; give numpy.float32 or numpy.float64") from None
    if into.char not in "fd":
        raise Invalid("dtype is not floating; give numpy.float32 or numpy.float64")
    if not into.isnative:
        raise Declined("dtype is in the other byte order; give numpy.float32 or numpy.float64")
    return into


def _of_each_angle(name, given, count, into):
    """A finite number for each projection."""
    if len(given) != count:
        raise Invalid(f"{name} has another number of elements than radon_image has columns")
    if given.dtype.kind not in "biuf":
        raise Declined(f"{name} is not of real numbers; give some")
    with np.errstate(over="ignore"):
        cast = given.astype(into)
    if not np.isfinite(cast).all():
        raise Declined(f"{name} has a number that is not finite; give finite ones")
    return cast


def _ends(clip, into):
    """What values are clipped to, if they are."""
    if clip is None:
        return None
    ends = small_array("clip", clip)
    if ends.shape[:1] != (2,):
        raise Invalid("clip is not of two numbers")
    if ends.ndim > 1 or ends.dtype.kind not in "biuf" or np.isnan(ends).any():
        raise Declined("clip is not of two plain numbers; give two, as (0, 1)")
    with np.errstate(over="ignore"):
        return tuple(ends.astype(into))


@functools.lru_cache(maxsize=64)
def _steps(theta, shifts, into):
    """What happens: number of an angle, its shift, cosine, sine, whether windows change."""
    theta, shifts = np.frombuffer(theta, into), np.frombuffer(shifts, into)
    steps, before = [], None
    for number in order_angles_golden_ratio(theta):
        number = int(number)
        angle = float(into.type(float(theta[number]) / 180.0 * math.pi))
        shift = shifts[number]
        steps.append((number, shift, math.cos(angle), math.sin(angle), bool(shift != before)))
        before = shift
    return tuple(steps)


def _width(rows):
    """Samples of a ray, at most."""
    return 4 * max(rows // 2 - 1, 0) + 3


def _way(into):
    """Bytes of a Way in the kernel."""
    return 64 if into.itemsize == 8 else 40


def _cost(rows, steps, radon_image, image, into):
    plane, table = rows * rows * into.itemsize, rows * _width(rows) * into.itemsize
    ways, changed = rows * _way(into), sum(step[-1] for step in steps)
    angles, sinogram = len(steps), len(steps) * rows * into.itemsize
    cast = radon_image.dtype != into
    read = angles * (plane + sinogram + ways + table + plane)
    written = angles * (ways + plane) + changed * table
    read += 8 * angles * rows * cast
    written += sinogram * cast + plane
    between = ways + table + sinogram * cast
    launches = 2 * angles + changed + cast + 1
    if image is None:
        return Cost(launches, read, written, between)
    more = 4 * rows * rows * 8  # at most: read, copied, clipped, written into
    return Cost(launches + 3, read + more, written + more, between + 2 * plane)


def _reconstructed(steps, ends, relaxation, into, told, radon_image, image=None):
    for message in told:
        warn_caller(message, UserWarning)
    rows, count = radon_image.shape
    sinogram = xp.ascontiguousarray(radon_image, into)
    plane = xp.zeros((rows, rows), into) if image is None else xp.array(image, into, order="C")
    ways, width = xp.empty(rows * _way(into), "uint8"), _width(rows)
    table, name = xp.empty((rows, width), into), c_name(into)
    low, high = ends or (into.type(0), into.type(0))
    is_own, first = image is not None and image.dtype == into, None
    for place in rounds(len(steps)):
        number, shift, cosine, sine, changed = steps[place]
        clips = ends is not None and not (is_own and first is None)
        if changed:
            args = (table, rows, width, shift)
            launch(_SOURCE, f"windows<{name}>", args, work=table.size)
        args = (plane, sinogram, ways, rows, count, number, shift, cosine, sine)
        launch(_SOURCE, f"rays<{name}>", args, work=rows, block=_RAYS_BLOCK)
        reach = abs(cosine) + abs(sine) + 0.05 + rows * _ANY_ROUNDING
        args = (plane, ways, table, rows, width, shift, cosine, sine, reach)
        args = (*args, relaxation, clips, low, high)
        launch(_SOURCE, f"update<{name}>", args, work=plane.size)
        if ends is not None and not clips:  # the first step is scikit-image's last into `image`
            first = plane.copy()
            xp.clip(plane, low, high, out=plane)
    if not is_own:
        return plane
    return Written(plane, {"image": plane if first is None else first})


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        for kernel in ("windows", "rays", "update"):
            yield _SOURCE, f"{kernel}<{name}>"
