"""Where cuCIM's `measure` and scikit-image's differ."""

import numpy as np

from ..functions.color.gray import rgb2gray
from ..trouble import Declined
from ._measure_regions import REGION_CORRECTIONS, REGION_DIFFERENCES
from ._precision import doubled, scaled, with_images
from .borders import CVAL_OUTSIDE
from .difference import Difference


def _labels(theirs, **arguments):
    """Labels in scikit-image's dtype; pixels of `background` are told apart as it does."""
    image = arguments["label_image"]
    background = arguments.pop("background", None) or 0
    is_bool = image.dtype == bool
    if is_bool and background == 1:
        arguments["label_image"] = ~image
    elif not is_bool and background:
        arguments["label_image"] = image.astype(np.int64) - background
    result = theirs(**arguments)
    dtype = np.int32 if is_bool else np.int64
    if isinstance(result, tuple):
        return result[0].astype(dtype, copy=False), int(result[1])
    return result.astype(dtype, copy=False)


def _copied_coordinates(theirs, **arguments):
    """cuCIM subtracts a centre from the caller's own coordinates."""
    return theirs(**{**arguments, "coords": doubled(arguments["coords"]).copy()})


def _centred_coordinates(theirs, **arguments):
    """In double, as the centre is."""
    return theirs(**{**arguments, "coords": arguments["coords"].astype(np.float64)})


def _eigenvalues(theirs, **arguments):
    import cupy

    if not arguments["image"].any():
        raise Declined("image is all zeros, without inertia; nothing to change")
    arguments["image"] = doubled(arguments["image"])
    if arguments.get("T") is not None:
        arguments["T"] = cupy.asarray(arguments["T"])
    return list(theirs(**arguments))


def _correlation(theirs, **arguments):
    """As Python numbers; constant images, of which SciPy warns, are left to it."""
    mask = arguments.get("mask")
    for name in ("image0", "image1"):
        image = arguments[name] if mask is None else arguments[name][mask.astype(bool)]
        image = image.astype(np.float64)
        spread = float(image.std()) * image.size**0.5
        if not spread > 1e-12 * abs(float(image.mean())):
            raise Declined("images are constant, which correlates with nothing; nothing to change")
        if not 1e-150 < spread < 1e150:
            raise Declined(
                "images have a spread beyond 1e150, or below 1e-150, whose square double "
                "precision cannot hold; give them scaled"
            )
    return tuple(float(value) for value in theirs(**arguments))


def _blur(_, image, h_size=11, channel_axis=None, reduce_func=np.max):
    """With the smallest edges that scikit-image knows, which cuCIM lacks: 2.2e-16."""
    import cupy as cp
    from cucim.skimage._vendored.ndimage import uniform_filter1d
    from cucim.skimage.filters import sobel

    if channel_axis is not None:
        if image.shape[channel_axis] != 3:
            raise Declined(
                "image has other than three channels along channel_axis; give RGB, or a gray "
                "image without channel_axis"
            )
        image = rgb2gray(image, channel_axis=channel_axis).run(rgb=image)
    image = scaled(image)
    inside = tuple(slice(2, length - 1) for length in image.shape)
    measures = []
    for axis in range(image.ndim):
        blurred = uniform_filter1d(image, h_size, axis=axis)
        sharp, blurred = (
            cp.maximum(cp.abs(sobel(each, axis=axis)), np.spacing(1.0)) for each in (image, blurred)
        )
        whole = np.float64(sharp[inside].sum())
        lost = np.float64(cp.maximum(sharp - blurred, 0)[inside].sum())
        measures.append(np.abs(whole - lost) / whole)
    return measures if reduce_func is None else reduce_func(measures)


def _not_numpys(function):
    name = getattr(function, "__name__", "")
    return callable(function) and getattr(np, name, None) is not function


def _own_function(parameter):
    return Difference(
        f"{parameter} is a Python function, which a GPU cannot call; give one of NumPy's, as "
        "numpy.mean, which changes the result",
        lambda call: _not_numpys(getattr(call, parameter)),
    )


