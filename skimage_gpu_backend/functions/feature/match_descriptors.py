"""skimage.feature.match_descriptors: exact nearest neighbours, as SciPy's cdist measures them.

Cost: 3 launches, 2 without `cross_check`; 2 more where both arrays are boolean and the metric is
Hamming's, which make a bit of each feature; 1 more for each array of another dtype than the kernel
takes (8 bits both, float32 both, else float64). Blocks of 8 descriptors read all others once, in
both directions; of few descriptors several share them. 24 bytes for each descriptor and block are
written and read between; there is no matrix of distances. 16 bytes come to the host.
"""

import functools
import math

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import c_name
from ...device.launches import Array, Bytes, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_but_arrays, truth
from ...primitives.bits import packing

_SOURCE = "feature/match_descriptors.cu"
_ROWS, _OTHERS, _BLOCK = 8, 64, 256  # ROWS and OTHERS in match_descriptors.cu
_BLOCKS = 1024  # up to which few descriptors are compared with parts of the others
_MOST_OF_BYTES = 32_768  # features of 8 bits whose sums 32 bits hold
_MOST = 1 << 20  # whose sums double holds
# SciPy's names, and the struct in match_descriptors.cu.
_METRICS = {
    "braycurtis": "BrayCurtis",
    "canberra": "Canberra",
    **dict.fromkeys(("chebyshev", "chebychev", "cheby", "cheb", "ch"), "Chebyshev"),
    **dict.fromkeys(("cityblock", "cblock", "cb", "c"), "CityBlock"),
    **dict.fromkeys(("cosine", "cos"), "Cosine"),
    **dict.fromkeys(("euclidean", "euclid", "eu", "e"), "Euclidean"),
    **dict.fromkeys(("minkowski", "mi", "m", "pnorm"), "Euclidean"),  # whose p is 2 by default
    **dict.fromkeys(("hamming", "matching", "hamm", "ha", "h"), "Hamming"),
    **dict.fromkeys(("sqeuclidean", "sqe", "sqeuclid"), "SquaredEuclidean"),
}
_OF_P = {1: "CityBlock", 2: "Euclidean", math.inf: "Chebyshev", -math.inf: "Chebyshev"}
_BOOL, _U1, _U4, _I8, _F4, _F8 = map(np.dtype, ("bool", "u1", "u4", "i8", "f4", "f8"))


def match_descriptors(
    descriptors1,
    descriptors2,
    metric=None,
    p=2,
    max_distance=np.inf,
    cross_check=True,
    max_ratio=1.0,
):
    """Nearest descriptors of two images: `skimage.feature.match_descriptors`.

    Matches are scikit-image's, also where distances are equal or not numbers.
    """
    refuse_but_arrays(descriptors1=descriptors1, descriptors2=descriptors2)
    if descriptors1.ndim != 2 or descriptors2.ndim != 2:
        raise Invalid("descriptors are not of two axes; give a row for each descriptor")
    if descriptors1.shape[1] != descriptors2.shape[1]:
        raise Invalid("descriptors differ in length; give arrays of as many columns")
    most, ratio = real("max_distance", max_distance), real("max_ratio", max_ratio)
    checked = truth("cross_check", cross_check)
    if not descriptors2.shape[0] or (checked and not descriptors1.shape[0]):
        raise Invalid("there are no descriptors; give some")
    shapes, dtypes = zip(*((d.shape, d.dtype) for d in (descriptors1, descriptors2)), strict=True)
    measure = _measure(metric, p, dtypes[0])
    if measure == "Cosine" and not (
        all(_is_exact(dtype) for dtype in dtypes) and shapes[0][1] <= _MOST
    ):
        raise Declined(
            "metric is 'cosine', whose rounded products SciPy adds up in its compiler's order; "
            "give 'euclidean', or integers of 16 bits, which changes the result"
        )
    return _planned(shapes, dtypes, measure, most, checked, ratio)


