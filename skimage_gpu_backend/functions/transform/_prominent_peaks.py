"""Prominent peaks of planes: as scikit-image's `feature.peak._prominent_peaks` finds them.

The device marks pixels that none in their window exceeds, and lists those above a threshold; the
list is joined to regions, sorted and thinned on the host.
"""

import numpy as np
from scipy import sparse

from ...devices import to_host, xp
from ...plan import Declined, Invalid
from ...primitives.arguments import is_real
from ...primitives.maxima import Maxima
from ..feature._peaks import above

_FAR = 1 << 20
_FORWARD = ((0, 1), (1, -1), (1, 0), (1, 1))  # neighbours that come later in raster order


def distance(name, value):
    """How far the parameter `name` says that peaks are apart."""
    if not isinstance(value, int | np.int64):
        raise Declined(f"{name} is not an integer; give one")
    if value < 0:
        raise Invalid(f"{name} is negative; give an integer from 0 on")
    if value >= _FAR:
        raise Declined(f"{name} is 2**20 or more; give a smaller integer")
    return int(value)


def threshold_of(value):
    """The parameter ``threshold`` as it is: what it is compared with depends on its type."""
    if value is None:
        return value
    if not is_real(value) or isinstance(value, np.bool_):
        raise Declined("threshold is not a number; give a number, as 2.5")
    if value < 0:
        raise Declined("threshold is negative, above which all pixels are; give one from 0 on")
    return value


def most(name, value):
    """How many peaks the parameter `name` allows."""
    if isinstance(value, int | np.integer) or (is_real(value) and value == np.inf):
        return value
    raise Declined(f"{name} is neither an integer nor infinite; give numpy.inf for all peaks")


def refuse_dtype(name, image):
    if image.dtype.char in "?e":
        raise (Invalid if image.dtype.char == "e" else Declined)(
            f"{name} is {image.dtype}, of which peaks are not found; give {name}.astype(float)"
        )


def prominent_peaks(name, planes, down, across, threshold, num_peaks):
    """Peaks of each plane: their values, columns and rows.

    Parameters
    ----------
    name : str
        Parameter that they are of.
    planes : cupy.ndarray
        Of three axes, not empty, of a dtype that `Maxima` takes.
    down, across : int
        Rows and columns that peaks are apart, at least.
    threshold : number or None
        Peaks are above it; None: above half of their plane's largest value.
    num_peaks : int or float
        The most that are kept of each plane.

    Returns
    -------
    list of (array, array, array)
    """
    count, rows, columns = planes.shape
    window = (1, 2 * min(down, rows - 1) + 1, 2 * min(across, columns - 1) + 1)
    found = Maxima(planes, window, None, (0, 0, 0))
    _refuse_odd_values(name, found)
    if threshold is not None:
        thresholds = [threshold] * count
    else:
        highest = (
            [found.high] if count == 1 else list(to_host(planes.reshape(count, -1).max(axis=1)))
        )
        thresholds = [0.5 * value for value in highest]
    # a plane of zeros has no peak above its threshold, which is 0
    least = min((each for each in thresholds if each > 0), default=0)
    places, votes = found.listed(above(planes.dtype, least))
    starts = np.searchsorted(places, np.arange(count + 1) * (rows * columns))
    result = []
    for plane, threshold, first, end in zip(
        planes, thresholds, starts[:-1], starts[1:], strict=True
    ):
        own = slice(first, end)
        own_places, own_votes = (each[own][votes[own] > threshold] for each in (places, votes))
        coords, values = _regions(plane, window[1:], own_places % (rows * columns), own_votes)
        kept = _apart(coords, values, (rows, columns), (down, across), threshold)
        result.append(_limited(values[kept], coords[kept], num_peaks))
    return result


def _refuse_odd_values(name, found):
    """Decline what SciPy's filters, which compute in double and see 0 outside, do otherwise."""
    if not found.low >= 0:
        raise Declined(f"{name} has NaN, or negative votes; give numbers from 0 on")
    if found.dtype.kind in "iu" and found.high > 2**53:
        raise Declined(
            f"{name} has integers beyond 2**53, which SciPy does not tell apart; give smaller ones"
        )


