"""Where cuCIM's `registration` and scikit-image's differ."""


def _shift(theirs, **arguments):
    """The shift as an array, in the precision of the images' transforms."""
    import cupy

    if arguments.get("reference_mask") is not None or arguments.get("moving_mask") is not None:
        for name in ("reference_image", "moving_image"):
            # cuCIM sets the caller's own pixels outside the mask to 0
            arguments[name] = arguments[name].copy()
    shift, error, phase = theirs(**arguments)
    if isinstance(shift, tuple):
        shift = cupy.asarray(shift, error.dtype)
    return shift, error, phase


CORRECTIONS = {"phase_cross_correlation": _shift}
