"""Calls with device arrays that run on the host: there, scikit-image, and back."""

from collections.abc import Iterator

import numpy as np

from ..availability import require_device
from .kinds import CUPY, device_kind, kind_of, on_devices
from .placement import devices_of, refuse_several
from .values import replace


def moved_to_host(args, kwargs):
    """Arguments with host copies of device arrays, and the way back.

    Returns
    -------
    args : tuple
    kwargs : dict
        For scikit-image's own function, which the caller calls: no frame of ours is to
        stand between it and the user's line.
    back : callable
        Takes the function's result and gives the user's: arrays as device arrays, an
        argument as the user's own object, scalars as they are. What the function wrote
        into its arguments (``out=``, in-place functions) is written into the user's
        device arrays. New arrays are on the device of the arguments.

    Raises
    ------
    TypeError
        The arrays are on different devices.
    """
    if device_kind(args, kwargs) is CUPY:
        return _moved(args, kwargs, read_only=())
    taken = _taken(args, kwargs)
    *moved, back = _moved(taken.args, taken.kwargs, taken.read_only)
    return *moved, lambda result: taken.run(lambda: back(result))


def _taken(args, kwargs):
    require_device()
    from .foreign import Taken

    return Taken(device_kind(args, kwargs), args, kwargs)


def _moved(args, kwargs, read_only):
    import cupy

    from .transfer import to_device, to_host

    devices = devices_of(args, kwargs)
    if len(devices) > 1:
        refuse_several(devices)
    device = cupy.cuda.Device(*devices)
    copies = {}  # id -> (caller's array, host copy, what was in it)

    def on_host(value):
        if kind_of(value) is not CUPY:
            return value
        if id(value) not in copies:
            copy = _laid_out(np.asarray(to_host(value)), value)
            copy.flags.writeable = id(value) not in read_only
            copies[id(value)] = (value, copy, copy.copy())
        return copies[id(value)][1]

    def back(result):
        if isinstance(result, Iterator):
            return _each(result, back)
        with device:
            return _back(result)

    def _back(result):
        callers = {}
        for array, copy, before in copies.values():
            callers[id(copy)] = array
            if not np.array_equal(copy, before, equal_nan=True):
                _write(array, copy)

        def as_callers(value):
            if id(value) in callers:
                return callers[id(value)]
            # records, Python objects and numbers of 128 bits cannot be device arrays
            is_array = type(value) is np.ndarray and on_devices(value.dtype)
            return to_device(value) if is_array else value

        return replace(result, as_callers)

    with device:
        moved_args = tuple(replace(value, on_host) for value in args)
        moved_kwargs = {name: replace(value, on_host) for name, value in kwargs.items()}
    return moved_args, moved_kwargs, back


def _each(results, back):
    """Results of a generator, which may compute the next one from what the caller has of this."""
    from .transfer import is_device_array, to_host

    for result in results:
        callers = back(result)
        yield callers
        if is_device_array(callers) and result.flags.writeable:
            np.copyto(result, to_host(callers))


def _laid_out(host, array):
    """`host` as contiguous as the device array, and in its order: some of scikit-image's loops
    refuse other memory, and NumPy names the first of several wrong indices that it meets there."""
    if array.flags.c_contiguous:
        return host
    if array.flags.f_contiguous:
        return np.asfortranarray(host)
    if 0 in array.strides:  # broadcast
        once = host[tuple(slice(None if stride else 1) for stride in array.strides)].copy()
        strides = [each and own for each, own in zip(array.strides, once.strides, strict=True)]
        return np.ndarray(host.shape, host.dtype, once, strides=strides)
    slowest = sorted(range(host.ndim), key=lambda axis: -abs(array.strides[axis]))
    spaced = np.empty([*(host.shape[axis] for axis in slowest), 2], host.dtype)[..., 0]
    view = spaced.transpose(np.argsort(slowest))
    view = view[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in array.strides)]
    view[...] = host
    return view


def _write(array, host):
    from .transfer import to_device

    if array.flags.forc:
        array.set(host)
    else:  # `set` refuses what is not contiguous
        array[...] = to_device(host)
