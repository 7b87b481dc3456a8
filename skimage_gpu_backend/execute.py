"""Running an accepted call: find the device, load the op, tell trouble from errors."""

import importlib

from .availability import as_trouble, require_device
from .catalog import module_of


def execute(source, name, *call, size=0, **options):
    """Run function `name` from `source` on the device.

    Parameters
    ----------
    source : {"kernel", "cucim"}
        Our own op or cuCIM's function.
    name : str
        Public module and function.
    *call, **options
        Further arguments of `adapt.call.call_on_device`.
    size : int
        Bytes of the images that come from the host.

    Raises
    ------
    DeviceTrouble
        The device failed; the caller's arrays are as they were.
    """
    require_device()
    try:
        from .tiles.start import run

        return run(source, name, _implementation(source, name), size, *call, **options)
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
