"""Where cuCIM's `transform` and scikit-image's differ."""

import numpy as np

from .._warn import warn_caller
from ..adapt.written import Level
from ..scikit_image import private
from ..trouble import Declined
from ._precision import with_range
from .difference import Difference, lost_in_single

LEFT_OUT = {
    "estimate_transform": "returns a transform object, which lives on the host",
    "warp_coords": "takes a Python function, which cannot run on the GPU",
}


def _order(image, order):
    """Order of the spline, as scikit-image chooses it."""
    if order is None:
        return 0 if image.dtype == bool else 1
    return order


def _resampled(theirs, **arguments):
    """Splines and coordinates in double, as SciPy has them; cuCIM goes by the image's dtype."""
    image = arguments["image"]
    arguments.setdefault("clip", True)  # cuCIM clips only where it finds it necessary
    order = arguments["order"] = _order(image, arguments.get("order"))
    if order > 0 and image.dtype != bool:  # booleans are refused by cuCIM too
        return _floating(theirs, arguments)
    if order > 0 or image.dtype.itemsize == 8:
        return theirs(**arguments)
    arguments["image"] = image.astype(np.float64)
    return theirs(**arguments).astype(image.dtype)


def _resized(theirs, **arguments):
    image = arguments["image"]
    if "output_shape" in arguments:
        arguments["output_shape"] = tuple(arguments["output_shape"])
    if image.dtype.kind != "f" and _order(image, arguments.get("order")) == 0:
        if arguments.get("anti_aliasing"):
            return theirs(**arguments)  # booleans are refused by cuCIM too
        arguments["anti_aliasing"] = False  # the default goes by the dtype, which changes
    return _resampled(theirs, **arguments)


_BIQUADRATIC = (
    "Bi-quadratic interpolation behavior has changed due to a bug in the implementation of"
    " scikit-image. The new version now serves as a wrapper around SciPy's interpolation functions,"
    " which itself is not verified to be a correct implementation. Until skimage's implementation"
    " is fixed, we recommend to use bi-linear or bi-cubic interpolation instead."
)


def _warped(theirs, **arguments):
    if arguments.get("order") == 2:
        warn_caller(_BIQUADRATIC, UserWarning)
    return _resampled(theirs, **arguments)


def _mapped(theirs, *, inverse_map, **arguments):
    import cupy

    if isinstance(inverse_map, private("transform._warps").HOMOGRAPHY_TRANSFORMS):
        inverse_map = inverse_map.params
    inverse_map = cupy.asarray(inverse_map, np.float64)
    if inverse_map.shape == (3, 3):
        size = arguments.get("output_shape")
        size = arguments["image"].shape if size is None else size
        _check_plane(cupy.asnumpy(inverse_map)[2], size)
    return _warped(theirs, inverse_map=inverse_map, **arguments)


def _check_plane(row, size):
    """Decline where pixels come from infinity, by the last row of the matrix, which is linear."""
    corners = [(x, y, 1) for x in (0, size[1] - 1) for y in (0, size[0] - 1)]
    scales = corners @ row
    if not (scales.min() > 0 or scales.max() < 0):
        raise Declined(
            "inverse_map brings pixels from infinity into the result; give one that does "
            "not, or a smaller output_shape"
        )


def _floating(theirs, arguments):
    """cuCIM's result for the image in double; in single where the image is."""
    image = arguments["image"]
    if image.dtype.kind == "f":
        arguments["image"] = image.astype(np.float64, copy=False)
    result = with_range(theirs, **arguments)
    return result.astype(np.float32) if image.dtype.char in "ef" else result


def _reduced(theirs, **arguments):
    """`pyramid_reduce` and `pyramid_expand`, whose images in half precision stay as they are."""
    half = arguments["image"].dtype.char == "e"
    return theirs(**arguments) if half else _floating(theirs, arguments)


