"""`measure.euler_number`, `perimeter_crofton` and `perimeter` of Dask arrays.

All are sums over what lies around each place, with nothing around the image: over squares (cubes)
of 2 pixels a side, and for `perimeter` of 5. So of two parts that have layers of pixels in common,
the sum of the whole is that of one and of the other less that of the layers, whose sides each has
once too often; and so along each axis. One layer is enough for squares of 2 pixels; of 4, each
pixel in them is 2 away from one of their ends, beyond which another part has all around it.
"""

import itertools
from functools import partial
from math import prod

import numpy as np
from scipy import ndimage as ndi

from ..functions.measure.perimeters import counts_of_borders, length_of_borders
from ..plan import Plan, Reach
from ..scikit_image import private
from . import cuts, sums
from .chunk import on_chunk
from .measured import measured

theirs = private("measure._regionprops_utils")


def of_corners(call):
    """`measure.euler_number`, and `measure.perimeter_crofton`."""
    task = call.task(call.name, ("image",), **call.options)
    dtype = int if call.name.endswith("number") else float
    return call.made(_number, _with_layers(call, 1, on_chunk, task, sums.add_arrays), dtype=dtype)


def perimeter(call):
    """`measure.perimeter`: kinds of border pixels are counted, so that it is equal."""
    task = call.task(call.name, ("image",), **call.options)
    total = _with_layers(call, 4, _borders, task, _add_counts)
    return call.made(_length, total, dtype=float)


def _with_layers(call, layers, function, task, add):
    """Sum of what `function` gives for each chunk with layers of its neighbours, less theirs."""
    import dask.array as da

    (image,) = call.images
    along = cuts.axes(image.chunks, Reach((layers,) * image.ndim))
    image = image.rechunk(tuple(axis.chunks for axis in along))
    depth = {axis: (0, layers * (n > 1)) for axis, n in enumerate(image.numblocks)}
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
        layers=layers,
        function=partial(function, task=task),
        add=add,
    )
    return sums.totalled(parts, add)


def _part(block, layers, function, add, block_info):
    """What a block with layers of its neighbours behind adds."""
    here = block_info[0]
    ends = zip(here["chunk-location"], here["num-chunks"], strict=True)
    choices = [((1, slice(None)),) + ((-1, slice(-layers, None)),) * (at < n - 1) for at, n in ends]
    found = []
    for chosen in itertools.product(*choices):
        sign = prod(sign for sign, _ in chosen)
        found.append(sign * function(block[tuple(part for _, part in chosen)]))
    return add(found)


def _number(total):
    return total


def _borders(image, task):
    """How many border pixels there are of each kind."""

    def plan_of(plan):
        return Plan(partial(counts_of_borders, plan.launches))

    host = partial(_borders_on_host, neighborhood=task.kwargs["neighborhood"])
    found = measured((image,), task, plan_of, host)
    return found.get() if hasattr(found, "get") else found


def _borders_on_host(image, neighborhood):
    """As scikit-image's `perimeter` counts them."""
    image = image.astype(np.uint8)
    around = theirs.STREL_4 if neighborhood == 4 else theirs.STREL_8
    border = image - ndi.binary_erosion(image, around, border_value=0)
    weights = np.array([[10, 2, 10], [2, 1, 2], [10, 2, 10]])
    kinds = ndi.convolve(border, weights, mode="constant", cval=0)
    return np.bincount(kinds.ravel(), minlength=50)


def _add_counts(parts):
    """Sum of counts, which values other than 0 and 1 make longer."""
    total = np.zeros(max(map(len, parts)), np.intp)
    for part in parts:
        total[: len(part)] += part
    return total


def _length(counts):
    return length_of_borders(counts)
