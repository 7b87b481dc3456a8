"""skimage.morphology.erosion, dilation, opening, closing, white_tophat and black_tophat.

Cost: 1 launch for small footprints, and for sequences of them as far as the halo of a tile
fits; image read once, result written once. A box that is too large for that takes 1 launch for
each axis and step, any other large footprint 1 launch for each step; then the images between
are written and read, and a top hat reads its image once more. A few numbers of the footprint go
to the device. One more launch makes a strided image contiguous, and one copies into an `out`
that is strided, shares memory with the image or has a wider dtype. Boolean planes are words of 32
pixels inside of a launch, so that larger halos fit.
"""

import functools
from collections.abc import Sequence
from numbers import Integral

import numpy as np
from scipy import ndimage as ndi

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_writeable
from ...primitives.flat_filters import (
    IMAGE_MINUS,
    ITSELF,
    MINUS_IMAGE,
    MOST_AXES,
    OTHER_THAN_IMAGE,
    Border,
    launches,
)
from ...primitives.flat_footprints import Flat
from ...primitives.flat_tiles import Step
from ...primitives.stencils import along, number, refuse_far_mirrored

_MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "max", "min", "ignore")
_MOST_STEPS = 1000


def with_out_by_name(function):
    """As scikit-image's functions of this signature are called: behind the footprint by names."""

    @functools.wraps(function)
    def called(image, footprint=None, *more, **named):
        if more:
            raise Invalid("out is given by its position; give it by its name, as out=result")
        return function(image, footprint, **named)

    return called


