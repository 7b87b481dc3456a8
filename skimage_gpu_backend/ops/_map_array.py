"""skimage.util.map_array on the device."""

import cupy as cp
import numpy as np

from ..device import c_name
from ..primitives import lookup as _lookup
from ..primitives.lookup import bits, by_table
from ..primitives.points import launch_points

_SOURCE = "util/lookup.cu"
specializations = _lookup.specializations


def map_array(input_arr, input_vals, output_vals, out=None):
    """Each value by its counterpart in a list, as `skimage.util.map_array`.

    1 launch; the image is read once, the result written once. The lists come to the host,
    which makes a table of them: one entry for each integer between the least and the
    largest where those lie close, else sorted.
    """
    image = cp.ascontiguousarray(input_arr)
    dtype = output_vals.dtype if out is None else out.dtype
    keys = input_vals.astype(image.dtype)
    values = output_vals.astype(dtype)
    in_place = out is None or (out.flags.c_contiguous and not cp.may_share_memory(out, image))
    result = out if in_place and out is not None else cp.empty(image.shape, dtype)
    span = int(keys.max()) - int(keys.min()) + 1 if keys.size else 0
    if span <= 4 * keys.size + 1024:
        first = bits(keys[keys.argmin()]) if keys.size else 0
        table = np.zeros(span, dtype)
        table[bits(keys) - first] = values  # of several values for one key the last stays
        by_table(image, int(first), table, out=result)
    else:
        _search(image, keys, values, result)
    if not in_place:
        out[...] = result
    return result if out is None else out


def _search(image, keys, values, result):
    keys = bits(keys)
    order = keys.argsort(kind="stable")
    keys, values = keys[order], values[order]
    last = np.append(keys[1:] != keys[:-1], True)
    keys, values = cp.asarray(keys[last]), bits(cp.asarray(values[last]))
    image, result = bits(image), bits(result)
    expression = f"search<{c_name(image.dtype)}, {c_name(result.dtype)}>"
    args = (image, image.size, keys, values, keys.size, result)
    launch_points(_SOURCE, expression, args, image, result)
