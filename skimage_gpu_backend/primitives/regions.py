"""Sums over the pixels of labelled regions: the same launches however many regions there are."""

import functools

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import code
from ..device.lazy import cp
from ..trouble import Declined
from .runs import Runs

_SOURCE = "measure/regions.cu"
_SHARE, _BLOCK = 32, 256  # SHARE and THREADS in measure/regions.cu
# Values that a kernel makes of each region, and those of them that are sums.
_VALUES = {
    "moments": (16, 16),
    "intensities": (4, 2),
    "spreads": (2, 2),
    "corners": (16, 16),
    "cubes": (1, 1),
    "perimeters": (4, 4),
}
_SPACING = np.dtype([(name, "f8") for name in "zyx"])


class Regions:
    """The regions of an image of labels: sets of equal pixels above 0.

    Their pixels are sorted as `runs`; the labels that there are, and how many pixels each has,
    come to the host.

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
        self.image = cp.ascontiguousarray(labels)
        self._runs = Runs(self.image)
        if self._runs.largest > np.iinfo(np.int64).max:
            raise Declined("label_image has labels of 2**63 or more; give smaller ones")
        self._first = int(self._runs.told[0, 0] == 0)  # where there is a pixel without a label
        labels, self._starts, self._run_starts = self._runs.told[:, self._first :]
        self.labels = labels[:-1]
        self.counts = np.diff(self._starts)
        self.index, self.shape = self._runs.index, (1, *self.image.shape)[-3:]

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
        return _shares(self._run_starts)

    @functools.cached_property
    def boxes(self):
        """Corners of each region's box, then the places behind it, along each axis of the image."""
        found = cp.full((len(self), 6), np.iinfo(self.index).max, self.index)
        given = (*self.of_runs, self._volume, found)
        expression = f"boxes<{c_name(self.index)}>"
        launch(_SOURCE, expression, given, work=self.run_shares, block=_BLOCK)
        found = found.get().astype(np.int64)
        axes = slice(3 - self.image.ndim, 3)
        return found[:, :3][:, axes], 1 - found[:, 3:][:, axes]

    @functools.cached_property
    def box_corners(self):
        """Of each region, on the device: the first plane, row and column of its box."""
        corners = np.zeros((len(self), 3), np.int64)
        corners[:, 3 - self.image.ndim :] = self.boxes[0]
        return cp.asarray(corners)

    def moments(self, spacing, centres=None, image=None):
        """Moments up to the third order along each axis, of coordinates from the box's corner on.

        Parameters
        ----------
        spacing : numpy.ndarray
            Of pixels along each axis.
        centres : numpy.ndarray, optional
            Of each region (and channel), along each axis; the corner of its box by default.
        image : cupy.ndarray, optional
            Weights, with channels along the last of its axes.

        Returns
        -------
        numpy.ndarray
            Of each region: 4 along each axis; channels come last.
        """
        ndim = self.image.ndim
        channels = image.shape[-1] if image is not None else 1
        powers = 4 if ndim == 3 else 1
        all_centres = np.zeros((len(self), channels, 3))
        if centres is not None:  # of each region: axes, channels
            centres = centres.reshape(len(self), ndim, channels)
            all_centres[..., 3 - ndim :] = np.moveaxis(centres, 1, 2)
        steps = np.ones((), _SPACING)
        for name, step in zip("zyx"[3 - ndim :], spacing, strict=True):
            steps[name] = step
        given = (None, np.int32(0)) if image is None else (image, code(image.dtype))
        place = (self._volume, steps[()], self.box_corners, cp.asarray(all_centres))
        sums = self._measured("moments", (*place, *given, channels, powers), channels * powers)
        sums = sums.reshape(len(self), channels, *(4,) * ndim)
        return sums[:, 0] if image is None else np.moveaxis(sums, 1, -1)

    def intensities(self, image):
        """Sum, least and largest value of each region and channel."""
        given = (image, code(image.dtype), image.shape[-1])
        found = self._measured("intensities", given, image.shape[-1])
        return found[..., 0], found[..., 2], -found[..., 3]

    def spreads(self, image, means):
        """Sums of distances from `means`, and of their squares, of each region and channel."""
        given = (image, code(image.dtype), image.shape[-1], cp.asarray(means))
        found = self._measured("spreads", given, image.shape[-1])
        return found[..., 0], found[..., 1]

    @functools.cached_property
    def corners(self):
        """How often each of 16 patterns of 2 x 2 pixels stands there, in a plane."""
        return self._measured("corners", (*self._labels, self._volume))[:, 0].astype(np.int64)

    def cubes(self, worth):
        """The sum of what each of 256 patterns of 2 x 2 x 2 pixels is worth, in a volume."""
        given = (*self._labels, self._volume, cp.asarray(worth, np.float64))
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
        order = values.argsort()
        order = order[self.image.ravel()[order].argsort()]
        starts = self._starts[:-1]
        middle = np.concatenate((starts + (self.counts - 1) // 2, starts + self.counts // 2))
        return cp.asnumpy(values[order[cp.asarray(middle)]]).reshape(2, -1)

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

    def _measured(self, kernel, arguments, variants=1):
        """Values of each region and variant, on the host, from two launches."""
        values, _ = _VALUES[kernel]
        shares = _shares(self._starts)
        *_, starts, count = self._pixels
        partials = cp.empty((shares + count) * variants * values)
        table = cp.empty((count, variants, values))
        expression = f"{kernel}<{c_name(self.index)}>"
        given = (*self._pixels, *arguments, partials)
        launch(_SOURCE, expression, given, work=shares * variants, block=_BLOCK)
        given = (starts, count, variants, partials, table)
        work = count * variants * _BLOCK
        launch(_SOURCE, _gather(kernel), given, work=work, block=_BLOCK)
        return cp.asnumpy(table)


def _shares(starts):
    """Threads that each go through a few of what begins there for each region."""
    return -(-int(starts[-1] - starts[0]) // _SHARE)


def _gather(kernel):
    return "gather<{}, {}>".format(*_VALUES[kernel])


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in ("int", "long long"):
        for kernel in ("boxes", *_VALUES):
            yield _SOURCE, f"{kernel}<{index}>"
    for kernel in dict.fromkeys(_gather(kernel) for kernel in _VALUES):
        yield _SOURCE, kernel