@with_out_by_name
def erosion(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """Least pixel of each footprint: `skimage.morphology.erosion`. 1 launch."""
    return _plan((False,), image, footprint, out, mode, cval)


@with_out_by_name
def dilation(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """Greatest pixel of each footprint: `skimage.morphology.dilation`. 1 launch."""
    return _plan((True,), image, footprint, out, mode, cval)


@with_out_by_name
def opening(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """A dilation of the erosion: `skimage.morphology.opening`. 1 launch."""
    return _plan((False, True), image, footprint, out, mode, cval)


@with_out_by_name
def closing(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """An erosion of the dilation: `skimage.morphology.closing`. 1 launch."""
    return _plan((True, False), image, footprint, out, mode, cval)


@with_out_by_name
def white_tophat(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """The image less its opening: `skimage.morphology.white_tophat`. 1 launch."""
    return _plan((False, True), image, footprint, out, mode, cval, IMAGE_MINUS)


@with_out_by_name
def black_tophat(image, footprint=None, out=None, *, mode="reflect", cval=0.0):
    """The closing less its image: `skimage.morphology.black_tophat`. 1 launch."""
    return _plan((True, False), image, footprint, out, mode, cval, MINUS_IMAGE)


def _plan(kinds, image, footprint, out, mode, cval, finish=ITSELF):
    if not isinstance(mode, str) or mode not in _MODES:
        raise Invalid("mode is unknown; give one, as 'reflect'")
    if not 1 <= image.ndim <= MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of 1 to {MOST_AXES}")
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    steps, is_separable = flat_steps(footprint, image.ndim)
    is_one = all(not any(flat.reach) for flat in steps)
    if "e" in (image.dtype.char, getattr(out, "dtype", image.dtype).char):
        # but for footprints of one element, SciPy refuses them
        raise Declined("image or out is float16; give them as float32")
    border = Border("reflect", (0, 0)) if is_one else _border(mode, cval, image.dtype)
    if not is_one:
        _refuse_doubles(kinds, is_separable, border, image.dtype)
    if not is_separable:
        for flat in steps:
            refuse_far_mirrored(border.mode, flat.reach, image.shape)
    if out is not None:
        _check_out(out, image, finish, _constant(cval) if mode == "constant" else 0.0)
    if finish and image.dtype.kind == "b":
        finish = OTHER_THAN_IMAGE
    plan = _planned(image.shape, image.dtype, kinds, steps, border, finish)
    reverse = tuple(flat.transposed for flat in steps)
    plan.transposed = functools.partial(
        _transposed, image.shape[::-1], image.dtype, kinds, reverse, border, finish
    )
    return plan if out is None or out.dtype == image.dtype else copied(plan, image.nbytes, out)


def copied(plan, nbytes, out):
    """`plan`, with what it costs to copy its result of `nbytes` into an `out` of another dtype."""
    cost = plan.cost
    cost = cost._replace(
        launches=cost.launches + 1,
        read=cost.read + nbytes,
        written=cost.written + out.nbytes,
        between=cost.between + nbytes,
    )
    return Plan(plan.run, plan.reach, cost=cost)


def flat_steps(footprint, ndim, *, is_binary=False):
    """What erodes, or dilates, one after another; whether it is boxes that SciPy takes for such.

    Binary operations pad even sides behind, not in front, and take empty footprints.
    """
    if footprint is None:
        return _cross(ndim)
    if isinstance(footprint, np.ndarray):
        footprint = ((footprint, 1),)
    elif not isinstance(footprint, list | tuple):
        refused = not isinstance(footprint, Sequence) or isinstance(footprint, str | bytes)
        raise (Invalid if refused and not hasattr(footprint, "__array_interface__") else Declined)(
            "footprint is no array; give numpy.asarray(footprint)"
        )
    flats, is_separable = [], True
    for place, pair in enumerate(footprint):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Invalid("footprint is neither an array nor a list of pairs; give an array")
        elements, repeated = pair
        if not isinstance(repeated, Integral):
            raise Invalid("footprint has a pair whose second item is no integer; give one")
        if type(elements) is not np.ndarray:
            is_scalar = hasattr(elements, "__array_interface__")
            raise (Declined if is_scalar else Invalid)(
                "footprint has a pair whose first item is no array; give numpy.asarray of it"
            )
        _check_elements(elements, ndim, is_binary)
        if is_binary and repeated < 1:
            raise Declined("footprint has a step until nothing changes; give a number of steps")
        repeated = max(int(repeated), place == 0)  # the first is applied, whatever it says
        if len(flats) + repeated > _MOST_STEPS:
            raise Declined(f"footprint has more than {_MOST_STEPS} steps; give fewer, larger ones")
        flats += [Flat.of(elements, padded_behind=is_binary)] * repeated
        # even sides are padded
        is_separable &= bool(elements.all()) and all(n % 2 for n in elements.shape)
    if not flats:
        raise Invalid("footprint is an empty list; give an array")
    return tuple(flats), is_separable


@functools.cache
def _cross(ndim):
    return (Flat.of(ndi.generate_binary_structure(ndim, 1)),), ndim == 1


def _check_elements(elements, ndim, is_binary):
    if elements.dtype.kind not in "biuf":
        raise Declined(f"footprint has dtype {elements.dtype}; give footprint.astype(bool)")
    if elements.ndim == 0:
        raise Declined("footprint has no axes; give an array of as many axes as the image")
    if elements.ndim != ndim:
        raise Invalid("footprint has another number of axes than the image; give as many")
    if not elements.any():
        refusal = Declined if is_binary else Invalid
        raise refusal("footprint has no element that is not 0; give one that has")


def _border(mode, cval, dtype):
    """SciPy's mode, and what stands beyond the border in erosions and in dilations."""
    if mode in ("max", "min", "ignore"):
        if dtype.kind == "b":
            least, greatest = 0, 1
        elif dtype.kind == "f":
            least, greatest = -np.inf, np.inf
        else:
            least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
        under = {"max": (greatest, greatest), "min": (least, least), "ignore": (greatest, least)}
        return Border("constant", under[mode])
    if mode != "constant":
        if type(cval) is not float:
            _constant(cval)
        return Border(mode, (0, 0))
    beyond = _constant(cval)
    if dtype.kind == "f":
        if np.isnan(beyond):
            raise Declined(
                "cval is NaN, which SciPy compares from call to call otherwise; give 0, which "
                "changes the result"
            )
        return Border(mode, (beyond, beyond))
    if dtype.kind == "b":
        lowest, highest = 0, 1
    else:
        # no double is nearer to the largest 64-bit integers than to what lies outside
        lowest, highest = np.iinfo(dtype).min, min(np.iinfo(dtype).max, 2**53)
    if not lowest <= beyond <= highest:
        raise Declined(f"cval is outside the range of {dtype}; give a number within")
    return Border(mode, (int(beyond), int(beyond)))


def _constant(cval):
    try:
        return number(cval)
    except Invalid:
        raise Declined("cval is larger than any float; give a smaller number") from None


def _refuse_doubles(kinds, is_separable, border, dtype):
    """Where the largest of a 64-bit dtype stands beyond the border, as a double, 2**63 or 2**64."""
    if border.mode != "constant" or dtype.kind not in "iu" or dtype.itemsize < 8:
        return
    for dilates in kinds:
        if border.under[dilates] <= 2**53:
            continue
        # no pixel of an erosion by a box is as large as what stands beyond its border
        if dilates or not is_separable:
            raise Declined(
                "mode extends the image by the end of a 64-bit dtype, which scikit-image "
                "takes for a double; give mode='reflect'"
            )


def _check_out(out, image, finish, cval):
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    if out.shape != image.shape:
        raise Invalid("out has another shape than the image; give no out, and take the result")
    if not out.dtype.isnative or not is_writeable(out):
        raise Declined(
            "out is read-only or in the other byte order; give no out, and take the result"
        )
    if finish and out is not image and _may_share(out, image):
        raise Declined(
            "out is in the image's memory, which scikit-image overwrites before it subtracts; "
            "give the image itself, or no out"
        )
    if out.dtype == image.dtype:
        return
    # SciPy writes what it has made along one axis into out, and goes on with that
    holds = np.can_cast(image.dtype, out.dtype, "safe") and out.dtype.name in C_NAMES
    is_long = image.dtype.kind in "iu" and image.dtype.itemsize == 8
    if finish or is_long or not holds or image.dtype.type(cval) != cval:
        raise Declined("out has another dtype than the image; give no out, and take the result")


def _may_share(out, image):
    """Whether two arrays of one kind may be in the same memory; those without data are not."""
    if isinstance(out, np.ndarray):
        return np.may_share_memory(out, image)
    if not hasattr(out, "__cuda_array_interface__"):
        return False
    from ...devices import xp

    return xp.may_share_memory(out, image)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, kinds, flats, border, finish):
    steps = []
    for place, dilates in enumerate(kinds):
        steps += [Step(dilates, flat.mirrored if place else flat) for flat in flats]
    image, result = Array(shape, dtype, "image"), Array(shape, dtype)
    halo = [sum(step.footprint.reach[axis] for step in steps) for axis in range(len(shape))]
    made = launches(image, tuple(steps), border, finish, result)
    return Plan(Launches(made, result), Reach(along(halo, border.mode)))


def _transposed(*args):
    try:
        return _planned(*args)
    except Declined:  # a footprint may be too wide when its axes are reversed
        return None


def samples():
    """Plans that together ask for every kernel of this room."""
    box, diagonal = np.ones((99, 99)), np.eye(99)
    for dtype in C_NAMES:
        if dtype != "float16":
            for footprint in (None, box, diagonal):
                yield erosion(Array((64, 64), np.dtype(dtype)), footprint)
