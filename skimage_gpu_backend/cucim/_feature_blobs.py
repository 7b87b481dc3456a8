"""Blobs: where cuCIM and scikit-image differ.

cuCIM drops overlapping blobs in a kernel whose threads overwrite blobs that other threads
read, so which of several stay is chance. The list of blobs is short: cuCIM finds them and
scikit-image itself drops what overlaps.
"""

import math

import numpy as np

from ..trouble import Declined
from ._precision import scaled
from .difference import Difference

_BORDERS_BUG = """\
A tuple as exclude_border is refused by {function}.

Expected, as in scikit-image: one border for each axis of the image.
Observed: ValueError, since _format_exclude_border (feature/blob.py) returns the tuple as it is,
while peak_local_max takes one number more, for the axis of the scales; scikit-image's
returns `exclude_border + (0,)`.
"""


def _tuple_of_borders(function):
    return Difference(
        "exclude_border is a tuple, one number for each axis; give one number for all, which "
        "changes the result",
        lambda call: isinstance(call.exclude_border, tuple),
        example=f"""
image = cp.asarray(ski.data.coins()[:64, :64])
try:
    cs.feature.{function}(image, max_sigma=4, exclude_border=(2, 2))
    failed = False
except ValueError:
    failed = True
failed
""",
        bug=_BORDERS_BUG.format(function=function),
    )


def _another_number_of_scales(call):
    """Whether rounding makes scikit-image (NumPy) and cuCIM (math) count scales differently."""
    low, high, ratio = call.min_sigma, call.max_sigma, call.sigma_ratio
    try:
        single = call.image.dtype.char in "ef"
        shape = np.broadcast_shapes(np.shape(low), np.shape(high), (call.image.ndim,))
        low, high = (
            np.broadcast_to(np.asarray(sigma, np.float32 if single else np.float64), shape)
            for sigma in (low, high)
        )
        with np.errstate(all="ignore"):
            theirs = np.log(high / low) / np.log(ratio) + 1
        ours = [math.log(b / a) / math.log(ratio) + 1 for a, b in zip(low, high, strict=True)]
        return int(np.mean(theirs)) != int(sum(ours) / len(ours))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return False  # arguments that scikit-image refuses


def _refuse_next_to_0(image, dtype):
    """Decline where rounding to subnormal numbers decides about peaks."""
    limits = np.finfo(dtype)
    if 0 < abs(image).max() < limits.tiny / limits.eps:
        raise Declined(
            "image has no number but next to 0, of which filters lose the last digits; give it "
            "multiplied by a large number"
        )


def _pruned(blobs, overlap, dtype, axes):
    """What scikit-image keeps of a list of blobs."""
    import cupy as cp

    from ..primitives.pruning import pruned

    if not len(blobs):
        return blobs
    return cp.asarray(pruned(cp.asnumpy(blobs.astype(dtype)), overlap, axes))


def _refuse_ties(theirs, arguments, blobs):
    """Decline where the mirrored image has other blobs than the image.

    Between two pixels that lie the same way in a symmetric blob rounding decides: SciPy's
    filters add up symmetrically, cuCIM's from one side to the other.
    """
    image = arguments["image"]
    every = (slice(None, None, -1),) * image.ndim
    mirrored = theirs(**{**arguments, "image": image[every].copy("C")}, overlap=float("inf"))
    listed, other = blobs.get(), mirrored.get()
    other[:, : image.ndim] = np.array(image.shape) - 1 - other[:, : image.ndim]
    if sorted(listed.tolist()) != sorted(other.tolist()):
        raise Declined(
            "image has equally bright pixels beside each other, where rounding decides "
            "which is the peak; nothing to change"
        )


def _from_scales(theirs, **arguments):
    """`blob_dog` and `blob_log`, whose list has the precision of the image."""
    image = arguments["image"]
    dtype = np.float32 if image.dtype.char in "ef" else np.float64
    overlap = arguments.pop("overlap", 0.5)
    arguments["image"] = scaled(image)
    _refuse_next_to_0(arguments["image"], dtype)
    blobs = theirs(**arguments, overlap=float("inf"))
    _refuse_ties(theirs, arguments, blobs)
    return _pruned(blobs, overlap, dtype, image.ndim)


def _doh(theirs, **arguments):
    overlap = arguments.pop("overlap", 0.5)
    arguments["image"] = scaled(arguments["image"])
    blobs = theirs(**arguments, overlap=float("inf"))
    return _pruned(blobs, overlap, np.float64, 2)


BLOB_DIFFERENCES = {
    "blob_dog": (
        _tuple_of_borders("blob_dog"),
        Difference(
            "min_sigma, max_sigma and sigma_ratio give a number of scales that rounding "
            "decides; give a slightly larger max_sigma",
            _another_number_of_scales,
        ),
    ),
    "blob_log": (_tuple_of_borders("blob_log"),),
}
BLOB_CORRECTIONS = {"blob_dog": _from_scales, "blob_log": _from_scales, "blob_doh": _doh}
