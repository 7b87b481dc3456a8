"""One call on the device: arguments there, op, results back in the caller's kind."""

from .kinds import NUMPY, kind_of
from .transfer import empty_like, is_device_array, to_device, to_host, write_out
from .values import replace


def call_on_device(op, row, places, kind, args, kwargs, *, keep_on_device=False):
    """Run `op` for the caller's arguments.

    Parameters
    ----------
    op : callable
        Takes and returns device arrays, in the signature of scikit-image's function.
    row : Row
        The function's row of the catalog.
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

    changes = dict.fromkeys(row.host, on_host)
    changes |= dict.fromkeys(row.images + row.beside, on_device)
    if not row.images:
        new_args = [replace(value, on_device) for value in args]
        new_kwargs = {name: replace(value, on_device) for name, value in kwargs.items()}
    else:
        new_args, new_kwargs = list(args), dict(kwargs)
        for name, change in changes.items():
            if name in new_kwargs:
                new_kwargs[name] = replace(new_kwargs[name], change)
            elif places.get(name, len(args)) < len(args):
                new_args[places[name]] = replace(args[places[name]], change)

    out = kwargs.get(row.out) if row.out else None
    host_out = kind_of(out) is NUMPY
    if host_out:
        new_kwargs[row.out] = empty_like(out)
    result = op(*new_args, **new_kwargs)
    if host_out:
        write_out(out, new_kwargs[row.out])
        return out

    callers = {id(device): original for original, device in moved.values()}

    def as_callers(value):
        if not is_device_array(value):
            return value
        if id(value) in callers:
            return value if keep_on_device else callers[id(value)]
        if value.ndim == 0 or (kind is NUMPY and not keep_on_device):
            return to_host(value)
        return value

    return replace(result, as_callers)
