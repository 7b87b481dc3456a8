"""Running an accepted call: find the device, load the op, tell trouble from errors."""

import functools
import importlib

from .availability import as_trouble, require_device
from .catalog import module_of
from .dispatch import notify


def execute(source, name, *call, output=None, size=0, op=None):
    """Run function `name` from `source` on the device.

    Parameters
    ----------
    source : {"kernel", "cucim"}
        Our own op or cuCIM's function.
    name : str
        Public module and function.
    *call, output
        Further arguments of `adapt.call.call_on_device`. Where a device cannot have
        resident results they are ordinary ones, and the user is told so.
    size : int
        Bytes of the images that come from the host.
    op : callable, optional
        Where the call has a plan.

    Raises
    ------
    DeviceTrouble
        The device failed; the caller's arrays are as they were.
    """
    require_device()
    try:
        from .tiles.start import run

        if output == "resident" and (reason := _why_not_resident()):
            notify.ordinary_results(reason)
            output = None
        op = op or _implementation(source, name)
        result = run(source, name, op, size, *call, output=output)
    except Exception as error:
        if trouble := as_trouble(error):
            raise trouble from error
        raise
    return _in_turn(result) if hasattr(type(result), "__next__") else result


def _in_turn(results):
    """Results of a generator, which meets the device's trouble when it is asked for the next."""
    try:
        yield from results
        return
    except Exception as error:
        trouble = as_trouble(error)
        if trouble is None:
            raise
    raise trouble  # here, since the frames of the error hold device arrays


def _why_not_resident():
    import cupy

    from .adapt import managed

    return managed.why_not(cupy.cuda.runtime.getDevice())


def _implementation(source, name):
    if source == "cucim":
        from .cucim import implementation

        return implementation(name)
    return getattr(*_op(name))


@functools.cache
def _op(name):
    """Where our op is, and what it is called there."""
    module = importlib.import_module(f"{__package__}.ops.{module_of(name)}")
    return module, name.partition(":")[2]
