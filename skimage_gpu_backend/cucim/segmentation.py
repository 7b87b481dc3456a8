"""Where cuCIM's `segmentation` and scikit-image's differ."""

import numpy as np

from .._warn import gathering, warn_caller
from ..functions.segmentation.morphsnakes import dilates_first, operators
from ..scikit_image import private
from ..trouble import Declined
from . import _distances
from ._precision import doubled, scaled
from .deferred import deferred
from .difference import Difference, set_by_caller
from .documented import defaults

LEFT_OUT = {}


def _callback(function):
    name = f"skimage.segmentation:{function}"
    return Difference(
        "iter_callback is a Python function, which a GPU cannot call; leave iter_callback out",
        lambda call: call.iter_callback is not defaults(name)["iter_callback"],
    )


_SUBPIXEL = Difference(
    "mode is 'subpixel' and the image has an axis of length 1; give another mode, which changes "
    "the result",
    lambda call: call.mode == "subpixel" and 1 in call.label_img.shape,
    example="""
labels = np.array([[1, 1, 2, 2]])
theirs = cs.segmentation.find_boundaries(cp.asarray(labels, np.int32), mode="subpixel")
ours = ski.segmentation.find_boundaries(labels, mode="subpixel")
bool((cp.asnumpy(theirs) != ours).any())
""",
    bug="""\
find_boundaries(mode="subpixel") finds no boundary in an image with an axis of length 1.

Expected, as in scikit-image: one between the two labels.
Observed: `_find_boundaries_subpixel` in segmentation/boundaries.py looks at the 2**ndim smallest
values of a window; where an axis has one element, mode="reflect" puts each label there three
times, and the second label is not among them.
""",
)


def _fits(number, dtype):
    """Whether NumPy puts an integer into an array."""
    return dtype.kind not in "iu" or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


def _walks_in_single(call):
    return call.data.dtype.char in "ef" and not call.return_full_prob


