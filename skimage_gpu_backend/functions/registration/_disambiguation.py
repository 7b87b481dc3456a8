"""phase_cross_correlation's disambiguate: which of the shifts that are one for a transform."""

import itertools

import numpy as np

from ..._warn import warn_caller
from ...device import launch, resident_blocks
from ...device.dtypes import C_NAMES, code
from ...device.launches import Array, Launches
from ...devices import to_host, xp
from ...plan import Declined
from ...primitives.spline import coefficients
from ...primitives.stencils import BOUNDARY
from ...primitives.value_range import value_range

_SOURCE = "registration/cross_correlation.cu"
_BLOCK, _MOMENTS = 256, 6  # numbers of the struct Moments
_ORDER = 3  # of the spline
_ROUNDING = 1e-9  # of coefficients of correlation


def disambiguated(reference, moving, shift):
    """The shift for which images agree best where they overlap.

    As _disambiguate_shift of skimage/registration/_phase_cross_correlation.py: the shift cuts the
    images into boxes, one for each of the shifts.
    """
    _refuse_largest(moving)
    shape = reference.shape
    positive = [along % length for along, length in zip(shift, shape, strict=True)]
    negative = [along - length for along, length in zip(positive, shape, strict=True)]
    between = bool(np.any(shift % 1 != 0))
    splits = [
        ((0, index), (index, length))
        for index, length in zip(np.round(positive).astype(int).tolist(), shape, strict=True)
    ]
    boxes = list(itertools.product(*splits))
    moments = _moments(reference, moving, shift, between, boxes)
    likeness = [_likeness(*each) for each in moments]
    highest = max(likeness)
    chosen = boxes[likeness.index(highest)] if highest > -1 else None
    if chosen and sorted(likeness)[-2] > highest - _ROUNDING:
        raise Declined("disambiguate is True and two shifts are as likely; nothing to change")
    if chosen is None:
        message = (
            f"Could not determine real-space shift for periodic shift {shift!r} "
            f"as requested by `disambiguate=True` (disambiguation is degenerate)."
        )
        warn_caller(message, UserWarning)
        return shift
    ends = zip(chosen, splits, positive, negative, strict=True)
    return np.array([up if part == split[1] else down for part, split, up, down in ends])


def _refuse_largest(moving):
    """SciPy shifts in double precision, in which 64-bit integers may grow beyond their type."""
    if moving.dtype.kind not in "iu" or moving.dtype.itemsize < 8:
        return
    lowest, highest, _ = map(int, to_host(value_range(moving)))
    if max(-lowest, highest) > 2**53:
        raise Declined(
            "disambiguate is True and moving_image has integers beyond 2**53, which SciPy does not "
            "shift; give moving_image.astype(float)"
        )


def _likeness(count, mean_a, mean_b, aa, bb, ab):
    """Coefficient of correlation, -1 where there is none."""
    if count <= 2:
        return -1.0
    if (aa == 0 and mean_a % 1) or (bb == 0 and mean_b % 1):  # NumPy's mean may be another
        raise Declined(
            "disambiguate is True and an image is constant where a shift has it overlap; "
            "nothing to change"
        )
    if aa * bb == 0:
        return -1.0
    return min(max(ab / np.sqrt(aa) / np.sqrt(bb), -1.0), 1.0)


def _moments(reference, moving, shift, between, boxes):
    """The struct Moments of each box."""
    axes, order, source = reference.ndim, _ORDER if between else 0, moving
    if between:
        image = Array(moving.shape, moving.dtype, "image")
        mode = BOUNDARY["grid-wrap"]
        steps, made, _ = coefficients(image, range(axes), order, mode, 0.0, (1.0, -np.inf))
        source = Launches(steps, made)(image=moving)
    moments = xp.zeros((len(boxes), _MOMENTS))
    struct = np.dtype(
        [(n, "i8", axes) for n in ("size", "begin", "extent")] + [("shift", "f8", axes)]
    )
    for box, into in zip(boxes, moments, strict=True):
        count = int(np.prod([end - begin for begin, end in box]))
        if count <= 0:
            continue
        numbers = np.zeros((), struct)
        numbers["size"], numbers["shift"] = reference.shape, shift
        numbers["begin"] = [begin for begin, _ in box]
        numbers["extent"] = [end - begin for begin, end in box]
        blocks = min(-(-count // _BLOCK), resident_blocks(_BLOCK))
        partials, arrived = xp.empty((blocks, _MOMENTS)), xp.zeros(1, "uint32")
        args = reference, code(reference.dtype), source, code(moving.dtype), numbers[()], into
        size = {"work": count, "block": _BLOCK, "grid": (blocks,)}
        launch(_SOURCE, f"box_moments<{axes}, {order}>", (*args, partials, arrived), **size)
    return to_host(moments)


def specializations():
    """Every (source, expression) that this launches."""
    for axes in (1, 2, 3):
        for order in (0, _ORDER):
            yield _SOURCE, f"box_moments<{axes}, {order}>"
    for name in C_NAMES.values():
        yield "transform/spline.cu", f"spline_coefficients<{name}>"
    for name in ("int64", "uint64"):
        yield "exposure/value_range.cu", f"value_range<{C_NAMES[name]}>"
