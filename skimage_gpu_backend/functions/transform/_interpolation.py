"""What interpolating ops share: spline coefficients, and how values are clipped."""

import math

import numpy as np

from ...accept._interpolation import MODES, interpolation_order, shows_ends
from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.lazy import cp
from ...primitives.gaussian import conversion, working
from ...primitives.reduce import BLOCK, blocks_for, in_memory_order, scratch

_SPLINE, _RANGE = "transform/spline.cu", "transform/range.cu"
# Bits of Seen in sampled.cuh.
TOUCHED, LOW, HIGH, TIE = 1, 2, 4, 8
PAD = 12  # elements by which SciPy makes an image longer whose mode has no closed form
_LINES, _WIDTH = 32, 64  # MOST_LINES and WIDTH in spline.cu
_POLES = np.dtype(
    [("pole", "f8", 2), ("gain", "f8"), ("reach", "i4", 2), ("count", "i4")], align=True
)
# scipy.ndimage, get_filter_poles
_POLES_OF = {
    2: (math.sqrt(8) - 3,),
    3: (math.sqrt(3) - 2,),
    4: (
        math.sqrt(664 - math.sqrt(438976)) + math.sqrt(304) - 19,
        math.sqrt(664 + math.sqrt(438976)) - math.sqrt(304) - 19,
    ),
    5: (
        math.sqrt(67.5 - math.sqrt(4436.25)) + math.sqrt(26.25) - 6.5,
        math.sqrt(67.5 + math.sqrt(4436.25)) - math.sqrt(26.25) - 6.5,
    ),
}


