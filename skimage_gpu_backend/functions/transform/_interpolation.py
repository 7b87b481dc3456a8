"""What interpolating rooms share: how an image is sampled, and how values are clipped."""

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy import ndimage as ndi

from ..._warn import warn_caller
from ...device.dtypes import c_name
from ...device.launches import Array, Cost, Launch, Launches, added
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.gaussian import conversion, working
from ...primitives.spline import coefficients
from ...primitives.stencils import number
from ...primitives.value_range import number_range

# numpy.pad's modes, which scikit-image takes, in kernels/common/boundary.cuh
MODES = {"edge": 0, "wrap": 1, "symmetric": 2, "reflect": 3, "constant": 4}
# Bits of Seen in sampled.cuh.
TOUCHED, LOW, HIGH, TIE, NUMBER = 1, 2, 4, 8, 16
# Arguments of kernels (sampled.cuh): the range to clip to, and the bits.
_LIMITS, _SEEN = (
    Array((2,), np.dtype(np.float64), "limits"),
    Array((1,), np.dtype(np.uint32), "seen"),
)


class Sampling(NamedTuple):
    """How an image is sampled: the arguments that all functions of the family have.

    Attributes
    ----------
    order : int
    mode : str
    cval : float
    dtype : numpy.dtype
        Of the result.
    scaling : (float, float)
        Of the conversion to floating point (`primitives.gaussian.conversion`).
    clip : bool
    """

    order: int
    mode: str
    cval: float
    dtype: np.dtype
    scaling: tuple
    clip: bool

    @classmethod
    def of(cls, dtype, order, mode, cval, clip, preserve_range):
        """Of an image of `dtype`, by arguments that have been checked."""
        scaling = conversion(dtype, preserve_range or order == 0)
        return cls(order, mode, cval, dtype if order == 0 else working(dtype), scaling, clip)

    @property
    def boundary(self):
        """Number of the mode in kernels."""
        return np.int32(MODES[self.mode])

    @property
    def constant(self):
        return self.mode == "constant"

    def shows_ends(self, size):
        """Whether SciPy's spline along an axis changes it, though elements are sampled as they are.

        Its closed form for reflected lines is one of a line that begins otherwise (spline.cu);
        what that changes vanishes with the length.
        """
        return self.mode == "symmetric" and self.order > 1 and 1 < size < 24

    def of_zoom(self, old, new):
        """The sampling by which SciPy's `zoom` makes a `new` shape of an `old` one."""
        unchanged = self.order > 1 and all(a == b for a, b in zip(old, new, strict=True))
        return self._replace(order=1) if unchanged and _zoom_copies() else self

    def prefiltered(self, image, axes, scaling=None):
        """Launches before that of the sampling kernel, what it reads, its conversion and padding.

        `scaling` is given where something else than the sampled image is filtered.
        """
        scaling = scaling or self.scaling
        if self.order < 2:
            return [], image, scaling, 0
        args = axes, self.order, int(self.boundary), self.cval, scaling
        steps, filtered, pad = coefficients(image, *args)
        return steps, filtered, (1.0, -math.inf), pad


@functools.cache
def _zoom_copies():
    """Whether SciPy gives an image itself back where no axis changes its length.

    Older versions filter and sample it, which shows at the ends.
    """
    line = np.array([1.0, 0.0])
    return bool((ndi.zoom(line, 1, order=2, mode="reflect", grid_mode=True) == line).all())


def checked(dtype, order, mode, cval):
    """Order, mode and constant of a call that samples an image of `dtype`."""
    if order is not None and (not isinstance(order, int | np.integer) or isinstance(order, bool)):
        raise Declined("order is no integer; give one, as 1")
    if order is None:
        order = 0 if dtype.kind == "b" else 1
    if not 0 <= order <= 5 or (order and dtype.kind == "b"):
        raise Invalid("order is out of range, or above 0 for a boolean image")
    if not isinstance(mode, str) or mode not in MODES:
        raise Invalid("mode is unknown")
    cval = number(cval)
    if mode == "constant" and dtype.kind == "b" and cval not in (0, 1):
        raise Declined("cval is neither 0 nor 1 and the image is boolean; give 0 or 1")
    if mode == "constant" and (
        order > 1 or (order == 0 and dtype.kind in "iu") or math.isinf(cval)
    ):
        refuse_infinite(cval)
    return int(order), mode, cval