DIFFERENCES = {
    "clear_border": (
        Difference(
            "bgval does not fit into the dtype of the labels",
            lambda call: (
                type(call.bgval) is int
                and not _fits(call.bgval, (call.labels if call.out is None else call.out).dtype)
            ),
            invalid=True,
        ),
        Difference(
            "out is another array than labels, of which cuCIM clears the objects; give no out",
            lambda call: call.out is not None and call.out is not call.labels,
            example="""
labels = np.zeros((5, 5), int)
labels[0, 0] = labels[2, 2] = 1
theirs, ours = cp.full((5, 5), 7), np.full((5, 5), 7)
cs.segmentation.clear_border(cp.asarray(labels), out=theirs)
ski.segmentation.clear_border(labels, out=ours)
bool((cp.asnumpy(theirs) != ours).any())
""",
        ),
    ),
    "expand_labels": (
        Difference(
            "image has other than 2 or 3 axes, in which the GPU measures no distances; "
            "give one of 2 or 3 axes",
            lambda call: call.label_image.ndim not in (2, 3),
        ),
        Difference(
            "spacing is not the same positive number for all axes; give one number, which changes "
            "the result",
            lambda call: _distances.anisotropic(call.spacing, call.label_image.ndim),
            example="""
labels = np.zeros((9, 9), int)
labels[0, 0], labels[4, 0], labels[0, 4] = 1, 2, 3
theirs = cs.segmentation.expand_labels(cp.asarray(labels), 9, spacing=(1, 2))
ours = ski.segmentation.expand_labels(labels, 9, spacing=(1, 2))
bool((cp.asnumpy(theirs) != ours).any())
""",
        ),
        Difference(
            "distance is one between pixels, where rounding decides; give a number between, as "
            "distance + 0.1, which changes the result",
            lambda call: _distances.rounding_decides(
                call.distance, call.spacing, call.label_image.shape
            ),
        ),
    ),
    "find_boundaries": (
        Difference(
            "scikit-image finds no boundaries in half precision",
            lambda call: call.label_img.dtype.char == "e",
            invalid=True,
        ),
        _SUBPIXEL,
    ),
    "mark_boundaries": (
        Difference(
            "label_img has another shape than the image; give labels of image.shape[:2]",
            lambda call: call.label_img.shape != call.image.shape[:2],
        ),
        Difference(
            "label_img is float16; give integers",
            lambda call: call.label_img.dtype.char == "e",
        ),
        Difference(
            "image has other than three channels; give a gray or an RGB image",
            lambda call: call.image.shape[2:] not in ((), (3,)),
        ),
        _SUBPIXEL,
    ),
    "inverse_gaussian_gradient": (
        Difference(
            "image is boolean or of integers, whose derivatives overflow; give "
            "skimage.util.img_as_float(image), which changes the result",
            lambda call: call.image.dtype.kind != "f",
            example="""
image = np.random.default_rng(0).integers(0, 60000, (40, 40), np.uint16)
theirs = cs.segmentation.inverse_gaussian_gradient(cp.asarray(image))
ours = ski.segmentation.inverse_gaussian_gradient(image)
not np.allclose(cp.asnumpy(theirs), ours, equal_nan=True)
""",
        ),
        Difference(
            "image is float16; give image.astype(numpy.float32)",
            lambda call: call.image.dtype.char == "e",
        ),
    ),
    "chan_vese": (
        Difference(
            "mu, lambda1, lambda2 or dt is a NumPy number, which makes the level set wider than an "
            "image in single precision; give Python's numbers",
            lambda call: (
                call.image.dtype.char in "ef"
                and any(
                    isinstance(number, np.generic)
                    for number in (call.mu, call.lambda1, call.lambda2, call.dt)
                )
            ),
            example="""
image = np.random.default_rng(0).random((8, 9), np.float32)
theirs = cs.segmentation.chan_vese(
    cp.asarray(image), lambda2=np.int64(1), max_num_iter=1, extended_output=True
)
ours = ski.segmentation.chan_vese(image, lambda2=np.int64(1), max_num_iter=1, extended_output=True)
theirs[1].dtype != ours[1].dtype
""",
        ),
        Difference(
            "tol is so large that cuCIM takes no step, as tol + 1 is rounded to tol; give a "
            "smaller number",
            lambda call: not call.tol < 2**24,
            example="""
image = np.random.default_rng(0).random((8, 9))
theirs = cs.segmentation.chan_vese(cp.asarray(image), tol=2**60, extended_output=True)
ours = ski.segmentation.chan_vese(image, tol=2**60, extended_output=True)
len(theirs[2]) != len(ours[2])
""",
        ),
    ),
    "morphological_chan_vese": (
        _callback("morphological_chan_vese"),
        Difference(
            "image is a volume, of whose gradient cuCIM leaves an axis out; nothing to change",
            lambda call: call.image.ndim > 2,
            example="""
volume = np.random.default_rng(0).random((9, 10, 11))
theirs = cs.segmentation.morphological_chan_vese(cp.asarray(volume), 2)
ours = ski.segmentation.morphological_chan_vese(volume, 2)
bool((cp.asnumpy(theirs) != ours).any())
""",
            bug="""\
morphological_chan_vese of a volume moves its surface along two axes only.

Expected, as in scikit-image: the absolute gradient along all axes, `np.abs(du).sum(0)`.
Observed: `_abs_grad_kernel(du[0], du[1])` in segmentation/morphsnakes.py leaves `du[2]` out.
""",
        ),
        Difference(
            "image has 64-bit integers, whose sums overflow; give image.astype(float)",
            lambda call: call.image.dtype.char in "lqLQ",
        ),
    ),
    "morphological_geodesic_active_contour": (_callback("morphological_geodesic_active_contour"),),
    "random_walker": (
        Difference(
            "data is in single precision, where rounding decides about pixels halfway "
            "between labels; give data.astype(float)",
            _walks_in_single,
        ),
        Difference(
            "mode is 'cg_mg', a multigrid solver, which the GPU lacks; give mode='cg_j', which "
            "changes the result within tol",
            lambda call: call.mode == "cg_mg",
        ),
        set_by_caller(
            "copy",
            True,
            reason="copy=False writes over labels; leave copy out, and take the result",
        ),
    ),
}


def _expand_labels(_, label_image, distance=1, spacing=1):
    """The nearest label as SciPy finds it; cuCIM takes another one of equally near ones."""
    import cupy as cp

    if not label_image.any():
        return cp.zeros_like(label_image)
    nearest = _distances.nearest_background(label_image == 0)
    near = _distances.squared(nearest) <= _distances.squared_limit(distance, spacing)
    return cp.where(near, label_image[nearest], label_image.dtype.type(0))


