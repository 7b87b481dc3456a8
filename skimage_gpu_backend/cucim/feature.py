"""Where cuCIM's `feature` and scikit-image's differ."""

import numpy as np

from ..trouble import Declined
from ._feature_blobs import BLOB_CORRECTIONS, BLOB_DIFFERENCES
from ._feature_edges import edges
from ._precision import doubled, scaled, with_images
from .difference import Difference, lost_in_single

LEFT_OUT = {}

_CHANNELS_BUG = """\
{function} blurs an array of shape (M, N, 3) as M x N pixels with three channels.

Expected, as in scikit-image: all axes are spatial.
Observed: `channel_axis = -1 if (image.ndim == 3 and image.shape[-1] == 3) else None` in
feature/corner.py is handed to gaussian; it was a remedy for a warning that gaussian no longer
gives.
"""


def _three_planes(call):
    shape = [length for length in call.image.shape if length != 1]
    return len(shape) == 3 and shape[-1] == 3


def _channels(function, options="", applies=_three_planes):
    return Difference(
        "image is a volume of three planes in its last axis, which cuCIM takes for "
        "RGB; nothing to change",
        applies,
        example=f"""
volume = np.random.default_rng(0).random((8, 9, 3))
theirs = cs.feature.{function}(cp.asarray(volume){options})
ours = ski.feature.{function}(volume{options})
not np.allclose(cp.asnumpy(cp.asarray(theirs)), ours)
""",
        bug=_CHANNELS_BUG.format(function=function),
    )


def _elements(call):
    return next(iter(vars(call).values()))


_NOT_FLOATING = Difference(
    "images are of integers or booleans; give image.astype(float) of each",
    lambda call: any(element.dtype.kind != "f" for element in _elements(call)),
)
_OF_LINES = Difference(
    "images are other than three planes and have less than three axes, of whose matrices cuCIM "
    "has another number of elements; give three planes, or six volumes",
    lambda call: len(_elements(call)) != 3 and _elements(call)[0].ndim < 3,
    example="""
lines = np.arange(36.0).reshape(6, 6)
theirs = cs.feature.structure_tensor_eigenvalues(cp.asarray(lines))
theirs.shape != ski.feature.structure_tensor_eigenvalues(lines).shape
""",
)
_HALF_3D = Difference(
    "scikit-image refuses 3 x 3 matrices in half precision",
    lambda call: len(_elements(call)) > 3 and _elements(call)[0].dtype.char == "e",
    invalid=True,
)


def _determinant(theirs, **arguments):
    image = scaled(arguments["image"])
    if image.ndim == 2 and arguments.get("approximate", True):
        # scikit-image's integral image is in double
        image = image.astype(np.float64) if image.dtype.kind == "f" else image
    return theirs(**{**arguments, "image": image})


def _eigenvalues(theirs, **arguments):
    """Of matrices whose squares double precision holds; cuCIM puts other ones beside them."""
    from ._results import host_extremes

    (elements,) = arguments.values()
    extremes = [abs(host_extremes(element)).max() for element in elements]
    if not max(extremes) < _SQUARE_ROOTS[elements[0].dtype.char]:
        raise Declined(
            "images have values whose squares overflow the dtype; give matrices in "
            "double, or scaled"
        )
    return theirs(**arguments)


_SQUARE_ROOTS = {char: np.sqrt(np.finfo(char).max) / 8 for char in "efd"}


def _workers_apart(theirs, **arguments):
    """Threads of the host have no part in it; cuCIM warns about them."""
    arguments.pop("workers", None)
    return theirs(**arguments)


def _labels_not_safe(call):
    return call.labels is not None and not np.can_cast(call.labels.dtype, int, "safe")


def _peaks(theirs, **arguments):
    image = arguments["image"]
    # thresholds are floating numbers: they cannot tell such integers apart
    if image.dtype.char in "lqLQ" and image.size and int(abs(image).max()) >= 2**53:
        raise Declined(
            "image has integers from 2**53 on, which thresholds do not tell apart; give "
            "smaller ones"
        )
    share = arguments.get("threshold_rel")
    if image.dtype.kind in "iu" and type(share) is int and share not in (0, 1):
        raise Declined(
            "threshold_rel is an integer, whose product with the largest integer may wrap; give "
            "a float, as 0.5"
        )
    return theirs(**arguments)


_OUTSIDE = Difference(
    "mode is 'constant' and cval is not 0, with which derivatives at the border differ; give "
    "cval=0, which changes the result",
    lambda call: call.mode == "constant" and call.cval != 0,
    example="""
image = np.random.default_rng(0).random((8, 9))
theirs = cs.feature.structure_tensor(cp.asarray(image), cval=1)[2]
not np.allclose(theirs.get(), ski.feature.structure_tensor(image, cval=1)[2])
""",
    bug="""\
sobel along the last axis differs from SciPy's in the mode "constant" with cval other than 0.

Expected, as in scipy.ndimage: the derivative is taken along `axis` first and the result is
smoothed along the other axes, both with the same cval outside.
Observed: other values in the pixels at the border (_vendored/_ndimage_filters.py).
""",
)
_PEAK_DIFFERENCES = (
    Difference(
        "image is boolean or float16, of which peaks are not found; give "
        "image.astype(numpy.float32)",
        lambda call: call.image.dtype.char in "?e",
    ),
    Difference(
        "labels is not of integers that fit into int64; give labels.astype(int)", _labels_not_safe
    ),
)

