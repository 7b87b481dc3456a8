"""skimage.feature: graycomatrix and graycoprops, grey level co-occurrence."""

import functools
import math
from collections.abc import Iterable

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, real, truth
from ._loops import refuse_read_only

_SOURCE = "feature/cooccurrence.cu"
_BLOCK = 256
_RUN = 16  # pixels that a thread of count_pairs takes at a time
_SHARED = 48 * 1024
_MOST_BYTES = 1 << 32
# In the order of enum Property in cooccurrence.cu.
PROPERTIES = (
    "contrast",
    "dissimilarity",
    "homogeneity",
    "ASM",
    "energy",
    "mean",
    "variance",
    "std",
    "entropy",
    "correlation",
)


def graycomatrix(image, distances, angles, levels=None, symmetric=False, normed=False):
    """Counts of pairs of grey levels at each offset: `skimage.feature.graycomatrix`.

    1 launch, 2 with `normed`; the image is read once, the matrices are written once, by
    `normed` read and written as float64. 4 bytes come to the host where a pixel may be beyond
    the levels. One more launch makes a strided image contiguous.
    """
    if image.ndim != 2 or image.size == 0:
        raise Invalid("image is empty or not 2-D; give a plane, as image[0]")
    if image.dtype.kind not in "biu":
        raise Invalid(f"scikit-image counts no pairs in {image.dtype}")
    if levels is None:
        if image.dtype.itemsize > 1 or image.dtype.kind == "b":
            raise Invalid("the levels of boolean images, or of more than 8 bits, are not given")
        levels = 256
    if not isinstance(levels, int | np.integer) or isinstance(levels, bool) or levels < 1:
        raise Invalid("levels is not a positive integer")
    distances, angles, levels = _numbers(distances), _numbers(angles), integer("levels", levels)
    pairs = len(distances) * len(angles)
    if image.size >= 2**31 or 8 * levels**2 * pairs > _MOST_BYTES:
        raise Declined(
            "image has 2**31 pixels or more, or levels and angles make very large "
            "matrices; give a smaller image, or fewer levels"
        )
    refuse_read_only(image, image.dtype.name)
    options = truth("symmetric", symmetric), truth("normed", normed)
    if image.dtype.kind == "b":
        raise Declined("image is boolean; give image.astype(numpy.uint8)")
    return _counted(image.shape, image.dtype, distances, angles, levels, *options)


def _numbers(values):
    """Distances or angles as a tuple of floats."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "biuf":
            raise Declined("distances or angles are not numbers; give numbers, as [1], [0]")
        if values.ndim != 1:
            raise Invalid("distances or angles have more or less than one axis")
        values = values.tolist()
    elif not isinstance(values, list | tuple | range):
        if not isinstance(values, Iterable):
            raise Invalid("distances or angles are no list")
        raise Declined("distances or angles are no list of numbers; give lists, as [1], [0]")
    if not len(values):
        raise Invalid("distances or angles are empty")
    numbers = tuple(real("a distance or an angle", value) for value in values)
    if not all(abs(number) < 2**31 for number in numbers):
        raise Declined("distances or angles are not finite numbers; give finite ones, as [1], [0]")
    return numbers


@functools.lru_cache(maxsize=256)
def _counted(shape, dtype, distances, angles, levels, symmetric, normed):
    offsets = _offsets(distances, angles)
    matrices = Array((levels, levels, len(distances), len(angles)), np.dtype(np.uint32))
    read, written = math.prod(shape) * dtype.itemsize + offsets.nbytes, matrices.nbytes + 4
    sums = None
    if normed:
        sums = _pairs(offsets, shape) * (2.0 if symmetric else 1.0)
        read, written = read + matrices.nbytes + sums.nbytes, written + 2 * matrices.nbytes
    cost = Cost(1 + normed, read, written, matrices.nbytes * normed)
    run = functools.partial(_matrices, offsets, sums, matrices.shape, symmetric)
    return Plan(run, cost=cost)


def _offsets(distances, angles):
    """Rows and columns from one pixel of a pair to the other, as _glcm_loop rounds them."""
    offsets = [
        (_round(math.sin(angle) * distance), _round(math.cos(angle) * distance))
        for distance in distances
        for angle in angles
    ]
    return np.array(offsets, np.int64)


def _round(value):
    return int(value + 0.5 if value > 0 else value - 0.5)


def _pairs(offsets, shape):
    """How many pairs of pixels there are at each offset."""
    return np.maximum(0, np.array(shape) - np.abs(offsets)).prod(axis=1)


def _matrices(offsets, sums, shape, symmetric, image):
    (rows, columns), levels, pairs = image.shape, shape[0], len(offsets)
    matrices, odd = xp.zeros(shape, np.uint32), xp.zeros(1, np.uint32)
    shared = 4 * levels**2
    in_shared = shared <= _SHARED
    chunks = -(-rows * -(-columns // _RUN) // _BLOCK)
    grid = pairs * max(1, min(chunks, resident_blocks(_BLOCK) // pairs))
    args = (xp.ascontiguousarray(image), xp.asarray(offsets), matrices, odd, rows, columns, levels)
    launch(
        _SOURCE,
        f"count_pairs<{c_name(image.dtype)}>",
        (*args, pairs, symmetric, in_shared),
        work=image.size,
        block=_BLOCK,
        shared=shared if in_shared else 0,
        grid=(grid,),
    )
    if image.dtype.kind == "i" or np.iinfo(image.dtype).max >= levels:
        _refuse(int(to_host(odd)[0]))
    if sums is None:
        return matrices
    result = xp.empty(shape, np.float64)
    args = (matrices, xp.asarray(sums), result, matrices.size, pairs)
    launch(_SOURCE, "shares", args, work=matrices.size)
    return result


def _refuse(odd):
    if odd & 1:
        raise ValueError("Negative-valued images are not supported.")
    if odd & 2:
        raise ValueError(
            "The maximum grayscale value in the image should be smaller than the number of levels."
        )


def graycoprops(P, prop="contrast"):
    """A property of each co-occurrence matrix: `skimage.feature.graycoprops`.

    1 launch; the matrices are read once (two to four times from cache), the result has one
    number for each. A strided array is copied first.
    """
    if P.ndim != 4 or P.size == 0 or P.shape[0] != P.shape[1]:
        raise Invalid("P is empty or no array of square matrices")
    if not isinstance(prop, str) or prop not in PROPERTIES:
        raise Invalid("prop is unknown")
    return _properties(P.shape, P.dtype, PROPERTIES.index(prop))


@functools.lru_cache(maxsize=256)
def _properties(shape, dtype, kind):
    matrices, result = Array(shape, dtype, "P"), Array(shape[2:], np.dtype(np.float64))
    args = (matrices, result, shape[0], result.size, np.int32(kind))
    expression = f"matrix_properties<{c_name(dtype)}>"
    step = Launch(_SOURCE, expression, args, result.size * _BLOCK, _BLOCK)  # a block for each
    return Plan(Launches([step], result))


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, "shares"
    for dtype, name in C_NAMES.items():
        yield _SOURCE, f"matrix_properties<{name}>"
        if "int" in dtype:
            yield _SOURCE, f"count_pairs<{name}>"