def refuse_infinite(cval):
    if not math.isfinite(cval):
        raise Declined("cval is not finite; give a finite number, as 0")


def sampling_of(dtype, order, mode, cval, clip, preserve_range) -> Sampling:
    """`Sampling` by the arguments of a call."""
    given = checked(dtype, order, mode, cval)
    return Sampling.of(dtype, *given, truth("clip", clip), truth("preserve_range", preserve_range))


class Clipping(NamedTuple):
    """scikit-image's `_clip_warp_output`, with as little reading as the case allows.

    Values of orders 0 and 1 lie between those that they are made of (the kernels see to it
    that they do after rounding), so that only the constant beyond the border can leave the
    image's range. Whether it widens the range depends on the values, of which the kernel
    tells three bits: 4 bytes come to the host, and where they say so, 2 launches more look for
    the range and clip. Higher orders overshoot: 1 launch before finds the range. With a
    constant beyond the border 16 bytes come to the host, and where the constant is outside of
    the range, also the bits, and 1 launch more clips.

    A constant that stands in the result as it is widens the range to itself, so nothing is
    clipped, except in a floating image without a number: its range is NaN, of which numpy.clip
    makes NaN everywhere. 1 launch more looks at the bits on the device, and does that.

    An image with infinities differs where infinity times 0 makes NaN of a value: scikit-image
    then does not see the constant, and clips it.

    Attributes
    ----------
    before : bool
        The range is found before values are made.
    widens : bool
        The constant may widen the range.
    fills : bool
        The result is NaN everywhere if a floating image has no number; nothing else is clipped.
    """

    before: bool = False
    widens: bool = False
    fills: bool = False

    @classmethod
    def of(cls, sampling, *, settled=False, copied=False, mixed=False, smoothed=False):
        """What is known from the arguments.

        `settled`: clipping changes nothing. `copied`: the constant stands in the result as it
        is. For orders 0 and 1, `mixed`: the constant takes part
        in values, none of which is nothing else, so that it never widens the range; `smoothed`:
        a Gaussian has made the values, whose roundings leave the range.
        """
        if not sampling.clip or settled:
            return cls()
        if sampling.order > 1:
            return cls(before=True, widens=sampling.constant)
        if smoothed or (mixed and sampling.constant):
            return cls(before=True)
        if not sampling.constant:
            return cls()
        if copied or _is_copied(sampling):
            return cls(fills=True)
        return cls(widens=True)


def _is_copied(sampling):
    """Whether the constant stands in the result as it is, whatever the map is."""
    dtype, cval = sampling.dtype, sampling.cval
    if sampling.order or dtype.kind == "f":
        return sampling.order == 0
    limits = None if dtype.kind == "b" else np.iinfo(dtype)
    return cval == math.floor(cval) and (limits is None or limits.min <= cval <= limits.max)


def clipped(image, sampling, clipping, build, on_tie=None) -> Plan:
    """Plan of what samples an image, and of its clipping.

    Parameters
    ----------
    image : Array
        That of the parameter ``image``.
    sampling : Sampling
    clipping : Clipping
    build : callable
        Gives the `Launches` for two arguments of the sampling kernel, each `Array` or None: the
        range to clip to, and the bits of what was seen.
    on_tie : Plan, optional
        What is run where the bits say that a coordinate lies halfway between two elements.
    """
    if clipping.fills and image.dtype.kind != "f":
        clipping = Clipping()
    unwatched = build(_LIMITS if clipping.before else None, None)
    if clipping == Clipping() and not on_tie:
        return Plan(unwatched)
    if clipping.fills and not on_tie:
        return Plan(_filled(image, build))
    if clipping.fills:  # the bits come to the host anyway
        clipping = Clipping(widens=True)
    watched = build(None, _SEEN) if clipping.widens or on_tie else None
    cost = unwatched.cost
    if clipping.before or clipping.widens:
        cost = added(cost, Cost(1, image.nbytes, 0))
    if clipping.widens:
        cost = added(cost, Cost(1, watched.result.nbytes, watched.result.nbytes))
    if on_tie:
        cost = added(cost, on_tie.cost)
    run = _Clipped(image.dtype, sampling, clipping, unwatched, watched, on_tie)
    return Plan(run, launches=watched or unwatched, cost=cost)


