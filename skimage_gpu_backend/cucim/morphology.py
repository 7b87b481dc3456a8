"""Where cuCIM's `morphology` and scikit-image's differ."""

import functools
import math

import numpy as np

from .._warn import unheard, warn_caller
from ..device.dtypes import float_type
from ..functions.morphology.remove_small import limit_belongs
from ..scikit_image import deprecation
from ..trouble import Declined
from . import _distances
from .borders import CVAL_OUTSIDE, far_mirrored, footprint
from .difference import BOOLEAN_OUT, Difference, in_half

# Footprints


def _shape_for_footprint(call):
    """A shape in place of an array, as a footprint or in a sequence of them."""
    given = call.footprint
    return isinstance(given, list | tuple) and any(
        isinstance(item, int) or (isinstance(item, list | tuple) and isinstance(item[0], tuple))
        for item in given
        if not hasattr(item, "shape") and item != ()
    )


_SHAPES = Difference(
    "scikit-image takes arrays as footprints, not shapes", _shape_for_footprint, invalid=True
)
_OUT_BY_POSITION = Difference(
    "scikit-image takes out by its name only", lambda call: call.by_position > 2, invalid=True
)
_HALF = Difference(
    "image or out is float16, in which SciPy has no morphology; give image.astype(numpy.float32)",
    in_half,
)


