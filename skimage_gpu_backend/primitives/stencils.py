"""What functions of neighbourhoods share: boundary modes; sigmas and halos of each axis."""

import numpy as np

from ..trouble import Declined, Invalid

# scipy.ndimage's boundary modes, and their numbers in kernels/common/boundary.cuh
BOUNDARY = {
    "nearest": 0,
    "wrap": 1,
    "grid-wrap": 1,
    "reflect": 2,
    "grid-mirror": 2,
    "mirror": 3,
    "constant": 4,
    "grid-constant": 4,
}
NUMBERS = (int, float, np.number, np.bool_)
_WRAP = BOUNDARY["wrap"]
_MIRRORED = ("reflect", "grid-mirror")
OVER_LINE = (
    "image is a line that the footprint reaches over, beside which SciPy reads other memory; give "
    "mode='reflect'"
)
FAR_MIRRORED = (
    "footprint, or kernel, reaches over the image four times, which SciPy does not mirror so "
    "often; give a smaller one, or mode='mirror', which changes the result"
)
# SciPy leaves an axis with a sigma up to this one as it is.
LEAST_SIGMA = 1e-15
# Axes of the kernels that take any number of them (MOST_AXES in edges_nd.cu).
MOST_AXES = 8


def plain(value):
    """A 0-d array stands for its element."""
    return value[()] if isinstance(value, np.ndarray) else value


def sigma_per_axis(sigma, ndim, channel_axis):
    """One sigma for each axis, zero for channels, as scikit-image arranges them."""
    if isinstance(sigma, float | int) or not np.iterable(sigma):
        sigma = [sigma] * (ndim if channel_axis is None else ndim - 1)
    sigmas = [plain(s) for s in sigma]
    if channel_axis is not None and len(sigmas) == ndim - 1:
        sigmas.insert(channel_axis % ndim, 0)
    return sigmas


def radius(sigma, truncate):
    """Elements on either side of the centre that a Gaussian's weights reach."""
    try:
        return int(truncate * float(sigma) + 0.5)
    except (OverflowError, ValueError):
        raise Declined("sigma, or truncate, is infinite or NaN; give finite numbers") from None


def number(cval) -> float:
    """The constant beyond the border."""
    if isinstance(cval, np.complexfloating):
        raise Declined("cval is complex; give a real number")
    if not isinstance(cval, NUMBERS) and not (
        isinstance(cval, np.ndarray) and cval.ndim == 0 and cval.dtype.kind in "biuf"
    ):
        raise Declined("cval is not a number; give one, as 0")
    try:
        return float(cval)
    except OverflowError:
        raise Declined("cval is larger than any float; give a smaller one") from None


def refuse_constants(mode, cval):
    """Refuse modes that are unknown, and those with a constant other than 0 beyond the border."""
    if not isinstance(mode, str):
        raise Declined(
            "mode is a list, one for each axis; give one mode, as 'reflect', which changes the "
            "result"
        )
    if mode not in BOUNDARY:
        raise Invalid("mode is unknown")
    if number(cval) != 0 and mode.endswith("constant"):
        raise Declined(
            "mode is 'constant' and cval is not 0; give cval=0, or another mode, which changes "
            "the result"
        )


def is_far_mirrored(mode, before, shape) -> bool:
    """Whether something reaches four lengths of an axis before the border of a mirrored image.

    SciPy's filters with footprints and weights in several axes read the constant for every second
    length there.
    """
    return mode in _MIRRORED and any(
        length > 1 and reach >= 4 * length for reach, length in zip(before, shape, strict=False)
    )


def reaches_over_line(mode, before, shape) -> bool:
    """Whether a median reaches over a whole line before its border, which SciPy mirrors once."""
    return len(shape) == 1 and mode == "mirror" and before[0] >= shape[0]


def refuse_far_mirrored(mode, before, shape):
    """Refuse what `is_far_mirrored`."""
    if is_far_mirrored(mode, before, shape):
        raise Declined(FAR_MIRRORED)


def along(halo, mode):
    """Halo of each axis, None where the border of one end is continued by the other end.

    `mode` is one for all axes or one for each; that of an axis without a halo may be anything.
    """
    modes = [mode] * len(halo) if isinstance(mode, str) else mode
    return tuple(
        None if reach and BOUNDARY.get(name) == _WRAP else reach
        for reach, name in zip(halo, modes, strict=True)
    )
