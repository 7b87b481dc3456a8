"""skimage.util.map_array: values by a table."""

import functools

import numpy as np

from ...adapt.there import There
from ...device.launches import Array, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan, point
from ...primitives.arguments import is_contiguous, is_numeric, refuse_but_arrays
from ...primitives.lookup import MOST_LISTED, bits, listed, lookup, search


def map_array(input_arr, input_vals, output_vals, out=None):
    """Each value by its counterpart in a list: `skimage.util.map_array`.

    1 launch; the image is read once, the result written once. Of short lists on the device each
    block makes a table; one more launch converts one of another dtype. Others come to the host,
    which makes a table of them: one entry for each integer between the least and the
    largest where those lie close, else sorted. One more launch makes a strided image
    contiguous; one more copies into an `out` that is strided or shares memory with the image.
    """
    refuse_but_arrays(input_vals=input_vals, output_vals=output_vals)
    if input_arr.dtype.kind not in "iu":
        raise Invalid("input_arr is not of integers")
    if input_vals.ndim != 1 or input_vals.shape != output_vals.shape:
        raise Declined(
            "input_vals and output_vals are not two lists of one length; give one output "
            "for each input"
        )
    if input_arr.ndim == 0:
        raise Declined("input_arr has no axes; nothing to change")
    dtype = output_vals.dtype if out is None else _written(out, input_arr)
    if dtype.char == "e":
        raise Invalid("scikit-image maps to no float16")
    if not is_numeric(dtype) or not dtype.isnative:
        raise Declined(f"output_vals or out is {dtype}; give numbers of a dtype that kernels take")
    lists = input_vals, output_vals
    if all(type(v) is There for v in lists) and _is_short(lists, (input_arr.dtype, dtype)):
        return _of_lists(input_arr, *lists, dtype)
    input_vals, output_vals = (v.read() if type(v) is There else v for v in lists)
    keys, values = _cast(input_vals, input_arr.dtype), _cast(output_vals, dtype)
    return _planned(input_arr.shape, keys, values)


def _written(out, input_arr):
    """The dtype of `out`, which is one that scikit-image takes."""
    refuse_but_arrays(out=out)
    if out.shape != input_arr.shape:
        raise Invalid("out has another shape than input_arr")
    if out.ndim > 1 and not is_contiguous(out):
        # scikit-image takes it where its elements lie at equal distances
        raise Declined("out is not contiguous; give no out, and take the result")
    return out.dtype


def _cast(values, dtype):
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        raise Declined("input_vals or output_vals is not of numbers; give arrays of numbers")
    try:
        with np.errstate(invalid="raise", over="raise"):
            return values.astype(dtype)
    except FloatingPointError:
        raise Declined(
            f"input_vals or output_vals has numbers that {dtype} cannot hold; give "
            "numbers within its range"
        ) from None


def _is_short(lists, dtypes):
    """Whether blocks can make tables of two lists, whatever they hold, in these dtypes."""
    holds = (np.can_cast(v.dtype, dtype) for v, dtype in zip(lists, dtypes, strict=True))
    return 0 < lists[0].size <= MOST_LISTED and all(holds)


def _of_lists(input_arr, input_vals, output_vals, dtype):
    image = Array(input_arr.shape, input_arr.dtype, "input_arr")
    keys = _list("input_vals", input_vals, image.dtype)
    values = _list("output_vals", output_vals, dtype)
    result = Array(image.shape, dtype)
    launches = Launches([listed(image, keys, values, result)], result)
    reads = "input_arr", "input_vals", "output_vals", "out"
    return Plan(launches, point(image), reads=reads)


def _list(name, given, dtype):
    return Array(given.shape, dtype, name, converted=given.dtype != dtype)


def _planned(shape, keys, values):
    image, result = Array(shape, keys.dtype, "input_arr"), Array(shape, values.dtype)
    span = int(keys.max()) - int(keys.min()) + 1 if keys.size else 0
    if span <= 4 * keys.size + 1024:
        first = bits(keys[keys.argmin()]) if keys.size else 0
        table = np.zeros(span, values.dtype)
        table[bits(keys) - first] = values  # of several values for one key the last stays
        tables = {"table": table}
        seen = Array((1,), np.dtype(np.uint32), zero=True)
        step = lookup(image, int(first), Array.given("table", table), result, seen)
    else:
        tables = _sorted(bits(keys), values)
        step = search(image, *(Array.given(*each) for each in tables.items()), result)
    launches = Launches([step], result)
    run = functools.partial(_mapped, launches, tables)
    return Plan(run, point(image), launches=launches)


def _sorted(keys, values):
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    last = np.append(keys[1:] != keys[:-1], True)
    return {"keys": keys[last], "values": values[last]}


def _mapped(launches, tables, input_arr, out=None):
    tables = {name: xp.asarray(table) for name, table in tables.items()}
    return launches(input_arr=input_arr, out=out, **tables)
