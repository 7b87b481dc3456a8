"""skimage.filters.median on the device: medians of footprints."""

import cupy as cp
import numpy as np

from ..accept._rank import SHARED, cells_of
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives.footprint_tiles import offsets_of, tiles_of, windows_of
from ..primitives.stencils import BOUNDARY
from ..trouble import Declined
from . import filters_rank

_SOURCE = "filters/median.cu"


def specializations():
    """Every (source, expression) that the op of this module launches."""
    for dtype, name in C_NAMES.items():
        if dtype not in ("bool", "float16"):
            yield _SOURCE, f"median<{name}>"


def median(image, footprint=None, out=None, mode="nearest", cval=0.0, behavior="ndimage"):
    """Median of each pixel's footprint, as `skimage.filters.median`.

    1 launch; image read once, result written once; a few numbers of the footprint go to the
    device. One more launch makes a strided image contiguous. As `skimage.filters.rank.median`
    where `behavior` says so.
    """
    if behavior == "rank":
        return filters_rank.median(image, footprint, out)
    elements = np.asarray(footprint) != 0
    count = np.count_nonzero(elements)
    if not count:
        raise Declined("the footprint is empty")
    source = cp.ascontiguousarray(image)
    direct = out is not None and out.flags.c_contiguous and not cp.may_share_memory(out, source)
    result = out if direct else cp.empty(image.shape, image.dtype)
    tile, cells = cells_of(elements.shape, SHARED // image.dtype.itemsize)
    windows = windows_of(image.shape, tile, elements.shape, [n // 2 for n in elements.shape])
    bytes_or_values = [x.view("uint8") if x.dtype.kind == "b" else x for x in (source, result)]
    dtype = bytes_or_values[0].dtype
    args = (bytes_or_values[0], cp.asarray(offsets_of(elements, windows)), np.int32(count))
    args += (np.int32(count // 2), windows[()], np.int32(BOUNDARY[mode]))
    beyond = cval if BOUNDARY[mode] == BOUNDARY["constant"] else 0
    args += (np.float64(beyond).astype(dtype), bytes_or_values[1])
    work, shared = tiles_of(windows) * 256, cells * dtype.itemsize
    launch(_SOURCE, f"median<{c_name(dtype)}>", args, work=work, block=(32, 8), shared=shared)
    if out is not None and not direct:
        out[...] = result
    return result if out is None else out