DIFFERENCES = {
    "moments_coords_central": (
        Difference(
            "center is in single precision; give it as Python's numbers or float64",
            lambda call: getattr(call.center, "dtype", np.float64) in (np.float16, np.float32),
        ),
    ),
    "moments_central": (
        Difference(
            "order is 0 and center is not given; give center",
            lambda call: call.order < 1 and call.center is None,
        ),
    ),
    "block_reduce": (
        _own_function("func"),
        CVAL_OUTSIDE,
        Difference(
            "func_kwargs is given, as a dtype to add up in; leave func_kwargs out, which changes "
            "the result",
            lambda call: bool(call.func_kwargs),
        ),
    ),
    "label": (
        Difference(
            "label_image is not of integers; give label_image.astype(int)",
            lambda call: call.label_image.dtype.kind not in "bui",
        ),
        Difference(
            "scikit-image labels images of up to three dimensions, but for boolean ones",
            lambda call: call.label_image.ndim > 3 and call.label_image.dtype != bool,
            invalid=True,
        ),
        Difference(
            "image is a volume of one plane in its last axis, whose regions are numbered in "
            "another order; give image[..., 0], which changes the result",
            lambda call: call.label_image.dtype != bool and call.label_image.shape[2:] == (1,),
            example="""
image = np.array([[0, 1], [1, 0]])[:, :, np.newaxis]
theirs = cs.measure.label(cp.asarray(image), connectivity=1)
bool((theirs.get() != ski.measure.label(image, connectivity=1)).any())
""",
        ),
    ),
    "perimeter": (
        Difference(
            "image is neither boolean nor of integers; give a mask, as image > 0, which changes "
            "the result",
            lambda call: call.image.dtype.kind not in "bui",
        ),
    ),
    "profile_line": (
        _own_function("reduce_func"),
        Difference(
            "SciPy does not interpolate in half precision",
            lambda call: call.image.dtype.char == "e",
            invalid=True,
        ),
        Difference(
            "cval is neither 0 nor 1 for a boolean image; give 0 or 1",
            lambda call: (
                call.image.dtype == bool and call.mode == "constant" and call.cval not in (0, 1)
            ),
            example="""
options = {"src": (0, 2), "dst": (0, 3), "mode": "constant", "cval": 0.7}
theirs = cs.measure.profile_line(cp.zeros((1, 1), bool), **options).get()
bool((theirs != ski.measure.profile_line(np.zeros((1, 1), bool), **options)).any())
""",
        ),
        Difference(
            "image has integers of more than 16 bits, which the GPU reads in single "
            "precision; give image.astype(float)",
            lambda call: call.image.dtype.kind in "iu" and call.image.dtype.itemsize > 2,
            example="""
image = np.full((3, 3), 2**24 + 1)
theirs = cs.measure.profile_line(cp.asarray(image), (0, 0), (2, 2), order=0).get()
bool((theirs != ski.measure.profile_line(image, (0, 0), (2, 2), order=0)).any())
""",
        ),
        Difference(
            "image is of integers, whose values between pixels are rounded; give "
            "skimage.util.img_as_float(image), which changes the result",
            lambda call: call.image.dtype.kind in "iu" and call.order != 0,
            example="""
image = np.array([[0, 1], [2, 3]], np.uint8)
line = (0, 0.5), (1, 0.5)
theirs = cs.measure.profile_line(cp.asarray(image), *line).get()
not np.allclose(theirs, ski.measure.profile_line(image, *line))
""",
        ),
    ),
    "pearson_corr_coeff": (
        Difference(
            "images have fewer than 3 pixels; nothing to change", lambda call: call.image0.size < 3
        ),
        Difference(
            "images are float16, which loses most digits; give image.astype(numpy.float32) of both",
            lambda call: "e" in (call.image0.dtype.char, call.image1.dtype.char),
        ),
    ),
    "manders_overlap_coeff": (
        Difference(
            "images are not float32 or float64, and their sums of squares overflow; give "
            "image.astype(float)",
            lambda call: call.image0.dtype.char not in "fd" or call.image1.dtype.char not in "fd",
            example="""
image = np.array([[100, 200], [50, 7]], np.uint8)
theirs = float(cs.measure.manders_overlap_coeff(cp.asarray(image), cp.asarray(image)))
abs(theirs - ski.measure.manders_overlap_coeff(image, image)) > 1e-3
""",
        ),
    ),
    "blur_effect": (
        Difference(
            "image is float16, which scikit-image mostly refuses; give image.astype(numpy.float32)",
            lambda call: call.image.dtype.char == "e",
        ),
    ),
    **REGION_DIFFERENCES,
}
CORRECTIONS = {
    "label": _labels,
    **dict.fromkeys(
        ("moments", "moments_central", "centroid", "inertia_tensor"), with_images(doubled)
    ),
    "inertia_tensor_eigvals": _eigenvalues,
    "moments_coords": _copied_coordinates,
    "moments_coords_central": _centred_coordinates,
    "pearson_corr_coeff": _correlation,
    "blur_effect": _blur,
    **REGION_CORRECTIONS,
}
