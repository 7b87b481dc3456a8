"""What `cupyx.scipy.ndimage` refuses and SciPy takes, or refuses by another error."""

import functools

_INTERPOLATION = ("affine_transform", "map_coordinates", "rotate", "shift", "zoom")
_MODES = (
    *("constant", "grid-constant", "nearest", "mirror"),
    *("reflect", "grid-mirror", "wrap", "grid-wrap"),
)


def with_checks(name, function):
    """SciPy's function of that name with CuPy's checks before it."""
    check = _check_interpolation if name in _INTERPOLATION else _check_footprint

    @functools.wraps(function)
    def call(**arguments):
        check(arguments)
        return function(**arguments)

    return call


def _check_interpolation(arguments):
    if not 0 <= arguments["order"] <= 5:
        raise ValueError("spline order is not supported")
    if arguments["mode"] not in _MODES:
        raise ValueError(f"boundary mode ({arguments['mode']}) is not supported")
    if "coordinates" in arguments and arguments["coordinates"].dtype.kind not in "iuf":
        raise ValueError("coordinates should have floating point dtype")


def _check_footprint(arguments):
    footprint = arguments.get("footprint")
    if footprint is not None and not footprint.any():
        raise ValueError("all-zero footprint is not supported")
