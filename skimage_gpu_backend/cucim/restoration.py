"""Where cuCIM's `restoration` and scikit-image's differ."""

import math

import numpy as np

from ..scikit_image import private
from ..trouble import Declined
from ._precision import doubled, scaled, with_images
from .difference import Difference, set_by_caller

DEPRECATED = private("_shared.utils").DEPRECATED

LEFT_OUT = {}


def _wiener(theirs, **arguments):
    """cuCIM's default `reg` is complex where the image may be, and then refused.

    Integers in `reg` and `psf` become double as the image does, and not by their own dtype.
    """
    if not arguments.get("is_real", True) and arguments.get("reg") is None:
        from cucim.skimage.restoration import uft

        arguments["reg"] = uft.laplacian(arguments["image"].ndim, None)
    for name in ("image", "psf", "reg"):
        if name in arguments and arguments[name] is not None and arguments[name].dtype.kind != "c":
            arguments[name] = doubled(arguments[name])
    return theirs(**arguments)


def _rolling_ball(theirs, **arguments):
    """In scikit-image's precision; integers that are cut off show any other rounding."""
    from cucim.skimage.restoration import ball_kernel

    from ..device.dtypes import float_type

    image = arguments["image"]
    dtype = float_type(image.dtype)
    kernel = arguments.get("kernel")
    if kernel is None:
        kernel = ball_kernel(arguments.get("radius", 100), image.ndim)
    elif (kernel != kernel).any():
        raise Declined("kernel has NaN; give numbers, and infinity beside the ball")
    arguments.update(image=image.astype(dtype, copy=False), kernel=kernel.astype(dtype))
    background = theirs(**arguments)
    if image.dtype.kind in "iu" and background.size:
        limits = np.iinfo(image.dtype)
        # Python compares its own numbers without rounding 2**64 - 1
        least, largest = float(background.min()), float(background.max())
        if not limits.min <= least <= largest <= limits.max:
            raise Declined(
                f"kernel gives a background beyond the range of {image.dtype}; give a kernel "
                "whose centre is its largest number, as skimage.restoration.ball_kernel"
            )
    return background.astype(image.dtype, copy=False)


def _at_rim(radius):
    """Whether rounding decides if pixels are within a ball; integers are exact."""
    squared = float(radius) ** 2
    return float(radius) != math.floor(radius) and abs(squared - round(squared)) < 1e-6


_RIM = Difference(
    "radius is a distance between pixels, where rounding decides; give a number between, as "
    "radius + 0.1, which changes the result",
    lambda call: _at_rim(call.radius),
    example="""
theirs = cs.restoration.ball_kernel(3**0.5, 3)
ours = ski.restoration.ball_kernel(3**0.5, 3)
not np.array_equal(cp.asnumpy(theirs), ours)
""",
)

DIFFERENCES = {
    "rolling_ball": (
        set_by_caller(
            "nansafe",
            False,
            reason="nansafe=True is not in cuCIM; leave nansafe out and give finite values, which "
            "changes the result",
        ),
        set_by_caller(
            "num_threads",
            DEPRECATED,
            reason="num_threads is deprecated in scikit-image; give workers instead",
        ),
        Difference(
            _RIM.reason, lambda call: call.kernel is None and _at_rim(call.radius), _RIM.example
        ),
    ),
    "richardson_lucy": (
        Difference(
            "image has other than 2 axes, for which cuCIM does not mirror psf; nothing to change",
            lambda call: call.image.ndim != 2,
            example="""
image = np.random.default_rng(0).random((6, 7, 8))
psf = np.arange(1.0, 28.0).reshape(3, 3, 3)
psf /= psf.sum()
theirs = cs.restoration.richardson_lucy(cp.asarray(image), cp.asarray(psf), num_iter=3)
ours = ski.restoration.richardson_lucy(image, psf, num_iter=3)
not np.allclose(cp.asnumpy(theirs), ours)
""",
            bug="""\\
richardson_lucy mirrors the point spread function along its first two axes only.

Expected, as in scikit-image: `np.flip(psf)`, along all axes; 1-D images work, too.
Observed: `psf[::-1, ::-1]` in restoration/deconvolution.py: wrong for volumes unless the function
is symmetric along the third axis, IndexError for 1-D images.
""",
        ),
    ),
}

CORRECTIONS = {
    "denoise_tv_chambolle": with_images(scaled),
    "richardson_lucy": with_images(doubled),
    "wiener": _wiener,
    "rolling_ball": _rolling_ball,
}
