"""Colocalization of Dask arrays: sums over two images, where a mask is set, of their chunks.

Sums of integers wrap around as NumPy's do, whatever their order. Those of floats are in double.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from .._warn import warn_caller
from ..functions.measure import colocalization as room
from ..scikit_image import private, signature
from . import sums
from .join import on_the_host
from .measured import measured, plan_to

_CONSTANT = "An input array is constant; the correlation coefficient is not defined."
_NEARLY = (
    "An input array is nearly constant; the computed correlation coefficient may be inaccurate."
)


class _Sums(NamedTuple):
    """Of a chunk or more.

    Attributes
    ----------
    count : int
        Pixels in the mask.
    ends : numpy.ndarray
        Of each image least element and, negative, largest one.
    first, first_squares, second, second_squares, products : numpy.ndarray
        One number each: unsigned for integers, whose sums wrap around.
    """

    count: int
    ends: np.ndarray
    first: np.ndarray
    first_squares: np.ndarray
    second: np.ndarray
    second_squares: np.ndarray
    products: np.ndarray


def pearson_corr_coeff(call):
    """Pearson's correlation and its p-value: means first, then what is left of them."""
    total = _total(call, float)
    around = _summed(call, total, function=_around_means, add=sums.add_arrays)
    dtype = np.result_type(*(image.dtype for image in call.images[:2]))
    found = call.made(_correlation, total, around, dtype=object, into=dtype)
    return tuple(call.made(_one, found, dtype=float, place=place) for place in range(2))


def manders_coloc_coeff(call):
    """Share of the intensity that lies in a mask."""
    dtype = call.images[0].dtype
    made = np.dtype(dtype if dtype.kind == "f" else float)
    return call.made(_share, _total(call, dtype), dtype=made, into=dtype)


def manders_overlap_coeff(call):
    """Manders' overlap coefficient."""
    dtypes = tuple(image.dtype for image in call.images[:2])
    one = _Sums(1, np.zeros((2, 2)), *np.ones((5, 1), np.uint64))
    made = _overlap(one, dtypes).dtype
    return call.made(_overlap, _total(call, np.result_type(*dtypes)), dtype=made, dtypes=dtypes)


def intersection_coeff(call):
    """Share of a mask that another one has."""
    total = _total(call, np.result_type(*(image.dtype for image in call.images[:2])))
    return call.made(_intersection, total, dtype=float)


def _total(call, both):
    return _summed(call, function=_of_chunk, add=_added, both=np.dtype(both))


def _summed(call, *found, function, add, **options):
    names = tuple(name for name in signature(call.name).parameters if name not in call.options)
    arrays = (*call.images, *found)
    return sums.summed(function, arrays, add, task=call.task(call.name, names), **options)


def _of_chunk(*chunks, task, both):
    is_correlation = task.name.endswith("pearson_corr_coeff")
    dtypes = (both,) * 2 if is_correlation else tuple(c.dtype for c in chunks[:2])
    names = task.parameters
    on_device = plan_to(partial(_on_device, names, dtypes, both))
    count, *found = measured(chunks, task, on_device, partial(_on_host, names, dtypes, both))
    found = (np.reshape(on_the_host(number), 1) for number in found)
    return _Sums(int(count), _ends(*chunks), *found)


def _on_device(names, dtypes, both, **arrays):
    images = [arrays[name] for name in names[:2]]
    found = room._sums(arrays.get("mask"), *images, dtypes, both)
    here = [room._ODD * name.endswith("_mask") for name in names[:2]]
    room._refuse_seen(found, names[0], here[0], names[1], here[1], empty=True)
    fields = ("count", "first", "first_squares", "second", "second_squares")
    return *(found[field] for field in fields), room._of_products(found, both)


def _on_host(names, dtypes, both, *images):
    one, other = _masked(names, *images)
    found = []
    for image, dtype in zip((one, other), dtypes, strict=True):
        image = image.astype(dtype, copy=False)
        found += [_sum(image), _sum(np.square(image))]
    with np.errstate(over="ignore"):
        products = np.multiply(one.astype(both, copy=False), other.astype(both, copy=False))
    return one.size, *found, _sum(products)


