"""Distances as scikit-image has them, on cuCIM's distance transform.

cuCIM's transform finds the nearest pixel exactly where axes are spaced alike, returns its
distance in single precision, and breaks ties in its own way.
"""

import math

import cupy as cp
import numpy as np

from ..trouble import Declined

_FAR = 2**62


def nearest_background(image):
    """Index of each element's nearest zero along each axis: scipy's choice among equals.

    SciPy takes the least column, then the least row. cuCIM takes the least column too, but
    either row; the other one lies as far on this side as the one it took does on that.
    """
    from cucim.core.operations.morphology import distance_transform_edt

    found = distance_transform_edt(image, return_distances=False, return_indices=True)
    rows, *others = (axis.astype(np.intp) for axis in found)
    here = cp.arange(image.shape[0]).reshape(-1, *(1,) * len(others))
    mirrored = 2 * here - rows
    before = (rows > here) & (mirrored >= 0)
    mirrored = cp.where(before, mirrored, rows)
    before &= image[(mirrored, *others)] == 0
    return (cp.where(before, mirrored, rows), *others)


def squared(indices):
    """Squared distance of each element to the one that `indices` name for it."""
    shape = indices[0].shape
    steps = (
        index - cp.arange(length).reshape(-1, *(1,) * (len(shape) - axis - 1))
        for axis, (index, length) in enumerate(zip(indices, shape, strict=True))
    )
    return sum(step * step for step in steps)


def check_background(image):
    """Decline an image without a zero, for which SciPy measures from outside of it."""
    if image.all():
        raise Declined(
            "image has no background from which distances could be measured; nothing to change"
        )


def squared_limit(radius, spacing) -> int:
    """Largest squared distance in pixels that is not beyond `radius`; -1 where all are."""
    pixels = float(radius) / _isotropic(spacing)
    if not pixels >= 0:
        return -1
    if pixels > 2**30:
        return _FAR
    limit = round(pixels * pixels)
    while limit >= 0 and math.sqrt(limit) > pixels:
        limit -= 1
    while math.sqrt(limit + 1) <= pixels:
        limit += 1
    return limit


def threshold(radius, spacing, shape) -> float:
    """A radius in pixels between two distances, so that no rounding decides."""
    limit = squared_limit(radius, spacing)
    if limit >= sum(length * length for length in shape):
        return math.inf
    return math.sqrt(limit + 0.5) if limit >= 0 else -1.0


def by_axis(spacing, ndim):
    """Spacings of all axes as a tuple; None where it is not for so many axes."""
    if spacing is None:
        return (1.0,) * ndim
    if isinstance(spacing, int | float | np.number):
        return (float(spacing),) * ndim
    if not isinstance(spacing, list | tuple | np.ndarray) or len(spacing) != ndim:
        return None
    return tuple(map(float, spacing))


def _isotropic(spacing):
    return 1.0 if spacing is None else float(np.ravel(spacing)[0])


def anisotropic(spacing, ndim) -> bool:
    """Whether axes are spaced differently, or in a way that has no meaning."""
    axes = by_axis(spacing, ndim)
    return axes is None or len(set(axes)) != 1 or not axes[0] > 0


def rounding_decides(radius, spacing, shape, largest=math.inf) -> bool:
    """Whether a radius is so near to a distance of pixels that only SciPy's rounding tells."""
    axes = by_axis(spacing, len(shape))
    if not isinstance(radius, int | float | np.number):
        return True
    pixels = float(radius) / axes[0]
    square = pixels * pixels  # infinite, where `**` raises
    if pixels < 0 or not math.isfinite(pixels) or square > sum(n * n for n in shape):
        return False
    between = math.frexp(axes[0])[0] != 0.5 and abs(square - round(square)) < 1e-6
    return between or pixels > largest