def _filled(image, build):
    """Launches that make NaN of everything where the image has no number (unnumbered.cu)."""
    seen = Array((3,), np.dtype(np.uint32), zero=True)
    launches = build(None, seen)
    result = launches.result
    args = image, image.size, result, result.size, seen
    kernel = f"nan_without_number<{c_name(image.dtype)}>"
    fill = Launch("transform/unnumbered.cu", kernel, args, image.size, over=(result,))
    return Launches([*launches.steps, fill], result)


class _Clipped(NamedTuple):
    """`run` of such a plan."""

    source: np.dtype
    sampling: Sampling
    clipping: Clipping
    unwatched: Launches
    watched: Launches | None
    on_tie: Plan | None

    def __call__(self, image, **beside):
        image = xp.ascontiguousarray(image, self.source)
        limits = None
        if self.clipping.before:
            found = number_range(image, self.sampling.scaling)
            if not self.clipping.widens:
                return self.unwatched(image=image, limits=found, **beside)
            limits = [float(limit) for limit in to_host(found)]
            if limits[0] <= self.sampling.cval <= limits[1]:
                return self.unwatched(image=image, limits=found, **beside)
        seen = xp.zeros(1, "uint32")
        result = self.watched(image=image, seen=seen, **beside)
        bits = int(to_host(seen)[0])
        if self.on_tie and bits & TIE:
            return self.on_tie.run(image=image)
        if self.clipping.widens:
            self._clip(image, result, bits, limits)
        return result

    def _clip(self, image, result, bits, limits):
        """Clips what the kernel has left unclipped; `limits` where they are known."""
        widened = bits & LOW and bits & HIGH
        cval = self.sampling.cval
        if widened and result.dtype.kind in "iu":
            cval = float(result.dtype.type(cval))  # cut, where the kernel has rounded
        if limits is None:
            has_numbers = bits & NUMBER or result.dtype.kind != "f"
            as_it_is = not bits & TOUCHED or (widened and cval == self.sampling.cval)
            if has_numbers and as_it_is:
                return
            limits = self._range(image, result.dtype)
        if math.isnan(limits[0]):  # numpy.clip makes NaN of everything
            warn_caller("All-NaN slice encountered", RuntimeWarning)
            result.fill(np.nan)
            return
        if widened:
            limits = min(limits[0], cval), max(limits[1], cval)
        low, high = (_of_dtype(limit, result.dtype) for limit in limits)
        xp.clip(result, low, high, out=result)

    def _range(self, image, dtype):
        """Least and greatest value; as integers where doubles have not all of them."""
        if dtype.kind in "iu" and dtype.itemsize == 8:
            return int(image.min()), int(image.max())
        return to_host(number_range(image, self.sampling.scaling))


def _of_dtype(limit, dtype):
    """A limit in the result's dtype: the largest 64-bit integers are not those that doubles are."""
    if dtype.kind not in "iu":
        return dtype.type(limit)
    ends = np.iinfo(dtype)
    return dtype.type(min(max(int(limit), ends.min), ends.max))


def chained(first, second) -> Plan:
    """Plan of `second` for what `first` makes of the image."""
    made = first.launches.result
    launches = second.launches and _joined(first.launches, second.launches)
    if first.run is first.launches and second.run is second.launches:
        return Plan(launches)

    def run(image):
        return second.run(image=first.run(image=image))

    cost = added(first.cost, second.cost, Cost(0, 0, 0, made.nbytes))
    return Plan(run, launches=launches, cost=cost)


def _joined(first, second):
    steps = [
        step._replace(arguments=tuple(_of(first.result, a) for a in step.arguments))
        for step in second.steps
    ]
    return Launches((*first.steps, *steps), second.result)


def _of(made, argument):
    """`made` in place of the image."""
    return made if type(argument) is Array and argument.name == "image" else argument


def around(plan, change, *, launches=0, nbytes=0) -> Plan:
    """`plan`, with `change(run, image, **arrays)` in place of its `run`.

    `launches` and `nbytes`, read and written, are what that adds.
    """
    cost = plan.cost and added(plan.cost, Cost(launches, nbytes, nbytes))
    return Plan(functools.partial(change, plan.run), launches=plan.launches, cost=cost)
