"""Running a call that is taken: find the device, tell trouble from errors."""

from . import notify
from .availability import as_trouble, require_device
from .device.loading import asking


def execute(call):
    """Result of a `Call`, as the user gets it.

    Where a device cannot have resident results they are ordinary ones, and the user is told so.

    Raises
    ------
    DeviceTrouble
        The device failed; the caller's arrays are as they were.
    """
    require_device()
    try:
        from .tiles.start import run

        if call.output == "resident" and (reason := _why_not_resident()):
            notify.ordinary_results(reason)
            call.output = None
        asking.name = call.name
        result = run(call)
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
