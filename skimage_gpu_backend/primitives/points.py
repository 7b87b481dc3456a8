"""What kernels of common/points.cuh share: their grid, and what they refuse."""

from ..device import launch, resident_blocks
from ..device.launches import Launch
from ..devices import xp
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
    return xp.zeros(1, "uint32")
