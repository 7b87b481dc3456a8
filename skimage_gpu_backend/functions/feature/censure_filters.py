"""skimage.feature: the filters of `CENSURE` by octagons and stars, while its method runs by steps.

Cost: 1 launch for each scale, which reads the image and writes the response, which comes to the
host; the image lies on the device already.
"""

import functools

import numpy as np

from ...device.launches import Array, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays
from ...primitives.correlate import correlation
from ...primitives.stencils import BOUNDARY

_FLOATS = ("float32", "float64")
_LEAST = np.finfo(float).eps  # SciPy passes over weights that are not above it


def convolve(input, weights):
    """`scipy.ndimage.convolve` of a plane, as `CENSURE` calls it: products in its order."""
    refuse_but_arrays(weights=weights)
    if input.ndim != 2 or input.dtype.name not in _FLOATS or not input.size:
        raise Invalid("input is no plane of float32 or float64")
    if weights.ndim != 2 or any(side % 2 == 0 for side in weights.shape):
        raise Invalid("weights are no plane of odd sides")
    if min(input.shape) < max(weights.shape):
        raise Declined("input is smaller than weights; give a larger image")
    launches = _planned(input.shape, input.dtype, weights.shape, weights.astype(float).tobytes())
    return Plan(functools.partial(_on_host, launches), launches=launches)


@functools.lru_cache(maxsize=64)
def _planned(shape, dtype, sides, weights):
    turned = np.frombuffer(weights).reshape(sides)[::-1, ::-1]
    there = np.argwhere(abs(turned) > _LEAST)
    centre = np.array(sides) // 2
    image, result = Array(shape, dtype, "input"), Array(shape, dtype)
    steps = there - centre, turned[*there.T]
    return Launches([correlation(image, result, *steps, BOUNDARY["reflect"])], result)


def _on_host(launches, input):
    """The response where the method puts it together with others."""
    return to_host(launches(input=input))


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in _FLOATS:
        yield convolve(Array((4, 4), np.dtype(dtype)), np.ones((3, 3)))
