"""Where cuCIM's `filters` and scikit-image's differ."""

import numpy as np

from ..primitives.stencils import OVER_LINE, reaches_over_line
from ._precision import doubled, scaled, with_images, with_range
from .borders import CVAL_OUTSIDE, far_mirrored, footprint, gabor_kernel
from .deferred import deferred
from .difference import Difference, callable_given, in_half, lost_in_single

LEFT_OUT = {
    "hessian": "sets what is exactly 0 to 1: in flat parts of an image the last bits decide",
    "try_all_threshold": "draws with matplotlib",
}

_EDGES_OF_AXES = ("sobel", "scharr", "prewitt", "farid")
_EDGES = (
    *_EDGES_OF_AXES,
    *(f"{name}_{direction}" for name in _EDGES_OF_AXES for direction in "hv"),
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
)
_NEGATIVE_AXIS = Difference(
    "axis is negative, with which scikit-image smooths otherwise; give it as a number from 0 on, "
    "which changes the result",
    lambda call: call.axis is not None and np.min(call.axis) < 0,
    example="""
image = np.random.default_rng(0).random((9, 9))
theirs = cs.filters.sobel(cp.asarray(image), axis=-1)
not np.allclose(cp.asnumpy(theirs), ski.filters.sobel(image, axis=-1))
""",
)
_BORDER_VALUE = Difference(
    "mode='constant' with a cval that is not 0 differs in cuCIM; give cval=0, or another mode, "
    "which changes the result",
    lambda call: call.mode == "constant" and call.cval != 0,
    example="""
image = np.random.default_rng(0).random((9, 9))
theirs = cs.filters.sobel(cp.asarray(image), mode="constant", cval=1)
not np.allclose(cp.asnumpy(theirs), ski.filters.sobel(image, mode="constant", cval=1))
""",
    bug="""\
sobel, scharr, prewitt and farid ignore cval.

Expected, as documented: with mode "constant", pixels outside the image are cval.
Observed: they are 0. `_generic_edge_filter` in filters/edges.py has the parameter cval and
hands it to none of its calls of `ndi.convolve1d`; as each pass would need what the passes
before it make of cval, one way is to pad the image by the reach of the weights.
""",
)
_VOLUME = Difference(
    "image is a volume, where the last digits of eigenvalues decide about "
    "ridges; nothing to change",
    lambda call: call.image.ndim == 3,
    example="""
image = ski.data.astronaut()[:40, :40] / 255
theirs = cs.filters.frangi(cp.asarray(image))
not np.allclose(cp.asnumpy(theirs), ski.filters.frangi(image))
""",
)
_NO_SIGMA = Difference(
    "sigmas is empty; give numbers above 0, as range(1, 10, 2)",
    lambda call: len(call.sigmas) == 0,
    example="""
try:
    refused = cs.filters.frangi(cp.zeros((9, 9)), sigmas=[]) is None
except UnboundLocalError:
    refused = True
refused
""",
    bug="""\
frangi fails without sigmas, and hessian with it.

Expected, as in scikit-image, and as sato and meijering do: an image of zeros.
Observed: an UnboundLocalError, since `filtered_max` in filters/ridges.py is made in the first
turn of the loop over sigmas.
""",
)


def _fades(shape):
    """Whether the farthest element of a window lies between its last sample and the next."""
    lengths = np.atleast_1d(shape).astype(float)
    largest = lengths.max()
    centre = (largest - 1) / 2
    corner = centre + np.hypot.reduce(np.maximum(centre, largest - largest / lengths - centre))
    return largest - 1 + 1e-6 < corner < largest