DIFFERENCES = {
    "canny": (
        Difference(
            "scikit-image refuses integers of 64 bits",
            lambda call: call.image.dtype.char in "lqLQ",
            invalid=True,
        ),
    ),
    "structure_tensor": (_channels("structure_tensor"), _OUTSIDE),
    "structure_tensor_eigenvalues": (_NOT_FLOATING, _OF_LINES, _HALF_3D),
    "hessian_matrix": (
        Difference(
            "image has one axis, or an axis of length 1, without derivatives; nothing to change",
            lambda call: call.image.ndim < 2 or 1 in call.image.shape,
        ),
        _channels(
            "hessian_matrix",
            ", use_gaussian_derivatives=False",
            lambda call: _three_planes(call) and not call.use_gaussian_derivatives,
        ),
        lost_in_single(
            "feature.hessian_matrix",
            "mode='reflect', use_gaussian_derivatives=False",
            lambda call: not call.use_gaussian_derivatives,
        ),
    ),
    "hessian_matrix_det": (
        _channels("hessian_matrix_det", ", approximate=False"),
        Difference(
            "sigma is negative; give a number from 0 on",
            lambda call: np.isscalar(call.sigma) and call.sigma < 0,
        ),
        lost_in_single(
            "feature.hessian_matrix_det",
            "sigma=10, approximate=False",
            lambda call: call.image.ndim > 2 or not call.approximate,
        ),
    ),
    "shape_index": (lost_in_single("feature.shape_index", "mode='reflect'"),),
    "corner_harris": (
        Difference(
            "k or eps is a NumPy number, which makes the result wider than an image in single "
            "precision; give Python's numbers",
            lambda call: (
                call.image.dtype.char in "ef"
                and isinstance(call.k if call.method == "k" else call.eps, np.generic)
            ),
            example="""
image = np.random.default_rng(0).random((8, 9), np.float32)
theirs = cs.feature.corner_harris(cp.asarray(image), k=np.int64(1))
theirs.dtype != ski.feature.corner_harris(image, k=np.int64(1)).dtype
""",
        ),
        lost_in_single(
            "feature.corner_harris", "'eps', sigma=0.3", lambda call: call.method != "k"
        ),
    ),
    "corner_shi_tomasi": (lost_in_single("feature.corner_shi_tomasi", "sigma=0.3"),),
    "corner_foerstner": (lost_in_single("feature.corner_foerstner", "sigma=0.3"),),
    "hessian_matrix_eigvals": (_NOT_FLOATING, _OF_LINES, _HALF_3D),
    "corner_kitchen_rosenfeld": (
        _OUTSIDE,
        Difference(
            "image is of floats or 64-bit integers, where rounding decides the result in flat "
            "parts; give smaller integers, which changes the result",
            lambda call: call.image.dtype.kind == "f" or call.image.dtype.itemsize == 8,
            example="""
image = ski.data.camera()[90:131, :53] / 255
theirs = cs.feature.corner_kitchen_rosenfeld(cp.asarray(image)).get()
not np.allclose(theirs, ski.feature.corner_kitchen_rosenfeld(image))
""",
        ),
    ),
    "blob_doh": (
        Difference(
            "min_sigma is below 1/3, whose determinants are NaN, between which cuCIM has other "
            "maxima; give a larger one",
            lambda call: not 3 * call.min_sigma >= 1,
            example="""
image = np.full((5, 2), 15677, np.int16)
image[4] = 15805
theirs = cs.feature.blob_doh(cp.asarray(image), 0.0, 12, num_sigma=5, threshold=0.001)
len(theirs) != len(ski.feature.blob_doh(image, 0.0, 12, num_sigma=5, threshold=0.001))
""",
        ),
    ),
    "peak_local_max": _PEAK_DIFFERENCES,
    "corner_peaks": _PEAK_DIFFERENCES,
    "match_template": (
        Difference(
            "image or template is in single precision, whose sums lose most digits; give "
            "image.astype(float)",
            lambda call: call.image.dtype.char in "ef" or call.template.dtype.char in "ef",
            example="""
image = ski.data.coins().astype("f") / 255
theirs = cs.feature.match_template(cp.asarray(image), cp.asarray(image[:9, :7]))
not np.allclose(theirs.get(), ski.feature.match_template(image, image[:9, :7]), atol=1e-3)
""",
        ),
    ),
    "daisy": (
        Difference(
            "visualize=True draws a picture, on the CPU; leave visualize out for the features "
            "alone",
            lambda call: call.visualize,
        ),
        Difference(
            "image is float16, whose descriptors the GPU computes in single precision; "
            "give image.astype(numpy.float32)",
            lambda call: call.image.dtype.char == "e",
            example="""
image = ski.data.camera()[:50, :50].astype(np.float16) / 255
cs.feature.daisy(cp.asarray(image)).dtype != ski.feature.daisy(image).dtype
""",
        ),
    ),
    **BLOB_DIFFERENCES,
}
CORRECTIONS = {
    **dict.fromkeys(
        (
            "structure_tensor",
            "hessian_matrix",
            "shape_index",
            "corner_harris",
            "corner_shi_tomasi",
            "corner_foerstner",
            "daisy",
        ),
        with_images(scaled),
    ),
    "canny": edges,
    **dict.fromkeys(("structure_tensor_eigenvalues", "hessian_matrix_eigvals"), _eigenvalues),
    "match_template": with_images(doubled),
    "corner_kitchen_rosenfeld": with_images(doubled),
    "hessian_matrix_det": _determinant,
    "multiscale_basic_features": _workers_apart,
    "peak_local_max": _peaks,
    "corner_peaks": _peaks,
    **BLOB_CORRECTIONS,
}