def _layers(theirs, **arguments):
    image = arguments["image"]
    is_single = image.dtype.char == "f"
    if is_single:
        layers = theirs(**{**arguments, "image": image.astype(np.float64)})
    else:
        layers = with_range(theirs, **arguments)
    for layer in layers:
        # cuCIM computes the next layer from this one
        level = Level(layer.astype(np.float32) if is_single else layer)
        yield level
        current = level.current()
        if current is not layer:
            layer[...] = current


def _enlarged(call):
    """Whether an axis gets longer, at order 1, with a constant around the image."""
    if call.mode != "constant" or _order(call.image, call.order) != 1:
        return False
    if hasattr(call, "upscale"):
        return True
    if hasattr(call, "scale"):
        return bool(np.any(np.asarray(call.scale) > 1))
    return any(new > old for new, old in zip(call.output_shape, call.image.shape, strict=False))


_BORDER = Difference(
    "mode='constant' mixes cval into the border of enlarged images otherwise in "
    "cuCIM; give mode='reflect'",
    _enlarged,
    example="""
image = np.ones((4, 4))
theirs = cs.transform.resize(cp.asarray(image), (8, 8), mode="constant")
not np.allclose(theirs.get(), ski.transform.resize(image, (8, 8), mode="constant"))
""",
    bug="""\
zoom(..., order=1, mode="grid-constant", grid_mode=True) differs from SciPy at the border.

Expected, as in scipy.ndimage.zoom: an output pixel between the first pixel and the constant
outside interpolates between the two.
Observed: other values in the outermost pixels where an axis is enlarged; orders 0 and 3 agree,
and so does map_coordinates (_vendored/_ndimage_interp_kernels.py).
""",
)
_NEAREST = Difference(
    "order is 0, with which rounding decides which pixel is the nearest; give order=1, unless "
    "these are labels, which changes the result",
    lambda call: _order(call.image, call.order) == 0,
)
_HALF_NEAREST = Difference(
    "image is float16 and order is 0; give image.astype(numpy.float32)",
    lambda call: call.image.dtype.char == "e" and _order(call.image, call.order) == 0,
)


def _homography(call):
    return isinstance(call.inverse_map, private("transform._warps").HOMOGRAPHY_TRANSFORMS)


def _matrix(call):
    return _homography(call) or getattr(call.inverse_map, "shape", None) == (3, 3)


def _option(call, name, default):
    """An argument, of `warp_polar` one of those that it hands on to `warp`."""
    return getattr(call, name, getattr(call, "kwargs", {}).get(name, default))


_BETWEEN = Difference(
    "cval is neither 0 nor 1 and the image is boolean; give 0 or 1",
    lambda call: (
        call.image.dtype == bool
        and _option(call, "cval", 0) not in (0, 1)
        and _option(call, "mode", "constant") == "constant"
    ),
)


def _mixed(call):
    """Whether SciPy's spline along the channels changes them, as it does along short axes."""
    if _option(call, "mode", "constant") != "symmetric" or call.image.ndim != 3:
        return False
    order = _order(call.image, _option(call, "order", None))
    channels = call.image.shape[
        -1 if getattr(call, "channel_axis", None) is None else call.channel_axis
    ]
    return order > 1 and channels > 1


