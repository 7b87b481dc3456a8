"""Where cuCIM's `filters.rank` and scikit-image's differ.

cuCIM's windows are mirrored at the image's borders; `_rank_windows` cuts them off as
scikit-image does, and `_rank_formulas` puts the results together from their values wherever
cuCIM's own differ.
"""

import functools

import numpy as np

from .difference import Difference

GENERIC = (
    "autolevel",
    "enhance_contrast",
    "entropy",
    "equalize",
    "geometric_mean",
    "gradient",
    "majority",
    "maximum",
    "mean",
    "median",
    "minimum",
    "modal",
    "noise_filter",
    "pop",
    "subtract_mean",
    "sum",
    "threshold",
)
PERCENTILE = (
    "autolevel_percentile",
    "enhance_contrast_percentile",
    "gradient_percentile",
    "mean_percentile",
    "percentile",
    "pop_percentile",
    "subtract_mean_percentile",
    "sum_percentile",
    "threshold_percentile",
)
BILATERAL = ("mean_bilateral", "pop_bilateral", "sum_bilateral")


def _corrected(name, theirs, **arguments):
    from ._rank_formulas import rank_filter

    return rank_filter(name, **arguments)


CORRECTIONS = {
    name: functools.partial(_corrected, name) for name in GENERIC + PERCENTILE + BILATERAL
}


def _dimensions(*allowed):
    return Difference(
        f"image has other than {' or '.join(map(str, allowed))} axes",
        lambda call: call.image.ndim not in allowed,
        invalid=True,
    )


def _other_out(call):
    if call.out is None:
        return False
    dtype = call.image.dtype if call.image.dtype in (np.uint8, np.uint16) else np.uint8
    return call.out.dtype != dtype or call.out.shape != call.image.shape


def _share_out_of(call):
    return not (0 <= call.p0 <= 1 and 0 <= getattr(call, "p1", 1) <= 1)


def _no_integers(*names):
    return lambda call: any(
        not hasattr(value := getattr(call, name, 0), "__index__") or isinstance(value, bool)
        for name in names
    )


_COMMON = (
    Difference(
        "out is the image itself; give another array as out, or leave it out",
        lambda call: call.out is call.image,
    ),
    Difference(
        "out has another dtype or shape than the result; give no out, and take the result",
        _other_out,
    ),
    Difference(
        "mask has another shape than the image; give numpy.broadcast_to(mask, image.shape)",
        lambda call: call.mask is not None and call.mask.shape != call.image.shape,
    ),
    Difference(
        "shift_x, shift_y or shift_z is no integer; give integers, as 1",
        _no_integers("shift_x", "shift_y", "shift_z"),
    ),
    Difference(
        "rank filters do not take boolean images",
        lambda call: call.image.dtype == bool and call.image.ndim == 2,
        invalid=True,
    ),
)
_PART_OF_RANGE = Difference(
    "p0 is above 0 or p1 below 1, with which cuCIM counts equal pixels "
    "otherwise; nothing to change",
    lambda call: call.p0 > 0 or call.p1 < 1,
    example="""
image = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], np.uint8)
footprint = np.ones((3, 3), np.uint8)
theirs = cs.filters.rank.mean_percentile(cp.asarray(image), cp.asarray(footprint), p0=0.2, p1=0.8)
ours = ski.filters.rank.mean_percentile(image, footprint, p0=0.2, p1=0.8)
int(theirs[1, 1]) != int(ours[1, 1])
""",
)

DIFFERENCES = (
    {name: (_dimensions(2, 3), *_COMMON) for name in GENERIC}
    | {
        name: (
            _dimensions(2),
            *_COMMON,
            Difference("p0 or p1 lies outside 0 to 1; give numbers from 0 to 1", _share_out_of),
        )
        for name in PERCENTILE
    }
    | {
        name: (
            _dimensions(2),
            *_COMMON,
            Difference("s0 or s1 is no integer; give integers, as 10", _no_integers("s0", "s1")),
        )
        for name in BILATERAL
    }
)
DIFFERENCES["entropy"] = (
    _dimensions(2, 3),
    *(difference for difference in _COMMON if difference.applies is not _other_out),
    Difference(
        "out has another dtype or shape than the result; give no out, and take the result",
        lambda call: (
            call.out is not None
            and (call.out.dtype != np.float64 or call.out.shape != call.image.shape)
        ),
    ),
)
DIFFERENCES["noise_filter"] += (
    Difference(
        "shift_x and shift_y differ for a volume, where scikit-image leaves out another element; "
        "give equal shifts, which changes the result",
        lambda call: call.image.ndim == 3 and call.shift_x != call.shift_y,
    ),
)
for _name in ("mean_percentile", "sum_percentile", "subtract_mean_percentile"):
    DIFFERENCES[_name] += (_PART_OF_RANGE,)
for _name in ("autolevel_percentile", "enhance_contrast_percentile"):
    DIFFERENCES[_name] += (
        Difference(
            "p0 is 1 or more, or p1 is 0 or less, so that no pixel lies between; give p0 "
            "below 1 and p1 above 0",
            lambda call: call.p0 >= 1 or call.p1 <= 0,
        ),
    )
DIFFERENCES["pop_percentile"] += (
    Difference(
        "p0 is not below p1; give p0=0.1, p1=0.9, say",
        lambda call: call.p0 >= call.p1,
        example="""
image = cp.zeros((3, 3), cp.uint8)
try:
    refused = cs.filters.rank.pop_percentile(image, cp.ones((3, 3)), p0=0.5, p1=0.5) is None
except ValueError:
    refused = True
refused
""",
    ),
)