def _regions(plane, window, places, values):
    """Centers of regions of neighbouring peaks, and the largest value in a window around them.

    The highest region comes first, of equal ones the last in raster order.
    """
    rows, columns = np.divmod(places, plane.shape[1])
    region = _numbered(places, columns, plane.shape[1])
    sizes = np.bincount(region)
    highest = np.zeros(len(sizes), values.dtype)
    np.maximum.at(highest, region, values)
    center = [np.bincount(region, weights=each) / sizes for each in (rows, columns)]
    order = np.argsort(highest, kind="stable")[::-1]
    coords = np.round(np.stack(center, axis=1)).astype(int)[order]
    return coords, _window_maxima(plane, window, coords, places, values)


def _numbered(places, columns, width):
    """For each peak the number of its region, from 0 on, in raster order of their first peaks."""
    count, edges = len(places), []
    for down, right in _FORWARD:
        inside = np.flatnonzero((columns + right >= 0) & (columns + right < width))
        beside = places[inside] + down * width + right
        at = np.searchsorted(places, beside)
        is_peak = at < count
        is_peak[is_peak] = places[at[is_peak]] == beside[is_peak]
        edges.append(np.stack([inside[is_peak], at[is_peak]]))
    one, other = np.concatenate(edges, axis=1)
    if not len(one):
        return np.arange(count)
    graph = sparse.coo_array((np.ones(len(one), bool), (one, other)), (count, count))
    region = sparse.csgraph.connected_components(graph, directed=False)[1]
    _, first, region = np.unique(region, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[region]


def _window_maxima(plane, window, coords, places, values):
    """The largest value around each of `coords`: of a peak its own."""
    center = coords @ np.array([plane.shape[1], 1])
    at = np.minimum(np.searchsorted(places, center), max(len(places) - 1, 0))
    found = values[at]
    others = np.flatnonzero(places[at] != center)  # the center of a ring is no peak
    if len(others):
        rows, columns = (
            np.clip(each[:, None] + np.arange(size) - size // 2, 0, length - 1)
            for each, size, length in zip(coords[others].T, window, plane.shape, strict=True)
        )
        around = rows[:, :, None] * plane.shape[1] + columns[:, None, :]
        around = xp.asarray(around.reshape(len(others), -1))
        found[others] = to_host(plane.ravel()[around].max(axis=1))
    return found


def _apart(coords, values, shape, apart, threshold):
    """Places of those that keep their distance from all before them.

    Columns go on at the other side of the plane, where rows are mirrored; what is in the first row
    is never too near. Both as scikit-image has it.
    """
    (rows, columns), (down, across) = shape, apart
    by_row = np.argsort(coords[:, 0], kind="stable")
    y, x = coords[by_row].T
    place_of, is_open = np.argsort(by_row), (values > threshold)[by_row]
    near = _between(y, coords[:, 0], down)
    mirrored = _between(y, rows - coords[:, 0], down)
    can_be_near, kept = y > 0, []
    for place, column in enumerate(coords[:, 1].tolist()):
        if not is_open[place_of[place]]:
            continue
        kept.append(place)
        own = slice(*near[place])
        is_open[own] &= ~((np.abs(x[own] - column) <= across) & can_be_near[own])
        if column < across or column + across >= columns:
            own = slice(*mirrored[place])
            is_near = (x[own] - columns >= column - across) | (x[own] + columns <= column + across)
            is_open[own] &= ~(is_near & can_be_near[own])
    return kept


def _between(rows, centers, down):
    """First and last place among sorted `rows` of those up to `down` from each of `centers`."""
    ends = np.searchsorted(rows, [centers - down, centers + down + 1])
    return ends.T.tolist()


def _limited(values, coords, num_peaks):
    """As the end of scikit-image's function, whose sort is not stable."""
    if not len(values):
        return np.array([]), np.array([]), np.array([])
    if num_peaks < len(values):
        highest = np.argsort(values)[::-1][:num_peaks]
        values, coords = values[highest], coords[highest]
    return values, coords[:, 1], coords[:, 0]
