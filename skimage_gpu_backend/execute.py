"""Running an accepted call: find the device, load the op, tell trouble from errors."""

import importlib

from .availability import as_trouble, require_device
from .catalog import module_of


def execute(source, name, *call, **options):
    """Run function `name` from `source` on the device.

    Parameters
    ----------
    source : {"kernel", "cucim"}
        Our own op or cuCIM's function.
    name : str
        Public module and function.
    *call, **options
        Further arguments of `adapt.call.call_on_device`.

    Raises
    ------
    DeviceTrouble
        The device failed; the caller's arrays are as they were.
    """
    require_device()
    try:
        from .adapt.call import call_on_device

        return call_on_device(_implementation(source, name), *call, **options)
    except Exception as error:
        if trouble := as_trouble(error):
            raise trouble from error
        raise


def _implementation(source, name):
    if source == "cucim":
        from .cucim import implementation

        return implementation(name)
    ops = importlib.import_module(f"{__package__}.ops.{module_of(name)}")
    return getattr(ops, name.partition(":")[2])
