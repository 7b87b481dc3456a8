"""The images with which functions are measured, mostly a photograph, in any size."""

import functools

import numpy as np


class Picture:
    """An image argument that is made when the side and the class of dtypes are known.

    Parameters
    ----------
    make : callable
        Takes the side in pixels and returns an array of uint8, or of the only dtype that
        the content has a meaning in.
    cast : bool
        Whether the floating classes have it too, from 0 to 1.
    """

    def __init__(self, make, cast=True):
        self._make = make
        self.cast = cast

    def array(self, side, dtypes):
        made = self._make(side)
        if dtypes == "integer" or not self.cast:
            return made
        return made.astype(dtypes) / np.array(255, dtypes)


def _mirrored(image, side, start):
    """A square of an image that goes on as in a mirror."""
    length = len(image)
    rows = (np.arange(side) + start) % (2 * length)
    rows = np.minimum(rows, 2 * length - 1 - rows)
    return image[np.ix_(rows, rows)]


def _gray(side, start=90):
    from skimage import data

    return _mirrored(data.camera(), side, start)


def _colors(side, start=90):
    from skimage import data

    return _mirrored(data.astronaut(), side, start)


def _rgba(side):
    colors = _colors(side)
    return np.concatenate([colors, colors[..., :1]], axis=-1)


def _two_peaks(side):
    gray = _gray(side)
    return np.where(gray > 100, 150 + gray // 8, gray // 8).astype(np.uint8)


def labels(side, cell=16):
    """Square regions with gaps between them."""
    place = np.arange(side)
    row, inside = place // cell, place % cell > 2
    found = 1 + row[:, None] * (row[-1] + 1) + row
    return np.where(inside[:, None] & inside, found, 0).astype(np.int32)


def _seeds(side):
    seeds = np.zeros((side, side), np.uint8)
    seeds[:, 0], seeds[:, -1] = 1, 2
    return seeds


def _wells(side):
    """A marker for each of several grey values, so that no two are equally high."""
    gray, wells = _gray(side).ravel(), np.zeros(side * side, np.int32)
    values, first = np.unique(gray, return_index=True)
    wells[first[::16]] = values[::16] + 1
    return wells.reshape(side, side)


def _dots(side):
    """Dots on an ellipse."""
    turn = np.linspace(0, 2 * np.pi, side // 4, endpoint=False)
    dots = np.zeros((side, side), bool)
    rows, columns = 0.5 + 0.3 * np.sin(turn), 0.5 + 0.4 * np.cos(turn)
    dots[(side * rows).astype(int), (side * columns).astype(int)] = True
    return dots


def _points(side):
    """As many numbers as pixels, in pairs."""
    return _gray(side).reshape(-1, 2)


def _volume(side):
    """Planes that change slowly, about as many pixels as the square has."""
    length = round(side ** (2 / 3))
    return np.stack([_gray(length, start=90 + plane) for plane in range(length)])


def _triangles(side):
    """Neighbours among the points, three numbers for each of three pixels."""
    first = np.arange(side * side // 6 - 2, dtype=np.int32)
    return np.stack([first, first + 1, first + 2], axis=1)


PHOTO = Picture(_gray)
OTHER = Picture(functools.partial(_gray, start=120))
DARKER = Picture(lambda side: _gray(side) // 4 * 3)
PEAKS = Picture(_two_peaks)
COLORS = Picture(_colors)
OTHER_COLORS = Picture(functools.partial(_colors, start=120))
RGBA = Picture(_rgba)
POINTS = Picture(_points)
VOLUME = Picture(_volume)
VERTICES = Picture(lambda side: _gray(side).ravel()[: side * side // 6 * 3].reshape(-1, 3))
TRIANGLES = Picture(_triangles, cast=False)
DOTS = Picture(_dots, cast=False)
STACK = Picture(lambda side: _gray(side).reshape(4, side // 2, side // 2))
MASK = Picture(lambda side: _gray(side) > 100, cast=False)
OTHER_MASK = Picture(lambda side: _gray(side, 120) > 100, cast=False)
LABELS = Picture(labels, cast=False)
OTHER_LABELS = Picture(functools.partial(labels, cell=12), cast=False)
SEEDS = Picture(_seeds, cast=False)
HOLES = Picture(lambda side: labels(side) % 7 == 1, cast=False)
WELLS = Picture(_wells, cast=False)
SUMS = Picture(lambda side: _gray(side).astype(float).cumsum(0).cumsum(1), cast=False)
PLACES = Picture(lambda side: _points(side).astype(np.int64) % side, cast=False)
TORUS = Picture(lambda side: np.resize(_gray(side), (side + 1, side)), cast=False)
PAIRS = Picture(lambda side: _gray(side)[..., None, None].astype(np.uint32), cast=False)
