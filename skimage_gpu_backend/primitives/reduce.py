"""What kernels that end in `grid_reduce` of common/reduce.cuh need besides their images."""

from ..device import resident_blocks
from ..devices import xp

BLOCK = 256


def blocks_for(image) -> int:
    """Blocks of a kernel whose threads read packs (common/pack.cuh) of `image`.

    No more than the device runs at once: each block takes one share of the image.
    """
    pack = max(4, 16 // image.dtype.itemsize)
    return min(-(-image.size // (BLOCK * pack)), resident_blocks(BLOCK))


def scratch(blocks, values, dtype):
    """Partial results of each block, and the counter of blocks that are done."""
    return xp.empty((blocks, values), dtype), xp.zeros(1, "uint32")


def parts_of(image):
    """Device arrays that make up an image, one after the other.

    An image that is larger than the device comes in pieces: an object with the `dtype`, `shape`,
    `ndim` and `size` of the whole that gives its parts, anew each time it is iterated over.
    """
    return (image,) if isinstance(image, xp.ndarray) else image


def in_memory_order(*images):
    """The images, C-contiguous, with the same elements at the same places.

    For reductions that do not care where a pixel lies: images that are all
    Fortran-contiguous are read as they are; else strided ones are copied (one launch each).
    """
    if all(image.T.flags.c_contiguous for image in images):
        return [image.T for image in images]
    return [xp.ascontiguousarray(image) for image in images]
