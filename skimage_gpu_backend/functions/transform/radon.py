"""skimage.transform.radon, equal to the last bit."""

import functools
import math

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.gaussian import conversion, working
from ._angles import angles_of

_SOURCE = "transform/radon.cu"
_BLOCK = 128
_PLACES = ("top", "left", "first_row", "end_row", "first_column", "end_column", "radius")
_SQUARE = np.dtype([(name, "i8") for name in ("rows", "columns", "side", *_PLACES)])
_MOST_ROWS = 1 << 30
_NOT_ZERO = "Radon transform: image must be zero outside the reconstruction circle"


def radon(image, theta=None, circle=True, *, preserve_range=False):
    """Sums of an image along lines at many angles: `skimage.transform.radon`.

    1 launch for all angles; image read once, sinogram written once, no rotated image in between.
    The matrices of the angles are NumPy's, and go to the device (48 bytes an angle). With
    `circle` 4 bytes come to the host: whether to warn of what is outside of it.
    """
    if image.ndim != 2:
        raise Invalid("image is not of two axes")
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if max(image.shape) > _MOST_ROWS:
        raise Declined(f"image has a side of more than {_MOST_ROWS} pixels; nothing to change")
    angles = angles_of(theta)
    if angles is None:
        angles = np.arange(180)
    circle, keep = truth("circle", circle), truth("preserve_range", preserve_range)
    if circle and image.shape[0] == 1:
        raise Invalid("image has one row, in which there is no circle; give circle=False")
    args = circle, keep, angles.dtype, angles.tobytes()
    return _planned(image.shape, image.dtype, *args)


@functools.lru_cache(maxsize=64)
def _planned(shape, source, circle, keep, dtype, angles):
    square = _in_circle(*shape) if circle else _padded(*shape)
    side, real = int(square["side"]), working(source)
    turns = _turns(np.frombuffer(angles, dtype), side // 2).astype(real)
    image, result = Array(shape, source, "image"), Array((side, len(turns)), real)
    args = (image, Array.of(turns), result, len(turns), square, *conversion(source, keep))
    outside = Array((1,), np.dtype(np.uint32), "outside") if circle else None
    step = Launch(_SOURCE, f"radon<{c_name(source)}>", (*args, outside), result.size, _BLOCK)
    launches = Launches([step], result)
    if not circle:
        return Plan(launches)
    return Plan(functools.partial(_watched, launches), launches=launches)


def _watched(launches, image):
    outside = xp.zeros(1, "uint32")
    result = launches(image=image, outside=outside)
    if to_host(outside)[0]:
        warn_caller(_NOT_ZERO, UserWarning)
    return result


def _in_circle(rows, columns):
    """The square around the inscribed circle, which is cut out of the image."""
    side = min(rows, columns)
    top, left = (math.ceil((length - side) / 2) for length in (rows, columns))
    ends = top, top + side, left, left + side
    return np.array((rows, columns, side, top, left, *ends, side // 2), _SQUARE)[()]


def _padded(rows, columns):
    """The square in which the image may turn."""
    diagonal = np.sqrt(2) * max(rows, columns)
    origins, sides = [], set()
    for length in (rows, columns):
        pad = math.ceil(diagonal - length)
        origins.append(length // 2 - (length + pad) // 2)
        sides.add(length + pad)
    if len(sides) > 1:
        raise Invalid("image becomes no square")
    return np.array((rows, columns, *sides, *origins, 0, rows, 0, columns, -1), _SQUARE)[()]


def _turns(theta, center):
    """The matrices of scikit-image, each computed as it does: sines of arrays may be others."""
    turns = np.empty((len(theta), 6))
    for turn, angle in zip(turns, np.deg2rad(theta), strict=True):
        cos, sin = np.cos(angle), np.sin(angle)
        turn[:3] = cos, sin, -center * (cos + sin - 1)
        turn[3:] = -sin, cos, -center * (cos - sin - 1)
    return turns


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        yield radon(Array((4, 4), np.dtype(name)), [0])
