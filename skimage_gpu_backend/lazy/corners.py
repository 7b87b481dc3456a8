"""`measure.euler_number` and `perimeter_crofton` of Dask arrays.

Both are sums over all squares (cubes) of 2 pixels a side, with nothing around the image. So of two
parts that have a layer of pixels in common, the sum of the whole is that of one and of the other
less that of the layer, whose sides each has once too often; and so along each axis.
"""

import itertools
from math import prod

import numpy as np

from . import sums
from .chunk import on_chunk


def of_corners(call):
    """`measure.euler_number`, and `measure.perimeter_crofton`."""
    import dask.array as da

    (image,) = call.images
    depth = {axis: (0, int(n > 1)) for axis, n in enumerate(image.numblocks)}
    wide = image
    if any(map(any, depth.values())):
        nothing = dict.fromkeys(depth, "none")
        wide = da.overlap.overlap(image, depth, nothing, allow_rechunk=False)
    parts = wide.map_blocks(
        _part,
        chunks=tuple((1,) * n for n in image.numblocks),
        dtype=object,
        meta=np.empty((0,) * image.ndim, object),
        token=f"{call.name.rpartition(':')[2]}-part",
        task=call.task(call.name, ("image",), **call.options),
    )
    dtype = int if call.name.endswith("number") else float
    return call.made(_number, sums.totalled(parts, sums.add_arrays), dtype=dtype)


def _part(block, task, block_info):
    """What a block with a layer of its neighbours behind adds."""
    here = block_info[0]
    ends = zip(here["chunk-location"], here["num-chunks"], strict=True)
    choices = [((1, slice(None)),) + ((-1, slice(-1, None)),) * (at < n - 1) for at, n in ends]
    total = 0
    for chosen in itertools.product(*choices):
        sign = prod(sign for sign, _ in chosen)
        total += sign * on_chunk(block[tuple(part for _, part in chosen)], task=task)
    return total


def _number(total):
    return total
