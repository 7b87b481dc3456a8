"""feature.corner_fast, corner_moravec and corner_orientations on the device."""

import cupy as cp
import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import working

_SOURCE = "feature/segment_corners.cu"
_BLOCK = 256
_TILE = (16, 64)  # ROWS and COLUMNS in segment_corners.cu


def corner_fast(image, n=12, threshold=0.15):
    """Segments of a circle that are all brighter or darker: `skimage.feature.corner_fast`.

    1 launch; the image is read once, the response is written once.
    """
    image = image.squeeze()
    return _response("corner_fast", image, 3, (np.int32(n), float(threshold)))


def corner_moravec(image, window_size=1):
    """Least change when a window is shifted: `skimage.feature.corner_moravec`.

    1 launch; the image is read once, the response is written once.
    """
    return _response("corner_moravec", image, 2 * int(window_size), (np.int32(window_size),))


def _response(kernel, image, reach, options):
    result = cp.empty(image.shape, working(image.dtype))
    rows, columns = image.shape
    tiles = -(-rows // _TILE[0]) * -(-columns // _TILE[1])
    launch(
        _SOURCE,
        f"{kernel}<{c_name(image.dtype)}>",
        (cp.ascontiguousarray(image), result, rows, columns, *options),
        work=image.size,
        block=_BLOCK,
        shared=(_TILE[0] + 2 * reach) * (_TILE[1] + 2 * reach) * result.dtype.itemsize,
        grid=(min(tiles, resident_blocks(_BLOCK)),),
    )
    return result


def corner_orientations(image, corners, mask):
    """Directions to the intensity centroids around corners.

    As `skimage.feature.corner_orientations`. 1 launch of a thread for each corner, which
    reads the corner's neighbourhood; the result is written once.
    """
    image = cp.ascontiguousarray(image.squeeze())
    result = cp.empty(len(corners), working(image.dtype))
    args = (image, cp.ascontiguousarray(corners), cp.asarray((mask != 0).astype(np.uint8)), result)
    args += (*image.shape, len(corners), *mask.shape)
    expression = f"corner_orientations<{c_name(image.dtype)}>"
    launch(_SOURCE, expression, args, work=len(corners), block=32)
    return result


def specializations():
    """Every (source, expression) that these ops launch."""
    for name in C_NAMES.values():
        for kernel in ("corner_fast", "corner_moravec", "corner_orientations"):
            yield _SOURCE, f"{kernel}<{name}>"
