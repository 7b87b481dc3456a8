"""`measure.block_reduce` and `transform.downscale_local_mean` of Dask arrays, by whole blocks."""

from itertools import accumulate

import numpy as np

from ..functions.measure.block_reduce import sides_of
from ..scikit_image import on_host
from ..tiles.plan import up_to
from .chunk import on_chunk


def block_reduce(call):
    """`measure.block_reduce`, and `transform.downscale_local_mean`."""
    (image,) = call.images
    parameter = "block_size" if "block_size" in call.options else "factors"
    sides = sides_of(call.options[parameter], image.ndim)
    lengths = [_lengths(*each) for each in zip(image.chunks, sides, strict=True)]
    one = np.zeros((1,) * image.ndim, image.dtype)
    dtype = on_host(call.name, one, **{**call.options, parameter: one.shape}).dtype
    counts = tuple(
        tuple(-(-n // side) for n in each) for each, side in zip(lengths, sides, strict=True)
    )
    return image.rechunk(tuple(lengths)).map_blocks(
        on_chunk,
        chunks=counts,
        dtype=dtype,
        meta=np.empty_like(image._meta, dtype=dtype),
        token=call.name.rpartition(":")[2],
        task=call.task(call.name, ("image",), **call.options),
    )


def _lengths(chunks, side):
    """Lengths of chunks of whole blocks, the last but for what it lacks.

    Each has two blocks at least, since NumPy adds up one block in memory in another order.
    """
    whole, cuts = sum(chunks), [0]
    for place in accumulate(chunks[:-1]):
        place = up_to(place, side)
        if place - cuts[-1] >= 2 * side and whole - place > side:
            cuts.append(place)
    return tuple(b - a for a, b in zip(cuts, [*cuts[1:], whole], strict=True))
