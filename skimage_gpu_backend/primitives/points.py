"""What kernels of common/points.cuh share: their grid, and what they refuse."""

import functools

from ..device import launch, resident_blocks
from ..device.launches import Launch
from ..device.lazy import cp
from .reduce import BLOCK


def points(source, expression, arguments, image, result, *, shared=0) -> Launch:
    """Launch, for a plan, of a kernel that makes each element of `result` of one of `image`."""
    threads = -(-image.size // _at_once(image, result))
    return Launch(source, expression, arguments, threads, BLOCK, shared)


def launch_points(source, expression, args, image, result, *, shared=0):
    """Launch such a kernel."""
    grid = (points_blocks(image, result),)
    launch(source, expression, args, work=image.size, block=BLOCK, shared=shared, grid=grid)


def points_blocks(image, result) -> int:
    """Blocks of such a launch, which the device runs at once."""
    return min(most_blocks(image, result), resident_blocks(BLOCK))


def most_blocks(image, result) -> int:
    """Blocks of such a launch on the largest device."""
    return -(-image.size // (BLOCK * _at_once(image, result)))


def _at_once(image, result):
    """Elements that a thread takes at a time (PointsAtOnce)."""
    return min(8, 16 // max(image.dtype.itemsize, result.dtype.itemsize))


def flags():
    """One ``uint32``, 0, in which a kernel tells what it saw and refuses."""
    return cp.zeros(1, "uint32")


def any_layout(make):
    """`make`, which makes each element of one, for images of any layout.

    It gets C-contiguous images. Those that are Fortran-contiguous go transposed, as does
    their result, so that only others are copied (1 launch).
    """

    @functools.wraps(make)
    def ordered(image, *args, **kwargs):
        if image.flags.c_contiguous:
            return make(image, *args, **kwargs)
        if image.flags.f_contiguous:
            return make(image.T, *args, **kwargs).T
        return make(cp.ascontiguousarray(image), *args, **kwargs)

    return ordered


def of_any_layout(run):
    """A plan's `run`, which makes each element of one of ``image``, for images of any layout.

    `run` gets C-contiguous images. Those that are Fortran-contiguous go transposed, as does
    their result, so that only others are copied (1 launch).
    """

    def ordered(image):
        if image.flags.c_contiguous or not image.flags.f_contiguous:
            return run(image=cp.ascontiguousarray(image))
        return run(image=image.T).reshape(image.shape[::-1]).T

    return ordered