class Sampling:
    """How an image is sampled: the arguments that all functions of the family have.

    Attributes
    ----------
    order, mode : int
        `mode` is a Boundary of common/boundary.cuh.
    cval : float
    dtype : numpy.dtype
        Of the result.
    scaling : tuple of float
        Of the conversion to floating point (`conversion` of _gaussian.py).
    clip : bool
    """

    def __init__(self, image, order, mode, cval, clip, preserve_range):
        self.order = interpolation_order(image.dtype, order)
        self._name, self.mode = mode, MODES[mode]
        self.cval = float(cval)
        self.dtype = image.dtype if self.order == 0 else working(image.dtype)
        self.scaling = conversion(image.dtype, preserve_range or self.order == 0)
        self.clip = bool(clip)

    @property
    def constant(self):
        return self.mode == MODES["constant"]

    def shows_ends(self, size):
        """Whether SciPy's spline changes an axis of equal length (accept._interpolation)."""
        return shows_ends(size, self.order, self._name)

    def prefiltered(self, image, axes, scaling=None):
        """What the sampling kernel reads, its conversion, and the padding of each end.

        Orders above 1: 1 launch for each of `axes`; image and coefficients are read once for
        each, coefficients written once, in double. `scaling` is given where something else
        than the sampled image is filtered.
        """
        scaling = scaling or self.scaling
        if self.order < 2:
            return image, scaling, 0
        pad = PAD if self.mode in (MODES["edge"], MODES["constant"]) else 0
        poles, odd = _poles(self.order), cp.zeros(1, "uint32")
        shape = list(image.shape)
        axes = [axis for axis in axes if shape[axis] > 1 or pad] or axes[:1]
        for place, axis in enumerate(axes):
            view = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
            filtered = poles if shape[axis] + pad > 1 else np.zeros((), _POLES)[()]
            shape[axis] += 2 * pad
            into = cp.empty(shape)
            halo = int(poles["reach"].sum())
            pitch = (_WIDTH + 2 * halo) | 1
            rows = _LINES // min(view[2], _LINES)
            tiles = -(-view[2] // _LINES) * -(-shape[axis] // _WIDTH) * -(-view[0] // rows)
            args = (image, into, *view, pad, np.int32(self.mode))
            launch(
                _SPLINE,
                f"spline_coefficients<{c_name(image.dtype)}>",
                (*args, self.cval, *scaling, filtered, place == 0, odd),
                work=tiles * 128,
                block=128,
                shared=8 * (pitch + 1) + _LINES * pitch * 8,
            )
            image, scaling = into, (1.0, -math.inf)
        return image, scaling, pad


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


def number_range(image, scaling):
    """Least and largest number of the converted image, in two doubles on the device.

    1 launch; the image is read once. NaN is passed over.
    """
    (image,) = in_memory_order(image)
    blocks = blocks_for(image)
    partials, arrived = scratch(blocks, 2, "float64")
    found = cp.empty(2)
    launch(
        _RANGE,
        f"number_range<{c_name(image.dtype)}>",
        (image, image.size, *scaling, partials, arrived, found),
        work=image.size,
        block=BLOCK,
        grid=(blocks,),
    )
    return found


class Clipping:
    """scikit-image's `_clip_warp_output`, with as little reading as the case allows.

    Values of orders 0 and 1 lie between those that they are made of (the kernels see to it
    that they do after rounding), so that only the constant beyond the border can leave the
    image's range. Whether it widens the range depends on the values, of which the kernel
    tells three bits: 4 bytes come to the host, and where they say so, 2 launches more look for
    the range and clip. Higher orders overshoot: 1 launch before finds the range. With a
    constant beyond the border 16 bytes come to the host, and where the constant is outside of
    the range, also the bits, and 1 launch more clips.

    An image with infinities differs where infinity times 0 makes NaN of a value: scikit-image
    then does not see the constant, and clips it.

    Attributes
    ----------
    range, seen : cupy.ndarray or None
        Arguments of the kernel (sampled.cuh).
    """

    def __init__(
        self, image, sampling, *, settled=False, mixed=False, smoothed=False, watched=False
    ):
        """What is known beforehand, for orders 0 and 1 and a constant beyond the border.

        `settled`: it cannot matter. `mixed`: it takes part in values, none of which is nothing
        else, so that it never widens the range. `smoothed`: `gaussian` has made the values, whose
        roundings leave the range. `watched`: bits are wanted anyway.
        """
        self._image, self._sampling = image, sampling
        self.range = self.seen = self._limits = None
        self._undecided = False
        if sampling.clip and not (settled and sampling.order < 2):
            if (smoothed or (mixed and sampling.constant)) and sampling.order < 2:
                self.range = number_range(image, sampling.scaling)
            elif sampling.order < 2:
                self._undecided = sampling.constant and not self._is_copied()
            else:
                self._by_range()
        if watched or self._undecided:
            self.seen = cp.zeros(1, "uint32")
        self.bits = 0

    def _is_copied(self):
        """Whether the constant stands in the result as it is, so that it widens the range."""
        dtype = self._sampling.dtype
        if self._sampling.order or dtype.kind == "f":
            return self._sampling.order == 0
        cval, limits = self._sampling.cval, None if dtype.kind == "b" else np.iinfo(dtype)
        return cval == math.floor(cval) and (limits is None or limits.min <= cval <= limits.max)

    def _by_range(self):
        found = number_range(self._image, self._sampling.scaling)
        if self._sampling.constant:
            low, high = self._limits = tuple(float(limit) for limit in found.get())
            self._undecided = not low <= self._sampling.cval <= high
        if not self._undecided:
            self.range = found

    def settle(self, result):
        """Clips what the kernel has left unclipped."""
        if self.seen is not None:
            self.bits = int(self.seen.get()[0])
        if not self._undecided:
            return
        widened = self.bits & LOW and self.bits & HIGH
        if self._limits is None:
            if widened or not self.bits & TOUCHED:
                return
            limits = number_range(self._image, self._sampling.scaling).get()
        else:
            limits = self._limits
            if widened:
                cval = float(result.dtype.type(self._sampling.cval))
                limits = min(limits[0], cval), max(limits[1], cval)
        low, high = (result.dtype.type(limit) for limit in limits)
        cp.clip(result, low, high, out=result)


def specializations():
    """Every specialization that the functions of this module can ask for."""
    for image in C_NAMES.values():
        yield _SPLINE, f"spline_coefficients<{image}>"
        yield _RANGE, f"number_range<{image}>"