def _with_centre(footprint):
    """The footprint with its centre, which in scikit-image always belongs to it."""
    import cupy as cp

    footprint = cp.array(footprint, dtype=bool)
    if all(length % 2 for length in footprint.shape):
        footprint[tuple(length // 2 for length in footprint.shape)] = True
    return footprint


# Extrema and reconstruction


def _within_double(theirs, **arguments):
    """SciPy filters in double precision; cuCIM compares integers, or rounds them elsewhere."""
    from ._results import beyond_double

    if beyond_double(*(arguments[name] for name in ("image", "seed", "mask") if name in arguments)):
        raise Declined(
            "image has integers beyond 2**53, which scikit-image rounds; give smaller ones"
        )
    return theirs(**arguments)


def _white_tophat(theirs, *, out=None, **arguments):
    """cuCIM returns another array than `out`, and writes nothing into that."""
    result = _within_double(theirs, **arguments)
    if out is None:
        return result
    out[...] = result
    return out


def _reconstruction(theirs, **arguments):
    if arguments.get("footprint") is not None and arguments.get("offset") is None:
        arguments["footprint"] = _with_centre(arguments["footprint"])
    seed, mask = arguments["seed"], arguments["mask"]
    wrong = seed < mask if arguments.get("method") == "erosion" else seed > mask
    if wrong.any():
        raise ValueError("seed beyond mask")
    dtype = float_type(mask.dtype)
    as_floats = functools.partial(_in_floats, theirs, dtype)
    return _within_double(as_floats, **arguments)


def _in_floats(theirs, dtype, seed, mask, **arguments):
    return theirs(seed=seed.astype(dtype), mask=mask.astype(dtype), **arguments)


def _extended(theirs, **arguments):
    """h_maxima and h_minima."""
    if arguments.get("footprint") is not None:
        arguments["footprint"] = _with_centre(arguments["footprint"])
    return _within_double(theirs, **arguments)


_HALF_EXTENDED = Difference(
    "image is float16, which scikit-image takes to single precision and back; "
    "give image.astype(numpy.float32)",
    lambda call: call.image.dtype.char == "e",
)


def _extrema(theirs, **arguments):
    """local_maxima and local_minima."""
    import cupy as cp

    image = arguments["image"]
    if image.dtype.kind == "f" and bool(cp.isnan(image).any()):
        raise Declined(
            "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes the "
            "result"
        )
    footprint = arguments.get("footprint")
    if footprint is not None:
        arguments.pop("connectivity", None)  # scikit-image goes by the footprint
        if not footprint[tuple(length // 2 for length in footprint.shape)]:
            # which scikit-image takes for granted: it leaves the nearest element out instead
            raise Declined("footprint is 0 at its centre; give one that has its centre")
        if (footprint != footprint[(slice(None, None, -1),) * footprint.ndim]).any():
            raise Declined(
                "footprint is not symmetric about its centre; give one that is, or leave it out, "
                "which changes the result"
            )
    return _within_double(functools.partial(_signed, theirs), **arguments)


def _signed(theirs, image, **arguments):
    """cuCIM compares in double, minima after it has subtracted them from the dtype's largest."""
    if image.dtype.char in "LQ":
        image = image.astype(np.int64)
    return theirs(image=image, **arguments)


# Distances


def _isotropic(*steps):
    """Erosions and dilations by a disk, one after another."""

    def correct(_, image, radius, out=None, spacing=None):
        import cupy as cp
        from cucim.skimage import morphology

        radius = _distances.threshold(radius, spacing, image.shape)
        for step in steps:
            _distances.check_background(image if step == "erosion" else image == 0)
            image = getattr(morphology, f"isotropic_{step}")(image, radius)
        if out is None:
            return image
        cp.copyto(out, image, casting="same_kind")
        return out

    return correct


_ISOTROPIC = (
    Difference(
        "image has other than 2 or 3 axes, in which the GPU measures no distances; "
        "give one of 2 or 3 axes",
        lambda call: call.image.ndim not in (2, 3),
    ),
    Difference(
        "spacing differs by axis, where cuCIM measures in single precision; give one number, "
        "which changes the result",
        lambda call: _distances.anisotropic(call.spacing, call.image.ndim),
        example="""
image = np.ones((5, 5), bool)
image[0, 0] = False
options = dict(radius=1.3, spacing=(0.5, 1.2))
theirs = cs.morphology.isotropic_erosion(cp.asarray(image), **options)
ours = ski.morphology.isotropic_erosion(image, **options)
bool((cp.asnumpy(theirs) != ours).any())
""",
        bug="""\
distance_transform_edt ignores float64_distances, so that isotropic_erosion and others compare
distances in single precision.

Expected: distances in double precision where they are asked for, and double precision, as
in SciPy, for the decision whether a pixel is farther than the radius.
Observed: core/operations/morphology/_distance_transform.py does not hand float64_distances to
_pba_2d and _pba_3d; the kernels ...WithSpacing decide in single precision, too (dominate_sp).
""",
    ),
    Difference(
        "radius is a distance between pixels, or so large that rounding decides; give a number "
        "between, as radius + 0.1, which changes the result",
        # up to 1000 pixels, single precision tells squared distances apart
        lambda call: _distances.rounding_decides(
            call.radius, call.spacing, call.image.shape, largest=1000
        ),
    ),
)


def _medial_axis(theirs, **arguments):
    """With the caller's generator, and distances in double precision."""
    import cupy as cp

    arguments["rng"] = np.random.default_rng(arguments.get("rng"))
    image, mask = arguments["image"], arguments.get("mask")
    inside = image.astype(bool) if mask is None else image.astype(bool) & mask
    _distances.check_background(inside)
    result = theirs(**arguments)
    if not arguments.get("return_distance"):
        return result
    skeleton, _ = result
    return skeleton, cp.sqrt(_distances.squared(_distances.nearest_background(inside)))


_MEDIAL_AXIS = (
    Difference(
        "image has other than 2 axes; give a plane, as image[0]", lambda call: call.image.ndim != 2
    ),
    Difference(
        "mask is not boolean; give mask.astype(bool)",
        lambda call: call.mask is not None and call.mask.dtype != bool,
    ),
    Difference(
        "image is longer than 5000 pixels, where single precision does not tell "
        "distances apart; give parts of it",
        lambda call: min(call.image.shape, default=0) > 5000,
    ),
)

# Objects


def _small(name, parameter):
    """The deprecated limit is one less or the same as the new one, as scikit-image has it."""

    def correct(theirs, **arguments):
        if parameter not in arguments:
            return theirs(**arguments)
        limit = arguments[parameter]
        if isinstance(limit, int | float | np.number):
            # cuCIM subtracts 1 from it
            arguments[parameter] = limit + 1 if limit_belongs() else math.floor(limit)
        warn_caller(deprecation(f"skimage.morphology:{name}", parameter), FutureWarning)
        with unheard(FutureWarning):  # cuCIM's own words
            return theirs(**arguments)

    return correct


def _hull_of_objects(theirs, **arguments):
    return theirs(**arguments, float64_computation=True)


_THIN_AXIS = Difference(
    "image has an axis of length 1; give image.squeeze()",
    lambda call: 1 in call.image.shape,
    example="""
image = np.zeros((1, 9), np.uint8)
image[0, 2] = image[0, 6] = 1
theirs = cs.morphology.convex_hull_image(cp.asarray(image))
ours = ski.morphology.convex_hull_image(image)
theirs.dtype != ours.dtype or bool((cp.asnumpy(theirs) != ours).any())
""",
    bug="""\
convex_hull_image returns an image of shape (1, n) as it is: neither its hull nor booleans.

Expected, as in scikit-image: the pixels between the two objects belong to the hull.
Observed: `if image.ndim < 2: return image.reshape(original_shape)` after `cp.squeeze(image)` in
morphology/convex_hull.py.
""",
)

LEFT_OUT = {}

_GREY = ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
_GREY_DIFFERENCES = (
    _SHAPES,
    _HALF,
    _OUT_BY_POSITION,
    BOOLEAN_OUT,
    CVAL_OUTSIDE,
    far_mirrored(footprint, "morphology.erosion", "footprint=ski.morphology.disk(8)"),
    Difference(
        "out has a dtype that does not hold the image's numbers; give no out",
        lambda call: (
            call.out is not None and not np.can_cast(call.image.dtype, call.out.dtype, "safe")
        ),
    ),
    Difference(
        "mode extends the image by the end of a 64-bit dtype, which scikit-image "
        "takes for a double; give mode='reflect'",
        lambda call: call.mode in ("max", "min", "ignore") and call.image.dtype.char in "lqLQ",
        example="""
image = np.zeros((3, 4), int)
theirs = cs.morphology.dilation(cp.asarray(image), mode="max")
bool((theirs.get() != ski.morphology.dilation(image, mode="max")).any())
""",
    ),
    Difference(
        "cval is neither 0 nor 1 for a boolean image; give 0 or 1",
        lambda call: (
            call.image.dtype == bool and call.mode == "constant" and call.cval not in (0, 1)
        ),
        example="""
image = np.eye(6, dtype=bool)
theirs = cs.morphology.opening(cp.asarray(image), mode="constant", cval=0.3)
bool((theirs.get() != ski.morphology.opening(image, mode="constant", cval=0.3)).any())
""",
    ),
)

DIFFERENCES = {
    **dict.fromkeys(_GREY, _GREY_DIFFERENCES),
    "white_tophat": (
        *_GREY_DIFFERENCES,
        Difference(
            "out has another dtype than the image; give one of the image's dtype, or no out",
            lambda call: call.out is not None and call.out.dtype != call.image.dtype,
        ),
    ),
    **dict.fromkeys(["h_maxima", "h_minima"], (_HALF_EXTENDED,)),
    **{
        f"isotropic_{operation}": _ISOTROPIC
        for operation in ("erosion", "dilation", "opening", "closing")
    },
    "medial_axis": _MEDIAL_AXIS,
    "remove_small_holes": (
        Difference(
            "out must be boolean",
            lambda call: call.out is not None and call.out.dtype != bool,
            invalid=True,
        ),
    ),
    "convex_hull_image": (
        Difference(
            "include_borders=False has no GPU version; leave include_borders out, which changes "
            "the result",
            lambda call: not call.include_borders,
        ),
        Difference(
            "image is not boolean, and scikit-image sees only the last 8 bits of its pixels; give "
            "image != 0, which changes the result",
            lambda call: call.image.ndim == 2 and call.image.dtype.char not in "?bB",
            example="""
image = np.zeros((200, 200), np.int32)
image[20, 20] = image[150, 60] = image[60, 150] = 1
image[180, 180] = 256
theirs = cs.morphology.convex_hull_image(cp.asarray(image))
bool((cp.asnumpy(theirs) != ski.morphology.convex_hull_image(image)).any())
""",
        ),
        Difference(
            "tolerance is not above 0, or so large that it decides about pixels; leave tolerance "
            "out, which changes the result",
            lambda call: not 0 < call.tolerance <= (1e-6 if call.image.ndim == 2 else math.inf),
            example="""
image = np.zeros((200, 200), bool)
image[20, 20] = image[150, 60] = image[60, 150] = True
theirs = cs.morphology.convex_hull_image(cp.asarray(image), tolerance=1.0)
ours = ski.morphology.convex_hull_image(image, tolerance=1.0)
bool((cp.asnumpy(theirs) != ours).any())
""",
        ),
        _THIN_AXIS,
    ),
    "convex_hull_object": (
        Difference(
            "image has other than 2 axes; give a plane, as image[0]",
            lambda call: call.image.ndim > 2,
            invalid=True,
        ),
        _THIN_AXIS,
    ),
}

CORRECTIONS = {
    **dict.fromkeys(_GREY, _within_double),
    "white_tophat": _white_tophat,
    "reconstruction": _reconstruction,
    **dict.fromkeys(["h_maxima", "h_minima"], _extended),
    **dict.fromkeys(["local_maxima", "local_minima"], _extrema),
    "isotropic_erosion": _isotropic("erosion"),
    "isotropic_dilation": _isotropic("dilation"),
    "isotropic_opening": _isotropic("erosion", "dilation"),
    "isotropic_closing": _isotropic("dilation", "erosion"),
    "medial_axis": _medial_axis,
    "remove_small_objects": _small("remove_small_objects", "min_size"),
    "remove_small_holes": _small("remove_small_holes", "area_threshold"),
    "convex_hull_object": _hull_of_objects,
}
