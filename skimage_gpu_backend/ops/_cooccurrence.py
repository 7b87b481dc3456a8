"""feature.graycomatrix and graycoprops: grey level co-occurrence on the device."""

import math

import cupy as cp
import numpy as np

from ..accept._cooccurrence import PROPERTIES
from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES

_SOURCE = "feature/cooccurrence.cu"
_BLOCK = 256
_RUN = 16  # pixels that a thread of count_pairs takes at a time
_SHARED = 48 * 1024


def graycomatrix(image, distances, angles, levels=None, symmetric=False, normed=False):
    """Counts of pairs of grey levels at each offset: `skimage.feature.graycomatrix`.

    1 launch, 2 with `normed`; the image is read once, the matrices are written once, by
    `normed` read and written as float64. 4 bytes come to the host where a pixel may be beyond
    the levels.
    """
    levels = 256 if levels is None else int(levels)
    rows, columns = image.shape
    offsets = _offsets(distances, angles)
    pairs = len(offsets)
    matrices = cp.zeros((levels, levels, len(distances), len(angles)), np.uint32)
    odd = cp.zeros(1, np.uint32)
    shared = 4 * levels**2
    in_shared = shared <= _SHARED
    chunks = -(-rows * -(-columns // _RUN) // _BLOCK)
    grid = pairs * max(1, min(chunks, resident_blocks(_BLOCK) // pairs))
    args = (cp.ascontiguousarray(image), cp.asarray(offsets), matrices, odd, rows, columns, levels)
    launch(
        _SOURCE,
        f"count_pairs<{c_name(image.dtype)}>",
        (*args, pairs, bool(symmetric), in_shared),
        work=image.size,
        block=_BLOCK,
        shared=shared if in_shared else 0,
        grid=(grid,),
    )
    if image.dtype.kind == "i" or np.iinfo(image.dtype).max >= levels:
        _refuse(int(odd.get()[0]))
    if not normed:
        return matrices
    sums = np.array(
        [_pairs_at(down, rows) * _pairs_at(across, columns) for down, across in offsets]
    )
    sums = cp.asarray(sums * (2.0 if symmetric else 1.0))
    result = cp.empty(matrices.shape, np.float64)
    launch(_SOURCE, "shares", (matrices, sums, result, matrices.size, pairs), work=matrices.size)
    return result


def _offsets(distances, angles):
    """Rows and columns from one pixel of a pair to the other, as _glcm_loop rounds them."""
    offsets = [
        (_round(math.sin(angle) * distance), _round(math.cos(angle) * distance))
        for distance in np.asarray(distances, np.float64).tolist()
        for angle in np.asarray(angles, np.float64).tolist()
    ]
    return np.array(offsets, np.int64)


def _round(value):
    return int(value + 0.5 if value > 0 else value - 0.5)


def _pairs_at(offset, length):
    return max(0, length - abs(int(offset)))


def _refuse(odd):
    if odd & 1:
        raise ValueError("Negative-valued images are not supported.")
    if odd & 2:
        raise ValueError(
            "The maximum grayscale value in the image should be smaller than the number of levels."
        )


def graycoprops(P, prop="contrast"):
    """A property of each co-occurrence matrix: `skimage.feature.graycoprops`.

    1 launch; the matrices are read once (two to four times from cache), the result has one
    number for each. A strided array is copied first.
    """
    result = cp.empty(P.shape[2:], np.float64)
    args = (cp.ascontiguousarray(P), result, P.shape[0], result.size)
    expression = f"matrix_properties<{c_name(P.dtype)}>"
    args += (np.int32(PROPERTIES.index(prop)),)
    grid = (min(result.size, resident_blocks(_BLOCK)),)
    launch(_SOURCE, expression, args, work=P.size, block=_BLOCK, grid=grid)
    return result


def specializations():
    """Every (source, expression) that these ops launch."""
    yield _SOURCE, "shares"
    for dtype, name in C_NAMES.items():
        yield _SOURCE, f"matrix_properties<{name}>"
        if "int" in dtype:
            yield _SOURCE, f"count_pairs<{name}>"
