"""One call on the device: arguments there, op, results back in the caller's kind."""

from collections.abc import Iterator

from .kinds import NUMPY, kind_of
from .transfer import empty_like, is_device_array, to_device, to_host, write_out
from .values import replace


def call_on_device(op, names, places, kind, args, kwargs, *, keep_on_device=False):
    """Run `op` for the caller's arguments.

    Parameters
    ----------
    op : callable
        Takes and returns device arrays, in the signature of scikit-image's function.
    names : tuple of str
        Parameters whose arrays go to the device; other arrays are read on the host.
    places : dict of str to int
        Position of each positional parameter.
    kind : Kind
        Kind of the caller's images, and so of the result.
    args, kwargs
        The caller's own.
    keep_on_device : bool
        Results stay device arrays although the images came from the host.

    Returns
    -------
    result
        As scikit-image would return it: arrays of `kind`, NumPy scalars, containers.
        An argument that the op returns is returned as the caller's own object.
    """
    moved = {}  # id of the caller's array -> (the array, its device counterpart)

    def on_device(value):
        if kind_of(value) is not NUMPY:
            return value
        if id(value) not in moved:
            moved[id(value)] = (value, to_device(value))
        return moved[id(value)][1]

    def on_host(value):
        return to_host(value) if is_device_array(value) else value

    arguments = dict(zip(places, args, strict=False))
    rest = args[len(arguments) :]
    arguments |= kwargs
    out = arguments.pop("out", None)
    for name, value in arguments.items():
        change = on_device if name in names else on_host
        arguments[name] = replace(value, change)
    host_out = kind_of(out) is NUMPY
    if out is not None:
        arguments["out"] = empty_like(out) if host_out else out
    result = op(*rest, **arguments)
    if host_out:
        write_out(out, arguments["out"])
        return out

    # the device arrays are kept: a generator would meet others of the same id
    callers = {id(device): (original, device) for original, device in moved.values()}

    def as_callers(value):
        if not is_device_array(value):
            return value
        if id(value) in callers:
            return value if keep_on_device else callers[id(value)][0]
        if value.ndim == 0 or (kind is NUMPY and not keep_on_device):
            return to_host(value)
        return value

    if isinstance(result, Iterator):
        return (replace(value, as_callers) for value in result)
    return replace(result, as_callers)