def _measure(metric, p, dtype):
    if metric is None:
        return "Hamming" if dtype.kind == "b" else "Euclidean"
    if callable(metric):
        raise Declined(
            "metric is a Python function, which no kernel calls; give a name, as "
            "'euclidean', which changes the result"
        )
    if not isinstance(metric, str):
        raise Invalid("metric is not a string")
    measure = _METRICS.get(metric.lower())
    if measure is None:
        raise Declined(
            "metric has no kernel; give 'euclidean', 'cosine' or 'hamming', which changes the "
            "result"
        )
    if metric == "minkowski":
        measure = _OF_P.get(real("p", p))
        if measure is None:
            raise Declined(
                "p is a power that the C library rounds in its own way; give 1, 2 or numpy.inf, "
                "which changes the result"
            )
    return measure


def _is_exact(dtype):
    """Whether double holds sums of products exactly, in whatever order they are added up."""
    return dtype.kind in "bui" and dtype.itemsize <= 2


@functools.lru_cache(maxsize=256)
def _planned(shapes, dtypes, measure, most, checked, ratio):
    (count, length), (many, _) = shapes
    steps, sets, stored = _stored(shapes, dtypes, measure)
    if stored == _U4:
        measure = "HammingOfBits"
    kernel = f"nearest<{c_name(stored)}, {measure}>"
    found, back = Array((count,), _I8), Array((many,), _I8)
    distances = Array((2, count), _F8)
    steps.append(_nearest(kernel, sets, length, found, distances))
    if checked:
        steps.append(_nearest(kernel, sets[::-1], length, back, Array((2, many), _F8)))
    pairs, told = Array((count, 2), _I8), Array((2,), _I8, zero=True)
    args = (found, distances, back if checked else found, checked, count, most, ratio, pairs, told)
    steps.append(Launch(_SOURCE, "matches", args, count, _BLOCK, grid=(1,)))
    launches = Launches(tuple(steps), (pairs, told))
    return Plan(functools.partial(_matches, launches), launches=launches)


def _stored(shapes, dtypes, measure):
    """Launches that come before, both arrays as the kernel takes them, and their dtype."""
    names = "descriptors1", "descriptors2"
    if measure == "Hamming" and all(dtype == _BOOL for dtype in dtypes) and shapes[0][1]:
        words = [Array((count, -(-length // 32)), _U4) for count, length in shapes]
        given = [Array(*each) for each in zip(shapes, dtypes, names, strict=True)]
        steps = [packing(*pair) for pair in zip(given, words, strict=True)]
        return steps, words, _U4
    stored = _F8
    if set(dtypes) <= {_BOOL, _U1} and shapes[0][1] <= _MOST_OF_BYTES:
        stored = _U1
    elif set(dtypes) == {_F4}:
        stored = _F4
    sets = []
    for shape, dtype, name in zip(shapes, dtypes, names, strict=True):
        as_is = dtype if stored == _U1 else stored
        array = Array(shape, as_is, name, converted=dtype != as_is)
        sets.append(Bytes(array) if stored == _U1 else array)
    return [], sets, stored


def _nearest(kernel, sets, features, found, distances):
    shapes = [(each.array if type(each) is Bytes else each).shape for each in sets]
    (count, length), (many, _) = shapes
    blocks = -(-count // _ROWS)
    parts = max(1, min(-(-many // _OTHERS), _BLOCKS // max(1, blocks)))
    grid = (blocks, parts) if parts > 1 else None
    partials = Array((parts if grid else 0, count, 3), _F8)
    arrived = Array((blocks if grid else 0,), _U4, zero=grid is not None)
    args = (*sets, count, many, length, float(features), found, distances, partials, arrived)
    return Launch(_SOURCE, kernel, args, blocks * _BLOCK, _BLOCK, grid=grid)


def _matches(launches, descriptors1, descriptors2):
    pairs, told = launches(descriptors1=descriptors1, descriptors2=descriptors2)
    count, is_odd = to_host(told).tolist()
    if is_odd:
        warn_caller("invalid value encountered in divide", RuntimeWarning)
    return pairs[:count]


def samples():
    """Plans that together ask for every kernel of this room."""
    for metric in sorted(_METRICS):
        for dtype in ("u1", "i2") if metric in ("cos", "cosine") else ("u1", "f4", "f8"):
            yield match_descriptors(*[Array((5, 6), np.dtype(dtype))] * 2, metric)
    yield match_descriptors(*[Array((5, 6), _BOOL)] * 2)
