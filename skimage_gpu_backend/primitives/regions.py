"""Sums over the pixels of labelled regions: the same launches however many regions there are."""

import functools

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import code
from ..devices import argsort, to_host, xp
from ..trouble import Declined
from .runs import Runs
from .small_labels import small_labels

_SOURCE = "measure/regions.cu"
_SHARE, _BLOCK = 32, 256  # SHARE and THREADS in measure/regions.cu
_MANY, _FEW = 16, 64  # shares of a region, for which a block is so small where there are fewer
# Values that a kernel makes of each region, and those of them that are sums.
_VALUES = {
    "moments_of_runs": (16, 16),
    "intensities": (4, 2),
    "spreads": (2, 2),
    "corners": (16, 16),
    "cubes": (1, 1),
    "perimeters": (4, 4),
}
_SPACING = np.dtype([(name, "f8") for name in "zyx"])


class Regions:
    """The regions of an image of labels: sets of equal pixels above 0.

    Which labels there are, how many pixels each has, and boxes come to the host: of small labels
    from one launch, of others from pixels that are sorted as `runs`, which is done for what else
    is measured. All of it is computed when it is first asked for.

    Parameters
    ----------
    labels : cupy.ndarray
        Of integers, of 2 or 3 axes, with at least one element.

    Attributes
    ----------
    labels : numpy.ndarray
        The labels that there are, in ascending order.
    counts : numpy.ndarray
        Pixels of each region.
    """

    def __init__(self, labels):
        self.image = xp.ascontiguousarray(labels)
        self.shape = (1, *self.image.shape)[-3:]

    def sort(self):
        """Sort pixels before anything is asked: then all that is known of labels comes of that."""
        self._small = None

    @functools.cached_property
    def _small(self):
        return small_labels(self.image)

    @functools.cached_property
    def labels(self):
        return self._told[0][:-1] if self._small is None else self._small.labels

    @functools.cached_property
    def counts(self):
        return np.diff(self._starts) if self._small is None else self._small.counts

    @functools.cached_property
    def _runs(self):
        runs = Runs(self.image)
        if runs.largest > np.iinfo(np.int64).max:
            raise Declined("label_image has labels of 2**63 or more; give smaller ones")
        return runs

    @property
    def index(self):
        """The type that tells places of pixels."""
        return self._runs.index

    @functools.cached_property
    def _first(self):
        """The first label, behind 0, which stands for pixels without one."""
        return int(self._runs.told[0, 0] == 0)

    @property
    def _told(self):
        """The labels, and where their pixels and runs begin; and behind the last."""
        return self._runs.told[:, self._first :]

    @property
    def _starts(self):
        return self._told[1]

    def __len__(self):
        return self.labels.size

    @functools.cached_property
    def _pixels(self):
        """What kernels are given of the sorted pixels."""
        runs = self._runs
        return runs.firsts, runs.places, len(runs), runs.table[1, self._first :], len(self)

    @functools.cached_property
    def of_runs(self):
        """What kernels are given of runs: their first pixels, places, and those of each region."""
        runs = self._runs
        return runs.firsts, runs.places, runs.table[2, self._first :], len(self)

    @property
    def run_shares(self):
        """Threads that each go through a few runs."""
        return _shares(self._told[2])

    @functools.cached_property
    def boxes(self):
        """Corners of each region's box, then the places behind it, along each axis of the image."""
        if self._small is not None:
            return self._small.first, self._small.behind
        found = xp.full((len(self), 6), np.iinfo(self.index).max, self.index)
        self._of_runs("boxes", self._volume, found)
        found = to_host(found).astype(np.int64)
        axes = slice(3 - self.image.ndim, 3)
        return found[:, :3][:, axes], 1 - found[:, 3:][:, axes]

    @functools.cached_property
    def squares(self):
        """Sums of coordinates, and of their products, exactly; None where 64 bits do not hold them.

        They are whole numbers of pixels about the place nearest to each region's centroid.

        Returns
        -------
        nearest : numpy.ndarray
            Of each region, that place along each axis.
        first, second : numpy.ndarray
            Sums of distances from it along each axis, and of products for each pair of axes.
        """
        if self.image.size * max(self.image.shape) ** 2 >= 2**63:
            return None
        table = xp.zeros((len(self), 10), np.uint64)
        self._of_runs("squares", self._volume, table)
        table, axes = to_host(table).view(np.int64), slice(3 - self.image.ndim, 3)
        pairs = np.array([[4, 7, 8], [7, 5, 9], [8, 9, 6]])[axes, axes]
        counts, sums, products = table[:, :1], table[:, 1:4][:, axes], table[:, pairs]
        nearest = np.rint(sums / counts).astype(np.int64)
        first = sums - counts * nearest
        products = products - nearest[:, :, None] * sums[:, None]  # modulo 2^64, as they are
        return nearest, first, products - first[:, :, None] * nearest[:, None]

    @functools.cached_property
    def box_corners(self):
        """Of each region, on the device: the first plane, row and column of its box."""
        corners = np.zeros((len(self), 3), np.int64)
        corners[:, 3 - self.image.ndim :] = self.boxes[0]
        return xp.asarray(corners)

    def moments(self, order, spacing, centres=None, image=None):
        """Moments up to an order along each axis, of coordinates from the box's corner on.

        Parameters
        ----------
        order : int
            1 or 3; 3 without an image.
        spacing : numpy.ndarray
            Of pixels along each axis.
        centres : numpy.ndarray, optional
            Of each region (and channel), along each axis; the corner of its box by default.
        image : cupy.ndarray, optional
            Weights, with channels along the last of its axes.

        Returns
        -------
        numpy.ndarray
            Of each region: one more than the order along each axis; channels come last.
        """
        ndim = self.image.ndim
        channels = image.shape[-1] if image is not None else 1
        powers = order + 1 if ndim == 3 else 1
        all_centres = np.zeros((len(self), channels, 3))
        if centres is not None:  # of each region: axes, channels
            centres = centres.reshape(len(self), ndim, channels)
            all_centres[..., 3 - ndim :] = np.moveaxis(centres, 1, 2)
        steps = np.ones((), _SPACING)
        for name, step in zip("zyx"[3 - ndim :], spacing, strict=True):
            steps[name] = step
        place = (self._volume, steps[()], self.box_corners, xp.asarray(all_centres))
        if image is None:
            sums = self._measured("moments_of_runs", (*place, powers), powers, of_runs=True)
        else:
            given = (*place, image, code(image.dtype), channels, powers)
            sums = self._measured("moments", given, channels * powers, order)
        sums = sums.reshape(len(self), channels, *(order + 1,) * ndim)
        return sums[:, 0] if image is None else np.moveaxis(sums, 1, -1)

    def intensities(self, image):
        """Sum, least and largest value of each region and channel."""
        given = (image, code(image.dtype), image.shape[-1])
        found = self._measured("intensities", given, image.shape[-1])
        return found[..., 0], found[..., 2], -found[..., 3]

    def spreads(self, image, means):
        """Sums of distances from `means`, and of their squares, of each region and channel."""
        given = (image, code(image.dtype), image.shape[-1], xp.asarray(means))
        found = self._measured("spreads", given, image.shape[-1])
        return found[..., 0], found[..., 1]

    @functools.cached_property
    def corners(self):
        """How often each of 16 patterns of 2 x 2 pixels stands there, in a plane."""
        return self._measured("corners", (*self._labels, self._volume))[:, 0].astype(np.int64)

    def cubes(self, worth):
        """The sum of what each of 256 patterns of 2 x 2 x 2 pixels is worth, in a volume."""
        given = (*self._labels, self._volume, xp.asarray(worth, np.float64))
        return self._measured("cubes", given)[:, 0, 0]

    @functools.cached_property
    def perimeters(self):
        """Pixels of the outline that are worth 1, the root of 2, and the mean of both."""
        return self._measured("perimeters", (*self._labels, self._volume))[:, 0, :3]

    def pixels(self, rows):
        """Places of the pixels of some regions, in the image as one row, for each of them."""
        places = self._runs.pixels([row + self._first for row in rows])
        return np.split(places, np.cumsum(self.counts[rows])[:-1])

    def middles(self, values):
        """The two values in the middle of each region, which may be one, of a flat image."""
        order = argsort(values)
        order = order[argsort(self.image.ravel()[order])]
        starts = self._starts[:-1]
        middle = np.concatenate((starts + (self.counts - 1) // 2, starts + self.counts // 2))
        return xp.asnumpy(values[order[xp.asarray(middle)]]).reshape(2, -1)

    @property
    def _labels(self):
        return self.image, np.int32(self.image.dtype.itemsize)

    @property
    def _volume(self):
        return self.volume(self.index)

    def volume(self, index):
        """The shape of the image, as kernels are given it, in an integer type."""
        dtype = np.dtype([(name, index) for name in ("depth", "rows", "columns")])
        return np.array(tuple(self.shape), dtype)[()]

    def _of_runs(self, kernel, *arguments):
        """Launch a kernel that goes through runs."""
        given, expression = (*self.of_runs, *arguments), _expression(kernel, self.index)
        launch(_SOURCE, expression, given, work=self.run_shares, block=_BLOCK)

    def _measured(self, kernel, arguments, variants=1, order=None, of_runs=False):
        """Values of each region and variant, on the host, from two launches."""
        of = self.of_runs if of_runs else self._pixels
        shares = self.run_shares if of_runs else _shares(self._starts)
        *_, starts, count = of
        values, sums = _VALUES[kernel] if order is None else _moments(order)
        partials = xp.empty((shares + count) * variants * values)
        table = xp.empty((count, variants, values))
        given = (*of, *arguments, partials)
        expression = _expression(kernel, self.index, order)
        launch(_SOURCE, expression, given, work=shares * variants, block=_BLOCK)
        given = (starts, count, variants, partials, table)
        block = _BLOCK if shares > _MANY * count else _FEW
        work = count * variants * block
        launch(_SOURCE, f"gather<{values}, {sums}>", given, work=work, block=block)
        return xp.asnumpy(table)


def _moments(order):
    """Values and sums of moments."""
    return (order + 1) ** 2, (order + 1) ** 2


def _expression(kernel, index, order=None):
    return f"{kernel}<{c_name(index)}{'' if order is None else f', {order}'}>"


def _shares(starts):
    """Threads that each go through a few of what begins there for each region."""
    return -(-int(starts[-1] - starts[0]) // _SHARE)


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in (np.dtype(np.int32), np.dtype(np.int64)):
        for kernel in ("boxes", "squares", *_VALUES):
            yield _SOURCE, _expression(kernel, index)
        for order in (1, 3):
            yield _SOURCE, _expression("moments", index, order)
    for values, sums in dict.fromkeys((*_VALUES.values(), *map(_moments, (1, 3)))):
        yield _SOURCE, f"gather<{values}, {sums}>"