_MIXED = Difference(
    "mode='symmetric' and order above 1 of an image with channels, which SciPy's spline mixes; "
    "give order=1, which changes the result",
    _mixed,
    example="""
image = np.random.default_rng(0).random((9, 8, 3))
options = {"order": 2, "mode": "symmetric"}
theirs = cs.transform.swirl(cp.asarray(image), **options).get()
not np.allclose(theirs, ski.transform.swirl(image, **options), rtol=0, atol=1e-7)
""",
)
_BICUBIC = "bicubic in scikit-image and a spline in cuCIM"
DIFFERENCES = {
    "integrate": (
        Difference(
            "ii is of floats, whose sums cuCIM cuts to integers; nothing to change",
            lambda call: call.ii.dtype.kind == "f",
            example="""
table = ski.transform.integral_image(np.full((3, 3), 0.25))
cs.transform.integrate(cp.asarray(table), (1, 1), (2, 2)).get()[0] != 1
""",
            bug="""\
integrate cuts the values of floating integral images to integers.

Expected, as in scikit-image: `float(ii[...])` for each corner.
Observed: `int(ii[...])` in transform/integral.py.
""",
        ),
    ),
    "resize": (
        _BORDER,
        Difference(
            "anti_aliasing=True with order=0 smooths integers as integers; give a float image or "
            "anti_aliasing=False, which changes the result",
            lambda call: (
                call.order == 0 and call.image.dtype.kind in "iu" and bool(call.anti_aliasing)
            ),
        ),
        _HALF_NEAREST,
        _BETWEEN,
    ),
    "rotate": (
        _NEAREST,
        _MIXED,
        Difference(
            f"order is 3, {_BICUBIC}; give order=1, which changes the result",
            lambda call: call.order == 3,
        ),
        Difference(
            "resize or center is given for an image with channels; leave them out, or give one "
            "channel, which changes the result",
            lambda call: call.image.ndim > 2 and (call.resize or call.center is not None),
            example="""
image = ski.data.astronaut()[:32, :40]
theirs = cs.transform.rotate(cp.asarray(image), 30, resize=True).get()
not np.allclose(theirs, ski.transform.rotate(image, 30, resize=True), atol=0.01)
""",
            bug="""\
rotate puts the translation of an image with channels into the channels.

Expected, as in scikit-image: image of shape (M, N, C) is rotated about `center`, or enlarged.
Observed: `affine_params[:3, :3] = tform.params` (transform/_warps.py) leaves the translation in
the column of the channel axis instead of the last one; and without resize, `output_shape` is
None, so that `output_shape + image.shape[2:]` raises TypeError.
""",
        ),
    ),
    "warp": (
        Difference(
            "inverse_map is a Python function or a transform without a matrix; give one with a "
            "matrix, as AffineTransform, which changes the result",
            lambda call: callable(call.inverse_map) and not _homography(call),
        ),
        Difference(
            "map_args is given, which is for Python functions; give a matrix or a "
            "transform, without map_args",
            lambda call: bool(call.map_args),
        ),
        Difference(
            "output_shape has other than two numbers; give two integers, as (256, 256)",
            lambda call: call.output_shape is not None and len(call.output_shape) != 2,
        ),
        Difference(
            "inverse_map is not a transform of the plane; give one whose matrix is 3 x "
            "3, as AffineTransform",
            lambda call: _homography(call) and call.inverse_map.params.shape != (3, 3),
        ),
        Difference(
            "inverse_map has another number of coordinates than the image has axes",
            lambda call: (
                not _matrix(call)
                and (
                    getattr(call.inverse_map, "shape", ())[:1] != (call.image.ndim,)
                    or call.inverse_map.ndim < 2
                )
            ),
            invalid=True,
        ),
        _BETWEEN,
        Difference(
            f"order is 3, {_BICUBIC}; give order=1, which changes the result",
            lambda call: call.order == 3 and _matrix(call),
        ),
        Difference(_NEAREST.reason, lambda call: _NEAREST.applies(call) and _matrix(call)),
        _HALF_NEAREST,
        _MIXED,
    ),
    "swirl": (_HALF_NEAREST, _BETWEEN, _MIXED),
    "warp_polar": (_BETWEEN, _MIXED),
    "pyramid_expand": (_BORDER,),
    "pyramid_laplacian": (lost_in_single("transform.pyramid_laplacian", "max_layer=0"),),
    "rescale": (_BORDER, _HALF_NEAREST, _BETWEEN),
}
DIFFERENCES["rescale"] += DIFFERENCES["resize"][1:2]

CORRECTIONS = {
    "resize": _resized,
    "rescale": _resized,
    "rotate": _warped,
    "swirl": _warped,
    "warp_polar": _warped,
    "warp": _mapped,
    "pyramid_reduce": _reduced,
    "pyramid_expand": _reduced,
    "pyramid_gaussian": _layers,
    "pyramid_laplacian": _layers,
    "resize_local_mean": with_range,
}
