"""What kernels of common/points.cuh share: their grid, and what they refuse."""

import cupy as cp

from ..device import launch, resident_blocks
from ._reduce import BLOCK


def launch_points(source, expression, args, image, result, *, shared=0):
    """Launch a kernel that makes each element of `result` of one of `image`.

    No more blocks than the device runs at once: each block takes one share of the image.
    """
    smallest = min(image.dtype.itemsize, result.dtype.itemsize)
    at_once = BLOCK * max(4, 16 // smallest)
    blocks = min(-(-image.size // at_once), resident_blocks(BLOCK))
    work = image.size
    launch(source, expression, args, work=work, block=BLOCK, shared=shared, grid=(blocks,))


def flags():
    """One ``uint32``, 0, in which a kernel tells what it saw and refuses."""
    return cp.zeros(1, "uint32")
