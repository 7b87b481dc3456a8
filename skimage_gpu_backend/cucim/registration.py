"""Where cuCIM's `registration` and scikit-image's differ."""

import warnings

from .._warn import warn_caller


def _shift(theirs, **arguments):
    """The shift as an array, in the precision of the images' transforms."""
    import cupy

    if arguments.get("reference_mask") is not None or arguments.get("moving_mask") is not None:
        for name in ("reference_image", "moving_image"):
            # cuCIM sets the caller's own pixels outside the mask to 0
            arguments[name] = arguments[name].copy()
    if arguments.get("disambiguate"):
        shift, error, phase = _warning_the_caller(theirs, **arguments)
    else:
        shift, error, phase = theirs(**arguments)
    if isinstance(shift, tuple):
        shift = cupy.asarray(shift, error.dtype)
    return shift, error, phase


def _warning_the_caller(theirs, **arguments):
    """Result of a call, whose warnings point at the user's line."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = theirs(**arguments)
    for warning in told:
        warn_caller(str(warning.message), warning.category)
    return result


CORRECTIONS = {"phase_cross_correlation": _shift}
