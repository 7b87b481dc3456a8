"""What the command's processes run; imports no CuPy before the device is chosen."""


def seen_or_failure(index):
    """Record of one sweep, or what is wrong with it."""
    from .record import seen
    from .sweeps import SWEEPS

    try:
        return seen(SWEEPS[index]), ""
    except AssertionError as error:
        return None, f"{SWEEPS[index].name}: {error}"