def _reaches_over_line(call):
    sides = (shape or (3,) for shape in footprint(call))
    return any(reaches_over_line(call.mode, [n // 2 for n in s], call.image.shape) for s in sides)


DIFFERENCES = {
    "apply_hysteresis_threshold": (
        Difference(
            "low or high is an array of integers; give it as floats",
            lambda call: any(
                getattr(limit, "ndim", 0) and limit.dtype.kind in "biu"
                for limit in (call.low, call.high)
            ),
            example="""
image, low, high = np.ones((1, 2)), np.zeros((1, 2), int), np.array([[np.nan, 0.5]])
theirs = cs.filters.apply_hysteresis_threshold(*map(cp.asarray, (image, low, high)))
not np.array_equal(theirs.get(), ski.filters.apply_hysteresis_threshold(image, low, high))
""",
        ),
    ),
    "meijering": (
        Difference(
            "image is a row, of whose curvature cuCIM's rounding leaves something where there is "
            "none; nothing to change",
            lambda call: call.image.ndim < 2,
            example="""
image = np.array([2542731741.0, 2462732633.0])
theirs = cs.filters.meijering(cp.asarray(image), sigmas=[1]).get()
not np.allclose(theirs, ski.filters.meijering(image, sigmas=[1]))
""",
        ),
        Difference(
            "sigmas are larger than the image, of whose derivatives cuCIM's rounding leaves "
            "nothing; give smaller ones",
            lambda call: max(call.sigmas) > 1.5 * max(call.image.shape),
            example="""
image = np.random.default_rng(0).random((3, 2, 4, 2)) > 0.5
theirs = cs.filters.meijering(cp.asarray(image), sigmas=[7]).get()
not np.allclose(theirs, ski.filters.meijering(image, sigmas=[7]))
""",
        ),
        Difference(
            "alpha is negative; give a number from 0 on",
            lambda call: call.alpha is not None and call.alpha < 0,
            example="""
try:
    refused = cs.filters.meijering(cp.ones((9, 9)), alpha=-0.5) is None
except Exception:
    refused = True
refused
""",
            bug="""\
meijering fails for a negative alpha, the value that its reference gives for 2-D images.

Expected: the filtered image.
Observed: an error from compiling a kernel. `_get_circulant_init_kernel` in filters/ridges.py
makes alpha part of the kernel's name, where a minus sign cannot stand.
""",
        ),
    ),
    "frangi": (_VOLUME, _NO_SIGMA),
    "difference_of_gaussians": (lost_in_single("filters.difference_of_gaussians", "2"),),
    **dict.fromkeys(_EDGES_OF_AXES, (_NEGATIVE_AXIS, _BORDER_VALUE)),
    "gabor": (
        Difference(
            "image is of integers, for which cuCIM's weights have single precision; give "
            "skimage.util.img_as_float(image), which changes the result",
            lambda call: call.image.dtype.kind in "biu",
            example="""
image = np.random.default_rng(0).integers(0, 65536, (40, 40), np.uint16)
theirs = cs.filters.gabor(cp.asarray(image), 0.6)
not np.array_equal(cp.asnumpy(theirs[0]), ski.filters.gabor(image, 0.6)[0])
""",
        ),
        far_mirrored(gabor_kernel, "filters.gabor", "frequency=0.1"),
    ),
    "median": (
        CVAL_OUTSIDE,
        far_mirrored(footprint, "filters.median", "footprint=np.ones((17, 17)), mode='reflect'"),
        Difference(OVER_LINE, _reaches_over_line),
        Difference(
            "image or out is float16, in which SciPy has no median; give them as float32",
            lambda call: in_half(call) and call.behavior != "rank",
        ),
        Difference(
            "out has a dtype that does not hold all of the image's numbers, which SciPy converts "
            "by chance; give no out, and take the result",
            lambda call: call.out is not None and not np.can_cast(call.image.dtype, call.out.dtype),
        ),
    ),
    "unsharp_mask": (
        Difference(
            "channel_axis is negative, with which scikit-image leaves most of the result "
            "unwritten; give it as a number from 0 on, which changes the result",
            lambda call: call.channel_axis is not None and call.channel_axis < 0,
        ),
    ),
    "window": (
        Difference(
            "shape has corners less than an element beyond the window, which cuCIM does not "
            "clip; nothing to change",
            lambda call: _fades(call.shape),
            example="""
theirs, ours = (f.window("boxcar", (1, 5)) for f in (cs.filters, ski.filters))
not np.allclose(theirs.get(), ours)
""",
        ),
        Difference(
            "order in warp_kwargs is above 1, a spline; give order 0 or 1, which changes the "
            "result",
            lambda call: (call.warp_kwargs or {}).get("order") not in (None, 0, 1),
        ),
    ),
    "threshold_li": (
        callable_given("initial_guess", "iter_callback"),
        Difference(
            "image is float16, which is too coarse for the same steps; give "
            "image.astype(numpy.float32)",
            lambda call: call.image.dtype == "float16",
        ),
    ),
    "threshold_multiotsu": (
        Difference(
            "image is of integers, and its last axis is as short as one of channels; "
            "give one channel",
            lambda call: (
                call.image is not None
                and call.image.dtype.kind in "iu"
                and call.image.ndim > 2
                and call.image.shape[-1] in (3, 4)
            ),
        ),
    ),
    "threshold_local": (
        far_mirrored(
            lambda call: (
                [np.broadcast_to(call.block_size, call.image.ndim)]
                if call.method == "median"
                else []
            ),
            "filters.threshold_local",
            "block_size=17, method='median'",
        ),
        Difference(
            "method='generic' calls a Python function for each pixel, which a GPU cannot; give "
            "'gaussian', 'mean' or 'median', which changes the result",
            lambda call: call.method == "generic",
        ),
    ),
}

CORRECTIONS = {
    **dict.fromkeys(_EDGES, with_images(scaled)),
    **deferred(
        "_filters_images", "correlate_sparse difference_of_gaussians gaussian laplace median"
    ),
    "butterworth": with_images(doubled),
    "unsharp_mask": with_range,
    **deferred(
        "_filters_thresholds",
        "apply_hysteresis_threshold threshold_isodata threshold_li threshold_minimum"
        " threshold_multiotsu threshold_otsu threshold_sauvola threshold_triangle threshold_yen",
    ),
    **dict.fromkeys(
        ("frangi", "meijering", "sato", "threshold_local", "threshold_niblack"),
        with_images(doubled),
    ),
}
