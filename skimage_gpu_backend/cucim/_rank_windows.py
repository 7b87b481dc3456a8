"""Windows of rank filters that end at the image's borders, computed by cuCIM.

cuCIM mirrors the image at its borders and scikit-image leaves out what lies beyond them.
Inside, the two agree; along the borders cuCIM is called again on padded strips, with a
mask that leaves out the padding.
"""

import importlib
from functools import cached_property

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..trouble import Declined

# Above, scikit-image warns that its histograms are slow.
MANY_BINS = 2**10


class Windows:
    """The image of a call, as scikit-image's rank filters convert it, and its windows.

    Parameters
    ----------
    image, footprint, mask
        The caller's, on the device; the mask may be None.
    shifts : tuple of int
        How far the footprint's centre is moved along each axis.
    hollow : bool
        Whether the centre itself is left out.

    Attributes
    ----------
    image : array of uint8 or uint16
    bins : int
        Grey values that scikit-image's histograms have.
    most : int
        Pixels in a window that lies inside the image.
    centred : bool
        Whether every pixel is in its own window.
    """

    def __init__(self, image, footprint, mask, shifts, hollow=False):
        self.shifts = shifts
        elements = cp.asnumpy(footprint) > 0
        centre = tuple(n // 2 + shift for n, shift in zip(elements.shape, shifts, strict=True))
        if hollow:
            elements[centre] = False
        self.most = int(elements.sum())
        if not self.most:
            raise Declined("footprint has no element that is not 0; give one that has")
        self.footprint = cp.asarray(elements)
        self.around = tuple((c, n - 1 - c) for c, n in zip(centre, elements.shape, strict=True))
        self.centred = mask is None and bool(elements[centre])
        self.mask = None if mask is None else _as_mask(mask)
        self.image = _converted(image)
        self.bins = _bins(self.image)

    def value(self, function, dtype=None, **options):
        """What cuCIM's `function` gives for each window; 0 for a window without pixels."""
        shape = self.image.shape
        result = cp.empty(shape, dtype or self.image.dtype)
        reach = [sum(pair) for pair in self.around]
        if self.mask is not None or any(
            length <= 2 * r for length, r in zip(shape, reach, strict=True)
        ):
            self._cut_off(result, 0, (0, shape[0]), (0, shape[0]), function, options)
        else:
            self._run(function, self.image, None, result, options)
            for axis, (before, after) in enumerate(self.around):
                length = shape[axis]
                if before:
                    rows, seen = (0, before), (0, reach[axis])
                    self._cut_off(result, axis, rows, seen, function, options)
                if after:
                    rows, seen = (length - after, length), (length - reach[axis], length)
                    self._cut_off(result, axis, rows, seen, function, options)
        if not self.centred and not function.startswith("pop"):
            result[self.empty] = 0
        return result

    @cached_property
    def empty(self):
        """Where a window has no pixel."""
        return self.value("pop", np.float64) == 0

    def _cut_off(self, result, axis, rows, seen, function, options):
        """Write the windows around `rows` of an axis, which see no more than the rows `seen`."""
        along = (slice(None),) * axis
        image = self.image[(*along, slice(*seen))]
        inside = (
            cp.ones(image.shape, bool) if self.mask is None else self.mask[(*along, slice(*seen))]
        )
        image, inside = cp.pad(image, self.around), cp.pad(inside, self.around)
        part = cp.empty(image.shape, result.dtype)
        self._run(function, image, inside, part, options)
        part = part[
            tuple(slice(b, n - a) for n, (b, a) in zip(part.shape, self.around, strict=True))
        ]
        first, stop = (row - seen[0] for row in rows)
        result[(*along, slice(*rows))] = part[(*along, slice(first, stop))]

    def _run(self, function, image, mask, out, options):
        rank = importlib.import_module("cucim.skimage.filters.rank")
        getattr(rank, function)(
            image,
            self.footprint,
            out=out,
            mask=mask,
            shifts=self.shifts,
            cast_to_uint8=False,
            **options,
        )


def _converted(image):
    if image.dtype in (np.uint8, np.uint16):
        return cp.ascontiguousarray(image)
    from cucim.skimage.util import img_as_ubyte

    warn_caller(
        f"Possible precision loss converting image of type {image.dtype} to uint8 as required"
        " by rank filters. Convert manually using skimage.util.img_as_ubyte to silence this"
        " warning.",
        UserWarning,
    )
    return cp.ascontiguousarray(img_as_ubyte(image))


def _bins(image):
    if image.dtype == np.uint8:
        return 256
    bins = max(3, int(image.max())) + 1
    if bins > MANY_BINS:
        warn_caller(
            f"Bad rank filter performance is expected due to a large number of bins ({bins}),"
            f" equivalent to an approximate bitdepth of {np.log2(bins):.1f}.",
            UserWarning,
        )
    return bins


def _as_mask(mask):
    if mask.dtype == bool:
        return cp.ascontiguousarray(mask)
    from cucim.skimage.util import img_as_ubyte

    return cp.ascontiguousarray(img_as_ubyte(mask) > 0)
