"""What kernels of common/points.cuh share: their grid, and what they refuse."""

import functools

from ..device import launch, resident_blocks
from ..device.lazy import cp
from .reduce import BLOCK


def launch_points(source, expression, args, image, result, *, shared=0):
    """Launch a kernel that makes each element of `result` of one of `image`."""
    grid = (points_blocks(image, result),)
    launch(source, expression, args, work=image.size, block=BLOCK, shared=shared, grid=grid)


def points_blocks(image, result) -> int:
    """Blocks of such a launch: each takes one share, and the device runs them at once."""
    smallest = min(image.dtype.itemsize, result.dtype.itemsize)
    at_once = BLOCK * max(4, 16 // smallest)
    return min(-(-image.size // at_once), resident_blocks(BLOCK))


def flags():
    """One ``uint32``, 0, in which a kernel tells what it saw and refuses."""
    return cp.zeros(1, "uint32")


def any_layout(op):
    """`op`, which makes each element of one, for images of any layout.

    The op gets C-contiguous images. Those that are Fortran-contiguous go transposed, as does
    their result, so that only others are copied (1 launch).
    """

    @functools.wraps(op)
    def ordered(image, *args, **kwargs):
        if image.flags.c_contiguous:
            return op(image, *args, **kwargs)
        if image.flags.f_contiguous:
            return op(image.T, *args, **kwargs).T
        return op(cp.ascontiguousarray(image), *args, **kwargs)

    return ordered