def _narrow(labels):
    """Labels as integers that cuCIM's rank filters tell apart: they compare doubles."""
    if labels.dtype.char not in "lqLQ":
        return labels
    if labels.size and int(abs(labels).max()) >= np.iinfo(np.int32).max:
        raise Declined(
            "label_field has labels beyond 2**31; give smaller ones, as by "
            "skimage.segmentation.relabel_sequential, which changes the result"
        )
    return labels.astype(np.int32)


def _marks_overflow(labels, mode):
    """Whether SciPy's double precision is too narrow for scikit-image's mark of background."""
    return mode == "outer" and labels.dtype.char in "lqLQ"


def _boundaries(theirs, mode, background, arguments):
    """Of labels that double precision tells apart; cuCIM's, or what else is in `arguments`."""
    from ._results import beyond_double

    labels = arguments["label_img"]
    if mode == "subpixel":
        arguments["label_img"] = _narrow(labels)
    elif beyond_double(labels):
        raise Declined(
            "label_img has labels beyond 2**53, which scikit-image rounds; give smaller ones"
        )
    elif _marks_overflow(labels, mode) and (labels == background).any():
        raise Declined(
            "label_img holds the largest 64-bit integer as background, which overflows "
            "in scikit-image; give it as int32"
        )
    return theirs(**arguments)


def _find_boundaries(theirs, **arguments):
    background = arguments.get("background", 0)
    return _boundaries(theirs, arguments.get("mode", "thick"), background, arguments)


def _mark_boundaries(theirs, **arguments):
    arguments["image"] = scaled(arguments["image"])
    background = arguments.get("background_label", 0)
    return _boundaries(theirs, arguments.get("mode", "outer"), background, arguments)


def _contour(theirs, **arguments):
    """With distances in double precision where the first level set is a disk."""
    import cupy as cp

    preset, shape = arguments.get("init_level_set"), arguments["image"].shape
    if len(shape) == 2 and isinstance(preset, str) and preset in _DISKS:
        share, height = _DISKS[preset]
        centre = [int((length - 1) / 2) for length in shape]
        radius = min(centre) * share
        rows, columns = (cp.arange(n) - middle for n, middle in zip(shape, centre, strict=True))
        distance = cp.sqrt(rows[:, np.newaxis] ** 2 + columns**2)
        arguments["init_level_set"] = (radius - distance) / (radius * height)
    arguments["image"] = doubled(arguments["image"])
    return theirs(**arguments)


_DISKS = {"disk": (1.0, 1), "small disk": (0.5, 3)}  # share of the image, slope of the cone


def _evolved(theirs, **arguments):
    """Active contours smooth by two operators in turn: scikit-image's turn goes on here.

    Whose turn it is outlasts the call: a contour depends on how many steps were before.
    """
    from cucim.skimage.segmentation import morphsnakes

    original = private("segmentation.morphsnakes")

    if dilates_first(morphsnakes) != dilates_first(original):
        next(operators(morphsnakes).funcs)
    level_set = theirs(**arguments)
    for _ in range(arguments["num_iter"] * arguments.get("smoothing", 1) % 2):
        next(operators(original).funcs)
    return level_set


def _chan_vese(theirs, **arguments):
    return _evolved(theirs, **{**arguments, "image": doubled(arguments["image"])})


def _random_walker(theirs, **arguments):
    original = private("segmentation.random_walker_segmentation")

    arguments["data"] = scaled(arguments["data"])
    with gathering() as warned:
        result = theirs(**arguments)
    is_solved = not any("unlabeled" in text for text, *_ in warned)  # else there is nothing to do
    if arguments.get("mode") == "cg" and original.UmfpackContext is None and is_solved:
        warn_caller(
            '"cg" mode may be slow because UMFPACK is not available. '
            "Consider building Scipy with UMFPACK or use a "
            'preconditioned version of CG ("cg_j" or "cg_mg" modes).',
            UserWarning,
        )
    return result


CORRECTIONS = {
    "expand_labels": _expand_labels,
    "find_boundaries": _find_boundaries,
    "mark_boundaries": _mark_boundaries,
    "chan_vese": _contour,
    "morphological_chan_vese": _chan_vese,
    "morphological_geodesic_active_contour": _evolved,
    "random_walker": _random_walker,
    **deferred("_segmentation_maps", "join_segmentations relabel_sequential"),
}
