"""One call on the device: arguments there, what runs, results back in the caller's kind."""

import contextlib
import functools
from collections.abc import Iterator

import cupy as cp

from . import managed, uploads
from .kinds import NUMPY, kind_of
from .resident import block_of
from .transfer import empty_like, is_device_array, to_device, to_host, to_host_side, write_out
from .values import replace
from .written import Level, Written, write_back


def call_on_device(run, call):
    """Result of a call as scikit-image would return it.

    Parameters
    ----------
    run : callable
        Takes the call's arguments by name, arrays on the device, and returns device arrays,
        NumPy scalars or containers of them.
    call : Call

    Returns
    -------
    result
        Arrays of the kind that the call asks for, NumPy scalars, containers. An argument that
        `run` returns is returned as the caller's own object; `Written` is unpacked.
    """
    kind, output = call.kind, call.output
    moved = {}  # id of the caller's array -> (the array, its device counterpart)
    given = set()  # ids of what the caller has on the device
    resident = output == "resident" and kind is NUMPY
    move = uploads.to_device if resident else to_device

    def on_device(value):
        if kind_of(value) is not NUMPY:
            given.add(id(value))
            return value
        if id(value) not in moved:
            moved[id(value)] = (value, move(value))
        return moved[id(value)][1]

    def there(value):
        return value if is_device_array(value) else move(value)

    def on_host(value):
        return to_host(value) if is_device_array(value) else value

    arguments = {
        name: replace(value, on_device if name in call.to_device else on_host)
        for name, value in call.arguments.items()
        if name != "out"
    } | call.whole
    out = call.arguments.get("out")
    if out is None and (transposed := _transposed(call.plan, arguments)):
        run = functools.partial(_run_transposed, transposed.run)
    host_out = kind_of(out) is NUMPY
    if out is not None:
        arguments["out"] = empty_like(out) if host_out else out
    if resident:
        with managed.allocations():
            result = run(**arguments)
    else:
        result = run(**arguments)
    if type(result) is Written:
        result = _written(result, call)
    blocks = [block for value, _ in moved.values() if (block := block_of(value))]
    # the host may read what stays on the device, and write into it, when the call is over
    shared = resident or blocks
    if host_out:
        write_out(out, arguments["out"])
        if shared or block_of(out):
            _wait()
        return out

    # the device arrays are kept: a generator would meet others of the same id
    callers = {id(device): (original, device) for original, device in moved.values()}

    def as_callers(value):
        if not is_device_array(value) or id(value) in given:
            return value
        if id(value) in callers and output == "cupy":
            return value
        original, _ = callers.get(id(value), (None, None))
        # of one in the other byte order, scikit-image gives a copy
        if original is not None and original.dtype.isnative:
            return original
        if value.ndim == 0 or (kind is NUMPY and output != "cupy"):
            return to_host_side(value, blocks) if resident else to_host(value)
        return value

    if isinstance(result, Iterator):
        where = managed.allocations if resident else contextlib.nullcontext
        as_level = there if output == "cupy" else as_callers
        return _each(result, where, as_callers, as_level, there, shared)
    result = replace(result, as_callers)
    if shared:
        _wait()
    return result


def _transposed(plan, arrays):
    """The plan for transposed views, if there is one and all arrays are in Fortran order."""
    if plan is None or plan.transposed is None:
        return None
    in_order = all(is_device_array(array) and array.flags.fnc for array in arrays.values())
    return plan.transposed() if in_order else None


def _run_transposed(run, **arrays):
    """Result of `run` for transposed views, whose memory is in C order, transposed back."""
    return run(**{name: array.T for name, array in arrays.items()}).T


def _written(found, call):
    def write(given, array):
        if kind_of(given) is not NUMPY:
            given[...] = array
            return True
        write_out(given, array)
        return call.output != "cupy"

    return write_back(found, call.arguments, write)


def _each(results, where, as_callers, as_level, on_device, shared):
    """Results of a generator, which works when it is asked for the next one."""
    while True:
        with where():
            try:
                item = next(results)
            except StopIteration:
                return
        is_level = type(item) is Level
        result = as_level(item.array) if is_level else replace(item, as_callers)
        if shared:
            _wait()
        yield result
        if is_level:
            item.current = functools.partial(on_device, result)


def _wait():
    cp.cuda.get_current_stream().synchronize()
