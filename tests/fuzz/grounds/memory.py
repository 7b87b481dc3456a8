"""Grounds about layouts and byte orders, and what lies beyond an array."""

import re

import numpy as np

from tests.differential.check import bound_for, inside

from ..compare import compared
from ..options import SWEEP

# What Cython says where a buffer is not as a function has declared it, and NumPy of byte orders.
_BUFFERS = re.compile(
    "buffer source array is read-only|is not (C|Fortran)-contiguous|Big-endian buffer|Little-endian"
    "|assignment destination is read-only|output array is read-only"
    "|not details such as the byte order|either contiguous or 1-dimensional"
)


def refused_memory(call, found, theirs, ours):
    """scikit-image, or we where both refuse, met memory that compiled code does not take."""
    errors = [error for error in (theirs.error, ours.error) if error is not None]
    return theirs.error is not None and any(_BUFFERS.search(str(error)) for error in errors)


def view(call, found, theirs, ours):
    """scikit-image's result is a view of what ours is."""
    return isinstance(theirs.result, np.ndarray) and theirs.result.base is not None


def one_place(call, found, theirs, ours):
    """All elements of an image, or of labels, are one place in memory."""
    names = ("label_img", "labels", "image")
    image = theirs.made[next(name for name in names if name in theirs.made)]
    steps = [step for n, step in zip(image.shape, image.strides, strict=True) if n > 1]
    return bool(steps) and not any(steps)


def negative_channel_axis(call, found, theirs, ours):
    return theirs.made.get("channel_axis", 0) < 0


def on_the_host(call, found, theirs, ours):
    """scikit-image ran both times."""
    return not ours.source


def too_few_values(call, found, theirs, ours):
    return theirs.made["output_vals"].size < theirs.made["input_vals"].size


def more_bins_than_values(call, found, theirs, ours):
    image = theirs.made["image"]
    values = max(3, image.max()) + 1 if image.dtype == np.uint16 else 256
    return theirs.result.shape[-1] > values


def swapped(call, found, theirs, ours):
    """An image in the other byte order."""
    return not all(array.dtype.isnative for array in inside([theirs.made], np.ndarray))


def swapped_out(call, found, theirs, ours):
    """An `out` in the other byte order."""
    return isinstance(theirs.made.get("out"), np.ndarray) and not theirs.made["out"].dtype.isnative


def unwritten_descriptors(call, found, theirs, ours):
    """Only descriptors that scikit-image has not written differ: of octaves that there are not.

    Where both raise it may be any.
    """
    rows = [ran.kept.get("descriptors") for ran in (theirs, ours)]
    rest = ({**ran.kept, "descriptors": None} for ran in (ours, theirs))
    bound = bound_for(SWEEP[call.name].bound, theirs.made, theirs.kept)
    if any(row is None for row in rows) or any(compared(*rest, bound)):
        return False
    if theirs.error is not None:
        return True
    written = theirs.kept["octaves"] < theirs.kept["n_octaves"]
    return not written.all() and np.array_equal(*(row[written] for row in rows))


def corner_outside(call, found, theirs, ours):
    image, corners = theirs.made.get("image"), np.asarray(theirs.made.get("corners"))
    return bool((corners < 0).any() or (corners >= image.shape).any())


def over_line(call, found, theirs, ours):
    """scikit-image ran both times; the footprint reaches over an image of one axis."""
    image, footprint = theirs.made["image"], theirs.made.get("footprint")
    side = 3 if footprint is None else np.size(footprint)
    is_mirrored = image.ndim == 1 and theirs.made.get("mode") == "mirror"
    return not ours.source and is_mirrored and side // 2 >= image.size


def compact_floods(call, found, theirs, ours):
    """Distances are measured in an image in another layout than C's."""
    image = theirs.made["image"]
    return theirs.made.get("compactness", 0) > 0 and not image.flags.c_contiguous
