"""phase_cross_correlation with masks: correlation where both images have pixels that count.

Cost: 6 launches: 1 makes six arrays of images, masks and squares, 2 are Fourier transforms of all
six at once, 1 is between them, 2 find the peak. The arrays are as large as both images together
along each axis. Masks that are not boolean, and strided arrays, take 1 launch more each. 13
numbers come to the host.
"""

import functools
import math

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_wider
from ...primitives.gaussian import working
from ...primitives.stencils import MOST_AXES
from ...primitives.transforms import fast_length

_SOURCE = "registration/masked.cu"
_ALL_ALIKE = 2.0  # what the kernel has where all coefficients are 0
_BLOCK, _SIGNALS, _TOP = 256, 6, MOST_AXES + 3  # numbers of the struct Top
_FRAME = np.dtype([(n, "i8", MOST_AXES) for n in ("fast", "fixed", "turned", "final")])


def masked(reference_image, moving_image, *, masks, overlap_ratio):
    """Plan of a call with masks, of which the second may be None."""
    reference_mask, moving_mask = masks
    if moving_mask is None and reference_image.shape != moving_image.shape:
        raise Invalid("moving_image has another shape than reference_image; give moving_mask")
    pairs = [(reference_image, reference_mask), (moving_image, moving_mask)]
    for image, mask in pairs[: 1 if moving_mask is None else 2]:
        if not isinstance(getattr(mask, "dtype", None), np.dtype):
            raise Invalid("reference_mask is no array; give one of booleans")
        if mask.dtype.kind not in "biuf":
            raise Declined(
                "reference_mask or moving_mask is not of numbers; give mask.astype(bool)"
            )
        if mask.shape != image.shape:
            raise Invalid("a mask has another shape than its image; give one of the image's")
    shapes = reference_image.shape, moving_image.shape
    dtypes = reference_image.dtype, moving_image.dtype
    if "c" in (dtypes[0].kind, dtypes[1].kind):
        raise Invalid("an image is complex, which masks are not for; give real images")
    if len(shapes[0]) != len(shapes[1]):
        raise Invalid("images have different numbers of axes; give images of as many")
    if not 0 < len(shapes[0]) <= MOST_AXES or 0 in (*shapes[0], *shapes[1]):
        raise Declined(f"images have no elements, no axes, or more than {MOST_AXES}; give others")
    value = np.result_type(*map(working, dtypes))
    refuse_wider("overlap_ratio", overlap_ratio, value)
    given = moving_mask is not None
    mask_bytes = [mask.dtype.itemsize for _, mask in pairs[: 1 + given]]
    ratio = float(overlap_ratio)
    return _planned(*shapes, *dtypes, value, ratio, tuple(mask_bytes))


@functools.lru_cache(maxsize=256)
def _planned(reference, moving, reference_type, moving_type, value, ratio, mask_bytes):
    frame, final, fast = np.ones((), _FRAME), [], []
    for axis, lengths in enumerate(zip(moving, reference, strict=True)):
        final.append(sum(lengths) - 1)
        fast.append(fast_length(final[-1]))
        frame["fixed"][axis], frame["turned"][axis] = lengths
        frame["fast"][axis], frame["final"][axis] = fast[-1], final[-1]
    run = functools.partial(_found, (frame[()], tuple(fast), math.prod(final), value, ratio))
    cost = _cost(fast, math.prod(final), value)
    images = math.prod(reference) * reference_type.itemsize
    images += math.prod(moving) * moving_type.itemsize
    masks = (math.prod(reference) + math.prod(moving)) * (sum(mask_bytes) + 4)
    return Plan(
        run, cost=cost._replace(read=cost.read + images + masks, written=cost.written + masks)
    )


def _cost(fast, final, value):
    """But for images and masks; two of these may have to be made boolean."""
    signals = _SIGNALS * math.prod(fast) * value.itemsize
    columns = fast[-1] // 2 + 1
    spectra = 2 * _SIGNALS * math.prod(fast[:-1]) * columns * value.itemsize
    read = signals + 2 * spectra + 2 * _SIGNALS * final * value.itemsize
    return Cost(8, read + (1 << 20), 2 * (signals + spectra) + (1 << 20), 2 * (signals + spectra))


def _found(call, reference_image, moving_image, reference_mask, moving_mask=None):
    """What phase_cross_correlation returns."""
    frame, fast, final, value, ratio = call
    moving_mask = reference_mask if moving_mask is None else moving_mask
    count = math.prod(fast)
    name, epsilon = c_name(value), float(np.finfo(value).eps)
    args = []
    for image, mask in ((moving_image, moving_mask), (reference_image, reference_mask)):
        image = xp.ascontiguousarray(image)
        args += [image, code(image.dtype), xp.ascontiguousarray(mask, "bool")]
    signals = xp.empty((_SIGNALS, *fast), value)
    launch(_SOURCE, f"masked_signals<{name}>", (*args, frame, count, signals), work=count)

    axes = tuple(range(1, signals.ndim))
    spectra = xp.ascontiguousarray(xp.fft.rfftn(signals, axes=axes))
    each = spectra.size // _SIGNALS
    args = spectra.view(value), each
    launch(_SOURCE, f"masked_products<{name}>", args, work=each)
    # divided by the number of elements where they are read
    sums = xp.fft.irfftn(spectra, s=fast, axes=axes, norm="forward")
    sums = xp.ascontiguousarray(sums)

    blocks = min(-(-final // _BLOCK), resident_blocks(_BLOCK))
    size = {"work": final, "block": _BLOCK, "grid": (blocks,)}
    partials, arrived = xp.empty((blocks, _TOP)), xp.zeros(2, "uint32")
    told = xp.empty(5 + MOST_AXES)
    most, found = told[:3], told[3:]
    places = frame, count, final, 1 / count, epsilon
    args = (sums, *places, most, partials, arrived)
    launch(_SOURCE, f"masked_limits<{name}>", args, **size)
    args = (sums, most, *places, ratio, found, partials, arrived[1:])
    launch(_SOURCE, f"masked_peak<{name}>", args, **size)

    denominator, _, power, apart, number, *totals = to_host(told)
    if 0 < denominator < 1e4 * epsilon * power:
        raise Declined(
            "reference_image or moving_image is constant under its mask but for rounding; nothing "
            "to change"
        )
    if apart < 1e2 * epsilon**0.75 or (number > 1 and apart < _ALL_ALIKE):
        raise Declined("reference_mask leaves shifts as likely but for rounding; nothing to change")
    center = np.array(totals[: len(fast)]) / number
    shifts = center - np.array(reference_image.shape) + 1
    mismatch = np.array(moving_image.shape) - np.array(reference_image.shape)
    return xp.asarray(-shifts + mismatch / 2), np.nan, np.nan


def specializations():
    """Every (source, expression) that this launches."""
    for value in ("float", "double"):
        for kernel in ("masked_signals", "masked_products", "masked_limits", "masked_peak"):
            yield _SOURCE, f"{kernel}<{value}>"