def _masked(names, *images):
    """The two images as scikit-image takes them, where the mask is set."""
    images = [
        private("_shared.utils").as_binary_ndarray(image, variable_name=name)
        if name.endswith("mask")
        else image
        for name, image in zip(names, images, strict=True)
    ]
    one, other, *mask = images
    return (one[mask[0]], other[mask[0]]) if mask else (one.ravel(), other.ravel())


def _sum(values):
    if values.dtype.kind == "f":
        return values.sum(dtype=np.float64)
    return np.uint64(values.sum().astype(np.uint64))


def _ends(one, other, mask=None):
    found = np.full((2, 2), np.inf)
    for image, ends in zip((one, other), found, strict=True):
        inside = image if mask is None else image[mask != 0]
        if inside.size:
            ends[:] = float(inside.min()), -float(inside.max())
    return found


def _added(parts):
    counts, ends, *numbers = zip(*parts, strict=True)
    return _Sums(
        sum(counts), np.minimum.reduce(ends), *(sum(each[1:], each[0]) for each in numbers)
    )


def _refuse(total, *texts):
    """As scikit-image refuses what is left of images."""
    if total.count == 0:
        np.empty(0).min()
    for (least, _), text in zip(total.ends, texts, strict=False):
        if least < 0:
            raise ValueError(text)


def _share(total, into):
    _refuse(total, "image contains negative values")
    whole = room._as_summed(total.first[0], into)
    return 0 if whole == 0 else room._as_summed(total.products[0], into) / whole


def _overlap(total, dtypes):
    _refuse(total, "image0 contains negative values", "image1 contains negative values")
    squares = total.first_squares[0], total.second_squares[0]
    first, second = map(room._as_summed, squares, dtypes)
    return room._as_summed(total.products[0], np.result_type(*dtypes)) / (first * second) ** 0.5


def _intersection(total):
    count = np.intp(total.first[0])
    return np.intp(total.products[0]) / count if count else 0


def _means(total):
    return [float(number[0]) / total.count for number in (total.first, total.second)]


def _around_means(*chunks, task):
    """Squares and products of the differences from the means."""
    *chunks, total = chunks
    if total.count < 2:
        return np.zeros(3)
    means = _means(total)
    on_device = plan_to(partial(_around_on_device, means))
    host = partial(_around_on_host, task.parameters, means)
    return np.array([float(number) for number in measured(tuple(chunks), task, on_device, host)])


def _around_on_device(means, image0, image1, mask=None):
    found = room._launched("pair_products", mask, (image0, image1), means, (np.dtype(float),) * 2)
    return found["first_squares"], found["second_squares"], found["products"]


def _around_on_host(names, means, *images):
    images = _masked(names, *images)
    one, other = (np.subtract(i, mean, dtype=float) for i, mean in zip(images, means, strict=True))
    return (one * one).sum(), (other * other).sum(), (one * other).sum()


def _correlation(total, around, into):
    """As SciPy's `pearsonr` decides."""
    if total.count < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    if any(least == -most for least, most in total.ends):
        warn_caller(_CONSTANT, stats.ConstantInputWarning)
        return np.nan, np.nan
    *squares, products = around
    threshold = np.finfo(into if into.kind == "f" else float).eps ** 0.75
    spreads = [float(square) ** 0.5 for square in squares]
    if not all(room._LEAST < spread < room._MOST or spread != spread for spread in spreads):
        raise ValueError("images have a spread beyond 1e150, or below 1e-150; give them scaled")
    if any(s < threshold * abs(mean) for s, mean in zip(spreads, _means(total), strict=True)):
        warn_caller(_NEARLY, stats.NearConstantInputWarning)
    r = float(np.clip(products / spreads[0] / spreads[1], -1, 1))
    if total.count == 2:
        return (np.nan, np.nan) if r != r else (float(round(r)), 1.0)
    half = total.count / 2 - 1
    return r, float(2 * stats.beta(half, half, loc=-1, scale=2).sf(abs(r)))


def _one(found, place):
    return found[place]
