"""skimage.measure: how far what two images show lies at the same places.

Cost of every function here: 1 launch, `pearson_corr_coeff` 2; each image, and the mask, is read
once by each. A few numbers come to the host. Strided images are copied first (1 launch each),
unless all are Fortran-contiguous.
"""

import functools
import itertools

import numpy as np
from scipy import stats

from ...device import launch
from ...device.dtypes import code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_numeric
from ...primitives.reduce import BLOCK, blocks_for, in_memory_order

_SOURCE = "measure/pair_sums.cu"
_TYPE = np.dtype([("mask", "u8"), ("sign", "u8")])
_WHOLE, _REAL = {1: "int", 2: "int"}, {8: "double"}  # by bytes; others as `long long`, `float`
# what elements of the first image are seen to be; of the second one three bits further, the mask
_NEGATIVE, _NAN, _ODD, _MASK = 1, 2, 4, 64
_PARTIAL = 104  # bytes of a block's sums
_LEAST, _MOST = 1e-150, 1e150  # spreads whose squares double precision holds


def pearson_corr_coeff(image0, image1, mask=None):
    """Pearson's correlation, and its p-value: `skimage.measure.pearson_corr_coeff`."""
    _refuse(mask, image0=image0, image1=image1)
    _refuse_half(image0, image1)
    if image0.size < 3:
        raise Declined("images have fewer than 3 pixels; nothing to change")
    return _planned(_pearson, mask, 2, image0=image0, image1=image1)


def manders_coloc_coeff(image0, image1_mask, mask=None):
    """Share of the intensity that lies in a mask: `skimage.measure.manders_coloc_coeff`."""
    _refuse(mask, image0=image0, image1_mask=image1_mask)
    _refuse_half(image0)
    return _planned(_coloc, mask, 1, image0=image0, image1_mask=image1_mask)


def manders_overlap_coeff(image0, image1, mask=None):
    """Manders' overlap coefficient: `skimage.measure.manders_overlap_coeff`."""
    _refuse(mask, image0=image0, image1=image1)
    _refuse_half(image0, image1)
    return _planned(_overlap, mask, 1, image0=image0, image1=image1)


def intersection_coeff(image0_mask, image1_mask, mask=None):
    """Share of a mask that another one has: `skimage.measure.intersection_coeff`."""
    _refuse(mask, image0_mask=image0_mask, image1_mask=image1_mask)
    return _planned(_intersection, mask, 1, image0_mask=image0_mask, image1_mask=image1_mask)


def _refuse(mask, **images):
    given = images if mask is None else {**images, "mask": mask}
    for name, image in given.items():
        if not hasattr(image, "nbytes") or isinstance(image, np.generic):
            raise Declined(f"{name} is not an array; give numpy.asarray({name})")
        if not is_numeric(image.dtype):
            raise Declined(
                f"{name} is not of real numbers in up to 64 bits; give {name} as float64"
            )
    if len({image.shape for image in given.values()}) > 1:
        raise Invalid("images and mask differ in shape; give arrays of one shape")
    (first, *_) = images.values()
    if first.size == 0:
        raise Declined("images are empty; nothing to change")


def _refuse_half(*images):
    if any(image.dtype.char == "e" for image in images):
        raise Declined(
            "images are float16, in which sums lose most digits; give image.astype(numpy.float32)"
        )


def _planned(make, mask, launches, **images):
    names = tuple(images)

    def run(mask=None, **arrays):
        return make(mask, *(arrays[name] for name in names))

    given = (*images.values(), *(() if mask is None else (mask,)))
    nbytes = sum(image.size * image.dtype.itemsize for image in given)
    return Plan(run, cost=Cost(launches, launches * nbytes, launches * 64))


def _coloc(mask, image0, image1_mask):
    found = _sums(mask, image0, image1_mask, both=image0.dtype)
    _refuse_seen(found, "image0", _NEGATIVE, "image1_mask", _ODD)
    total = _as_summed(found["first"], image0.dtype)
    if total == 0:
        return 0
    return _as_summed(_of_products(found, image0.dtype), image0.dtype) / total


def _overlap(mask, image0, image1):
    found = _sums(mask, image0, image1)
    _refuse_seen(found, "image0", _NEGATIVE, "image1", _NEGATIVE)
    squares = (
        _as_summed(found[f"{name}_squares"], image.dtype)
        for name, image in (("first", image0), ("second", image1))
    )
    dtype = np.result_type(image0.dtype, image1.dtype)
    first, second = squares
    return _as_summed(_of_products(found, dtype), dtype) / (first * second) ** 0.5


def _intersection(mask, image0_mask, image1_mask):
    found = _sums(mask, image0_mask, image1_mask)
    _refuse_seen(found, "image0_mask", _ODD, "image1_mask", _ODD, empty=True)
    count = np.intp(found["first"])
    dtype = np.result_type(image0_mask.dtype, image1_mask.dtype)
    return np.intp(_of_products(found, dtype)) / count if count else 0


