"""`morphology.h_maxima` and `h_minima` of Dask arrays, which are made of a reconstruction."""

import numpy as np

from .._warn import warn_caller
from ..functions.morphology.reconstruction import PRECISION
from ..scikit_image import private
from .join import on_the_host
from .once import once
from .reconstruction import reconstructed

theirs = private("morphology.extrema")


def high_extrema(call):
    """`morphology.h_maxima`, and `h_minima`."""
    (image,) = call.images
    minima, h, dtype = call.name.endswith("minima"), call.options["h"], image.dtype
    meta = np.empty_like(image._meta, dtype=np.uint8)
    is_rounded = isinstance(h, float | np.floating) and dtype.kind in "iu"
    loses = bool(is_rounded and h % 1)
    if not loses and dtype.kind in "iu":
        if h > np.iinfo(dtype).max:  # more than what any image of the dtype has
            return image.map_blocks(_nothing, dtype=np.uint8, meta=meta)
        h = dtype.type(h) if is_rounded else h
    options = {"dtype": bool, "into": dtype, "h": call.options["h"], "loses": loses}
    options["task"] = call.task(call.name, ("image",))
    is_higher = call.made(_is_higher, image.min(), image.max(), **options)
    if loses:
        image = image.astype(float)
    of_shifted = np.float64 if _is_wider(h, image.dtype) else image.dtype
    shifted = image.map_blocks(
        _shifted,
        dtype=of_shifted,
        meta=np.empty_like(image._meta, dtype=of_shifted),
        h=h,
        minima=minima,
    )
    method, around = "erosion" if minima else "dilation", call.options["footprint"]
    found = reconstructed(call, shifted, image, method, around)
    name = call.name.rpartition(":")[2]
    options = {"dtype": np.uint8, "meta": meta, "token": name, "h": h, "minima": minima}
    return image.map_blocks(_marked, found, is_higher, **options)


def _is_wider(h, dtype):
    return dtype == np.float32 and isinstance(h, np.float64)


def _nothing(image):
    return np.zeros_like(image, dtype=np.uint8)


def _is_higher(low, high, into, h, loses, task):
    """Whether the height is more than all of the image has."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_higher = bool(h > np.ptp(np.array([on_the_host(low), on_the_host(high)], into)))
    if loses and not is_higher:
        with once(task.call):  # since Dask may have this done for each chunk
            warn_caller(PRECISION, UserWarning)
    return is_higher


def _shifted(image, h, minima):
    """An image with its values lowered, or raised, as scikit-image does."""
    if image.dtype.kind == "f":
        if not bool(np.isfinite(image).all()):
            raise ValueError(
                "image has NaN or infinities; give finite numbers, as numpy.nan_to_num(image), "
                "which changes the result"
            )
        resolution = 2 * np.finfo(image.dtype).resolution * np.abs(image)
        with np.errstate(over="ignore"):
            return image + h + resolution if minima else image - h - resolution
    return (theirs._add_constant_clip if minima else theirs._subtract_constant_clip)(image, h)


def _marked(image, found, is_higher, h, minima):
    if is_higher:
        return _nothing(image)
    return ((found - image if minima else image - found) >= h).astype(np.uint8)
