"""Calls that the conversions of skimage.util take.

Where CuPy makes a conversion in one launch already, there is no kernel for it.
"""

_PLAIN = "a plain conversion, for which there is no kernel"
_ALREADY = "the image has the wanted dtype already"


def img_as_float(image, force_copy=False):
    return _ALREADY if image.dtype.kind == "f" else img_as_float64(image)


def img_as_float64(image, force_copy=False):
    return None if image.dtype.kind == "i" and image.ndim else _PLAIN


def img_as_float32(image, force_copy=False):
    dtype = image.dtype
    is_wide = dtype.kind == "u" and dtype.itemsize == 8  # CuPy has double between
    return None if is_wide and image.ndim else img_as_float64(image)


def img_as_int(image, force_copy=False):
    return _to_integers(image, "int16")


def img_as_ubyte(image, force_copy=False):
    return _to_integers(image, "uint8")


def img_as_uint(image, force_copy=False):
    return _PLAIN if image.dtype == "uint8" else _to_integers(image, "uint16")


def _to_integers(image, dtype):
    if image.dtype == dtype:
        return _ALREADY
    if image.ndim == 0 or image.size == 0:
        return "the image has no axes, or is empty"
    if image.dtype.char == "e" and dtype != "uint8":
        return "float16 cannot hold 16-bit integers, and what comes of it depends on the machine"
    return None
