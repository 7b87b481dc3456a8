"""Where cuCIM's `registration` and scikit-image's differ."""

from .difference import Difference


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


DIFFERENCES = {
    "phase_cross_correlation": (
        Difference(
            "upsample_factor with space='fourier' and real images, of which scikit-image "
            "warns; give image.astype(complex)",
            lambda call: call.space.lower() == "fourier" and call.upsample_factor != 1,
        ),
        Difference(
            "space='fourier' with an image of integers or booleans, whose error's precision is "
            "not that of the shift; give image.astype(complex)",
            lambda call: (
                call.space.lower() == "fourier"
                and not {call.reference_image.dtype.kind, call.moving_image.dtype.kind} <= set("fc")
            ),
        ),
        Difference(
            "space='fourier' of half-precision images, whose products CuPy transforms in single "
            "precision; give image.astype(numpy.float32)",
            lambda call: (
                call.space.lower() == "fourier"
                and "e" in (call.reference_image.dtype.char, call.moving_image.dtype.char)
            ),
        ),
        Difference(
            "disambiguate=True shifts moving_image, which SciPy does not do in half precision; "
            "give moving_image.astype(numpy.float32)",
            lambda call: bool(call.disambiguate) and call.moving_image.dtype.char == "e",
        ),
        Difference(
            "disambiguate=True makes complex images of space='fourier', of which cuCIM warns "
            "otherwise; give images in real space",
            lambda call: (
                bool(call.disambiguate)
                and (call.space.lower() == "fourier" or call.moving_image.dtype.kind == "c")
            ),
        ),
    ),
}
CORRECTIONS = {"phase_cross_correlation": _shift}
