"""What rank filters ask of their arguments, and what of it the ops need too."""

import functools

import numpy as np

from ._verdict import Invalid

# bytes of shared memory that a block has on every device without asking for more, less
# what the kernels declare themselves
SHARED = 44 * 1024
# footprints of medians that are given none, by number of axes
DEFAULT = {2: np.ones((3, 3), bool), 3: np.ones((3, 3, 3), bool)}
OUT_DTYPES = ("uint8", "uint16", "float64")


def check(image, footprint, out, mask, shifts, *, dimensions=(2, 3), hollow=False):
    """Verdict on the arguments that all rank filters have; `shifts` are x, y and z."""
    ndim = image.ndim
    if ndim not in dimensions:
        return Invalid("image has another number of axes than rank filters take")
    if image.dtype.kind == "b" and ndim == 2:
        return Invalid("rank filters do not take boolean images")
    if image.size == 0:
        return "image is empty"
    if not _is_array(footprint, image):
        return Invalid("footprint is no array")
    if footprint.ndim != ndim:
        return Invalid("footprint has another number of axes than the image")
    if footprint.dtype.kind not in "biuf":
        return f"footprint has dtype {footprint.dtype}"
    shape = footprint.shape
    for shift in shifts[:ndim]:
        if type(shift) is not int and not isinstance(shift, np.integer):
            return "a shift is no integer"
        if not -128 <= shift <= 127:
            return Invalid("a shift does not fit 8 bits")
    centre = centre_of(shape, shifts)
    if any(not 0 <= place < length for place, length in zip(centre, shape, strict=True)):
        return Invalid("the shifts move the centre out of the footprint")
    if hollow:
        for place, length in zip(hollow_at(shape, shifts), shape, strict=True):
            if not -length <= place < length:
                return Invalid("the shifts move the centre out of the footprint")
    if cells_of(shape)[1] > SHARED // (4 if image.dtype == np.uint16 else 2):
        return "footprint is too large for a block's shared memory"
    if mask is not None and (reason := _mask(mask, image)):
        return reason
    return None if out is None else _out(out, image)


def centre_of(shape, shifts):
    """Element of a footprint that lies on the pixel."""
    x, y, z = shifts
    moved = (y, x) if len(shape) == 2 else (x, y, z)
    return tuple(n // 2 + int(shift) for n, shift in zip(shape, moved, strict=True))


def hollow_at(shape, shifts):
    """Element that noise_filter leaves out: in 3-D another than the centre where x is not y."""
    x, y, z = shifts
    return tuple(n // 2 + int(shift) for n, shift in zip(shape, (y, x, z), strict=False))


_TILES = {
    1: ((1, 1, 1024), (1, 1, 32)),
    2: ((1, 32, 32), (1, 8, 32), (1, 1, 32)),
    3: ((8, 8, 32), (1, 8, 32), (1, 1, 32)),
}


@functools.cache
def cells_of(shape, most=0):
    """Results of a block, and cells that it needs for footprints of `shape`.

    The largest tile that needs no more than `most` cells, or the smallest.
    """
    for tile in _TILES[len(shape)]:
        cells = cells_around(tile, shape)
        if cells <= most:
            break
    return tile, cells


def cells_around(tile, shape):
    """Cells of a tile with its halo."""
    extent = (1, 1, *shape)[-3:]
    return int(np.prod([t + n - 1 for t, n in zip(tile, extent, strict=True)]))


def _is_array(value, image):
    return type(value) is np.ndarray or type(value) is type(image)


def _mask(mask, image):
    if not _is_array(mask, image):
        return "mask is no array"
    if mask.shape != image.shape:
        return "mask has another shape than the image"
    kind, size = mask.dtype.kind, mask.dtype.itemsize
    if kind not in "biuf" or size > 8:
        return f"mask has dtype {mask.dtype}"
    return None


def _out(out, image):
    if out is image:
        return Invalid("rank filters do not work in place")
    if type(out) is not type(image):
        return "out is no array of the image's kind"
    if out.dtype.name not in OUT_DTYPES or not out.flags.c_contiguous:
        return Invalid("out is not C-contiguous or has a dtype that rank filters do not write")
    if not out.dtype.isnative or not getattr(out.flags, "writeable", True):
        return "out is read-only or not in native byte order"
    if out.shape != image.shape:
        return "out has another shape than the image"
    return None