def _pearson(mask, image0, image1):
    images, doubles = (image0, image1), (np.dtype(float),) * 2
    found = _sums(mask, *images, doubles)
    _refuse_seen(found, "image0", 0, "image1", 0)
    count = int(found["count"])
    if count < 3:
        raise Declined("mask leaves fewer than 3 pixels; nothing to change")
    means = [float(found[name]) / count for name in ("first", "second")]
    found = _launched("pair_products", mask, images, means, doubles)
    squares = [float(found[f"{name}_squares"]) for name in ("first", "second")]
    dtype = np.result_type(*(image.dtype for image in images))
    threshold = np.finfo(dtype if dtype.kind == "f" else float).eps ** 0.75
    for square, mean in zip(squares, means, strict=True):
        spread = square**0.5
        if not spread > 10 * threshold * abs(mean):
            raise Declined("images are constant, which correlates with nothing; nothing to change")
        if not _LEAST < spread < _MOST:
            raise Declined(
                "images have a spread beyond 1e150, or below 1e-150, whose square double "
                "precision cannot hold; give them scaled"
            )
    if dtype == np.float32 and any(map(_beyond_single, squares, means, [count] * 2)):
        raise Declined("images have sums that single precision cannot hold; give them scaled")
    r = min(1.0, max(-1.0, float(found["products"]) / squares[0] ** 0.5 / squares[1] ** 0.5))
    half = count / 2 - 1
    return r, float(2 * stats.beta(half, half, loc=-1, scale=2).sf(abs(r)))


def _beyond_single(square, mean, count):
    """Whether magnitudes, of which the squares tell the most, may add up to infinity there."""
    return count * (square / count + mean**2) ** 0.5 > float(np.finfo(np.float32).max)


def _refuse_seen(found, name0, bits0, name1, bits1, *, empty=False):
    """Leave to scikit-image what it refuses: negative values, masks of other numbers, no pixels."""
    seen = int(found["seen"])
    if seen & _MASK:
        raise Declined("mask has values other than 0 and 1; give mask != 0")
    for name, bits, here in ((name0, bits0, seen), (name1, bits1, seen >> 3)):
        if bits == _ODD and here & _ODD:
            raise Declined(f"{name} has values other than 0 and 1; give {name} != 0")
        if bits == _NEGATIVE and here & _NEGATIVE and not here & _NAN:  # no minimum is below 0
            raise Declined(f"{name} has values below 0; give {name} from 0 on")
    if not empty and int(found["count"]) == 0:
        raise Declined("mask leaves no pixel; nothing to change")


def _of_products(found, dtype):
    return found["products" if dtype.kind == "f" else "whole_products"]


def _as_summed(total, dtype):
    """A sum in the type that NumPy sums `dtype` in."""
    if dtype.kind != "f":
        return np.int64(total.view(np.int64)) if dtype.kind in "bi" else np.uint64(total)
    with np.errstate(over="ignore"):
        return dtype.type(total)


def _sums(mask, image0, image1, dtypes=None, both=None):
    """Sums of numbers of the images' own types, or of `dtypes`, and of products of type `both`."""
    dtypes = dtypes or (image0.dtype, image1.dtype)
    both = both or np.result_type(*dtypes)
    own = [np.result_type(np.int8, dtype) if dtype.kind == "b" else dtype for dtype in dtypes]
    types = [np.array(_type(dtype), _TYPE)[()] for dtype in (*own, both)]
    return _launched("pair_sums", mask, (image0, image1), types, dtypes)


def _type(dtype):
    """Bits of an integer, and the one that tells its sign."""
    if dtype.kind == "f":
        return 0, 0
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    return (1 << bits) - 1, 1 << bits - 1 if dtype.kind == "i" else 0


@functools.cache
def _totals(*kinds):
    first, second = ("f8" if kind == "f" else "u8" for kind in kinds)
    fields = [("count", "u8"), ("seen", "u8"), ("first", first), ("first_squares", first)]
    fields += [("second", second), ("second_squares", second)]
    return np.dtype([*fields, ("whole_products", "u8"), ("products", "f8")])


def _launched(kernel, mask, images, numbers, dtypes):
    """What a kernel finds, on the host."""
    given = in_memory_order(*(array for array in (*images, mask) if array is not None))
    arrays = [part for array in given for part in (array, code(array.dtype))]
    arrays += [None, np.int32(0)] if mask is None else []
    blocks = blocks_for(max(given, key=lambda array: array.dtype.itemsize))
    found = _totals(*(dtype.kind for dtype in dtypes))
    partials, arrived = xp.empty((blocks, _PARTIAL), "uint8"), xp.zeros(1, "uint32")
    result = xp.empty(found.itemsize, "uint8")
    if kernel == "pair_sums":
        kernel += _variant(dtypes)
    args = (*arrays, images[0].size, *numbers, partials, arrived, result)
    launch(_SOURCE, kernel, args, work=images[0].size, block=BLOCK, grid=(blocks,))
    return to_host(result).view(found)[0]


def _variant(dtypes):
    return f"<{', '.join(map(_held_in, dtypes))}>"


def _held_in(dtype):
    if dtype.kind == "f":
        return _REAL.get(dtype.itemsize, "float")
    return _WHOLE.get(dtype.itemsize, "long long")


def specializations():
    """Every (source, expression) that these functions launch."""
    for dtypes in itertools.product(map(np.dtype, "hqfd"), repeat=2):
        yield _SOURCE, f"pair_sums{_variant(dtypes)}"
    yield _SOURCE, "pair_products"
