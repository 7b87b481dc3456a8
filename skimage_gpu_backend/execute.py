"""Running a call that is taken: find the device, tell trouble from errors."""

import contextlib
import functools

from . import notify
from ._warn import gathering, notify_caller
from .availability import (
    as_trouble,
    give_up_device,
    gpu_is_in_use,
    require_capability,
    require_device,
)
from .environ import reader
from .failures import is_users
from .trouble import Declined, DeviceTrouble

_devices = reader("SKIMAGE_GPU_DEVICES")


def execute(call):
    """Result of a `Call`, as the user gets it.

    Where a device cannot have resident results they are ordinary ones, and the user is told so.

    Raises
    ------
    DeviceTrouble
        The device failed; the caller's arrays are as they were.
    """
    require_device()
    _check_variable(_devices())
    return guarded(lambda: _run(call))


@functools.cache
def _check_variable(text):
    """Report a wrong ``SKIMAGE_GPU_DEVICES`` at the first call, not at the first large one."""
    from .tiles import devices

    try:
        devices.chosen()
    except DeviceTrouble as wrong:
        notify_caller(f"{wrong.reason}; large calls run on the CPU")


def staying(image):
    """NumPy array with what `image` has, whose data stays on the device; else `image`.

    Raises
    ------
    DeviceTrouble
    """
    require_device()
    return image if _why_not_resident() else guarded(lambda: _staying(image))


def _staying(image):
    from .adapt.transfer import staying

    return staying(image)


def _run(call):
    from .device.loading import asking
    from .tiles.start import run

    require_capability()
    if call.output == "resident" and (reason := _why_not_resident()):
        notify.ordinary_results(reason)
        call.output = None
    asking.name = call.name
    return run(call)


def execute_on_cpu(call):
    """Result of a `Call` with NumPy arrays, computed on the CPU.

    Raises
    ------
    DeviceTrouble
        A kernel could not be compiled; the caller's arrays are as they were.
    """
    from .devices.cpu.call import call_on_cpu
    from .devices.cpu.threads import limited_to
    from .tiles import progress

    def run():
        with progress.of(call), limited_to(call.threads):
            return call_on_cpu(call.plan.run, call)

    return guarded(run, contextlib.nullcontext)


def _current_gpu():
    import cupy

    return cupy.cuda.Device()


def guarded(run, context=_current_gpu):
    """Result of `run`; what the device is to blame for is raised as `DeviceTrouble`.

    It is raised after the error is gone, whose frames hold device arrays. What the call has warned
    of by then is forgotten: scikit-image warns of it when it runs. `context` makes what results of
    a generator are computed in.
    """
    warnings = gathering()
    try:
        with warnings:
            result = run()
    except Exception as error:
        trouble = trouble_of(error)
        if trouble is None:
            if is_users(error):
                warnings.tell()
            raise
    except BaseException as stop:  # Ctrl-C: a console keeps it, and would keep what frames hold
        raise stop.with_traceback(None) from None
    else:
        return _in_turn(result, context()) if hasattr(type(result), "__next__") else result
    raise trouble


def _in_turn(results, context):
    """Results of a generator, each computed in the context of the call's device.

    The device may fail when the caller requests the next result.
    """
    try:
        while True:
            with context:
                try:
                    result = next(results)
                except StopIteration:
                    return
            yield result
    except Exception as error:
        trouble = trouble_of(error)
        if trouble is None:
            raise
    except BaseException as stop:
        raise stop.with_traceback(None) from None
    raise trouble


def trouble_of(error) -> DeviceTrouble | None:
    """`DeviceTrouble` for an exception that the device is to blame for, else None.

    Where the device has not survived, it is given up.
    """
    trouble = as_trouble(error)
    if trouble is None or isinstance(trouble, Declined) or not gpu_is_in_use():
        return trouble
    from .tiles import devices

    try:
        failure = devices.failure()
    except DeviceTrouble:  # the variable that names devices is wrong, which is the trouble
        return trouble
    if failure is None:
        return trouble
    give_up_device(failure)
    try:
        require_device()
    except DeviceTrouble as lost:
        return lost


def _why_not_resident():
    import cupy

    from .adapt import managed

    return managed.why_not(cupy.cuda.runtime.getDevice())
