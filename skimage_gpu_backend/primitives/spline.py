"""Coefficients of interpolating splines of orders 2 to 5, as launches for a plan."""

import math

import numpy as np

from ..device.dtypes import C_NAMES, c_name
from ..device.launches import Array, Launch
from .stencils import BOUNDARY

_SOURCE = "transform/spline.cu"
_PAD = 12  # elements by which SciPy makes an image longer whose mode has no closed form
_PADDED = BOUNDARY["nearest"], BOUNDARY["constant"]
_LINES, _WIDTH = 32, 64  # MOST_LINES and WIDTH in spline.cu
_POLES = np.dtype(
    [("pole", "f8", 2), ("gain", "f8"), ("reach", "i4", 2), ("count", "i4")], align=True
)
# scipy.ndimage, get_filter_poles; the roots that they are lose digits where they are computed
_POLES_OF = {
    2: (-0.171572875253809902396622551580603843,),
    3: (-0.267949192431122706472553658494127633,),
    4: (-0.361341225900220177092212841325675255, -0.013725429297339121360331226939128204),
    5: (-0.430575347099973791851434783493520110, -0.043096288203264653822712376822550182),
}
_AS_IT_IS = (1.0, -math.inf)  # scaling
# Filters nothing: SciPy leaves axes of one element as they are.
_NO_POLES = np.array(([0.0, 0.0], 1.0, [0, 0], 0), _POLES)[()]


def coefficients(image, axes, order, mode, cval, scaling):
    """1 launch for each of `axes`; each reads what is there and writes coefficients in double.

    Parameters
    ----------
    image : Array
    axes : sequence of int
        Those that are sampled between elements.
    order : int
    mode : int
        Of `BOUNDARY`.
    cval : float
    scaling : (float, float)
        A factor of the image's elements, and the lowest one after this.

    Returns
    -------
    steps : list of Launch
    coefficients : Array
    pad : int
        Elements that they have more at each end of an axis.
    """
    pad = _PAD if mode in _PADDED else 0
    poles, odd = _poles(order), Array((1,), np.dtype(np.uint32), zero=True)
    shape, steps = list(image.shape), []
    axes = [axis for axis in axes if shape[axis] > 1 or pad] or axes[:1]
    for axis in axes:
        view = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        filtered = poles if shape[axis] + pad > 1 else _NO_POLES
        shape[axis] += 2 * pad
        into = Array(tuple(shape), np.dtype(float))
        halo = int(poles["reach"].sum())
        pitch = (_WIDTH + 2 * halo) | 1
        rows = _LINES // min(view[2], _LINES)
        tiles = -(-view[2] // _LINES) * -(-shape[axis] // _WIDTH) * -(-view[0] // rows)
        args = image, into, *view, pad, np.int32(mode), cval, *scaling, filtered, not steps, odd
        expression = f"spline_coefficients<{c_name(image.dtype)}>"
        size = {"work": tiles * 128, "block": 128, "shared": 8 * (pitch + 1) + _LINES * pitch * 8}
        steps.append(Launch(_SOURCE, expression, args, **size))
        image, scaling = into, _AS_IT_IS
    return steps, image, pad


def _poles(order):
    """The struct Poles of spline.cu."""
    found = np.zeros((), _POLES)
    poles = _POLES_OF[order]
    for place, pole in enumerate(poles):
        found["pole"][place] = pole
        found["reach"][place] = math.ceil(math.log(1e-17) / math.log(-pole))
    found["gain"] = math.prod((1 - pole) * (1 - 1 / pole) for pole in poles)
    found["count"] = len(poles)
    return found[()]


def specializations():
    """Every (source, expression) that `coefficients` can ask for."""
    for image in C_NAMES.values():
        yield _SOURCE, f"spline_coefficients<{image}>"
