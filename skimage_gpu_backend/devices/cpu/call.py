"""One call on the CPU: arrays as kernels take them, and results as the caller gets them."""

from collections.abc import Iterator

import numpy as np

from ...adapt.values import replace
from ...adapt.written import Level, Written, write_back
from .. import on_cpu


def call_on_cpu(run, call):
    """Result of a call as scikit-image would return it.

    Kernels read the caller's memory. They write new arrays; the caller's arrays are written last.

    Parameters
    ----------
    run : callable
        Takes the call's arrays by name, and returns arrays, NumPy scalars or containers of them.
    call : Call

    Returns
    -------
    result
        NumPy arrays that own their data, NumPy scalars, containers. An argument that `run` returns
        is returned as the caller's own object.
    """
    given = {}  # id of an array for kernels -> (that array, the caller's)

    def for_kernels(value):
        if not isinstance(value, np.ndarray):
            return value
        array = _native(value)
        given[id(array)] = array, value
        return array

    out = call.arguments.get("out")
    arrays = {n: replace(v, for_kernels) for n, v in call.arguments.items() if n != "out"}
    if out is not None:
        arrays["out"] = np.empty(out.shape, out.dtype.newbyteorder("="))
    with on_cpu():
        result = run(**arrays)
        if type(result) is Written:
            result = write_back(result, call.arguments, _write)
        if out is not None:
            np.copyto(out, arrays["out"], casting="unsafe")
            return out
        if isinstance(result, Iterator):
            return _each(result, given)
        return replace(result, lambda value: _as_callers(value, given))


def _native(array):
    """The array, or a copy in native byte order that is aligned."""
    is_ready = array.dtype.isnative and array.flags.aligned
    return array if is_ready else array.astype(array.dtype.newbyteorder("="))


def _as_callers(value, given):
    """A result as the caller gets it."""
    if not isinstance(value, np.ndarray):
        return value
    if id(value) in given:
        array, callers = given[id(value)]
        return callers if callers.dtype.isnative else array
    if not value.ndim:
        return value[()]
    is_view = any(np.may_share_memory(value, array) for array, _ in given.values())
    return value.copy(order="K") if is_view else value


def _write(given, array):
    np.copyto(given, array)
    return True


def _each(results, given):
    """Results of a generator, computed when the caller requests them."""
    while True:
        with on_cpu():
            try:
                item = next(results)
            except StopIteration:
                return
        if type(item) is Level:
            result = _as_callers(item.array, given)
            yield result
            item.current = lambda result=result: result
        else:
            yield replace(item, lambda value: _as_callers(value, given))
