"""Images that the calls take: described here, made when a call needs them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import skimage.data
from scipy import ndimage

FLOATS = ("float16", "float32", "float64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
SIGNED = ("int8", "int16", "int32", "int64")
ALL = ("bool", *UNSIGNED, *SIGNED, *FLOATS)


@dataclass(frozen=True)
class Input:
    """An array argument of a call.

    Attributes
    ----------
    content : str
        What is to be seen; a function of this module's `CONTENTS`.
    shape : tuple of int
    dtype : str
        "" for the content's own. Contents with values from -1 to 1 are scaled so that 1 is
        the largest integer, as scikit-image does, and unsigned ones end at 0; labels and masks
        are only cast.
    layout : str
        "C", or "strided": neither contiguous nor with positive strides.
    """

    content: str
    shape: tuple[int, ...] = (41, 53)
    dtype: str = ""
    layout: str = "C"

    def array(self) -> np.ndarray:
        """A new array."""
        made = _made(self.content, self.shape, self.dtype)
        if self.layout == "C":
            return made.copy()
        view = strided_view(np.empty, made.shape, made.dtype)
        view[...] = made
        return view

    def cast(self, dtype: str) -> "Input":
        """The same content in another dtype."""
        return replace(self, dtype=dtype)

    def strided(self) -> "Input":
        """The same array in another layout."""
        return replace(self, layout="strided")

    def sized(self, side: int) -> "Input":
        """The same content with axes of another length, but for that of channels."""
        has_channels = self.content in ("color", "lab", "far lab")
        channels = max((i for i, n in enumerate(self.shape) if has_channels and n <= 4), default=-1)
        spatial = len(self.shape) - (channels >= 0)
        length = side if spatial <= 2 else round(side ** (2 / spatial))
        shape = tuple(n if i == channels else length for i, n in enumerate(self.shape))
        return replace(self, shape=shape)

    def __repr__(self):
        dtype = f", {self.dtype}" if self.dtype else ""
        layout = f", {self.layout}" if self.layout != "C" else ""
        return f"{self.content}({'x'.join(map(str, self.shape))}{dtype}{layout})"


def strided_view(empty, shape, dtype):
    """Every second element of a larger array, each axis backwards, axes in reverse order."""
    large = empty(tuple(2 * n for n in reversed(shape)), dtype)
    return large[(slice(None, None, -2),) * len(shape)].transpose()


@functools.lru_cache(maxsize=64)
def _made(content, shape, dtype):
    made = CONTENTS[content](shape)
    if made.shape != shape:
        raise ValueError(f"{content} has shape {made.shape}, not {shape}")
    if not dtype:
        return made
    kind = np.dtype(dtype).kind
    if made.dtype.kind == "f" and content not in _CAST_ONLY:
        if kind == "b":
            return made > np.median(made)
        if kind in "iu":
            largest = np.iinfo(dtype).max
            scaled = np.rint(made * float(largest)).clip(min=0 if kind == "u" else None)
            top = scaled >= largest  # which no floating number equals for 64 bits
            integers = np.where(top, 0, scaled).astype(dtype)
            integers[top] = largest
            return integers
    return made.astype(dtype)


def forget():
    """Give the memory of arrays that were made back."""
    _made.cache_clear()


def _photo(shape):
    """A photograph from 0 to 1; a volume is a stack of shifted ones."""
    image = skimage.data.camera()[90:] / 255
    return _fill(image, shape)


def _coins(shape):
    """Bright things on a dark ground, from 0 to 1."""
    return _fill(skimage.data.coins()[20:] / 255, shape)


def _color(shape):
    """A colour photograph from 0 to 1; the last axis holds the channels."""
    image = skimage.data.astronaut()[20:, 160:] / 255
    spatial = shape[:-1] or (1,)
    planes = [_fill(image[..., c % 3], spatial) for c in range(shape[-1])]
    return np.stack(planes, axis=-1).reshape(shape)


def _lab(shape):
    """A colour photograph in Lab; the axis of the channels is the last that has three."""
    from skimage.color import rgb2lab

    if 3 not in shape:  # channels that nobody can convert
        return 100 * _color(shape)
    axis = len(shape) - 1 - shape[::-1].index(3)
    spatial = shape[:axis] + shape[axis + 1 :]
    return np.moveaxis(rgb2lab(_color((*spatial, 3))), -1, axis)


def _far_lab(shape):
    """Colours beside those of `_lab`."""
    return 0.9 * _lab(shape) - 3


def _signed(shape):
    """A photograph from -1 to 1."""
    return 2 * _photo(shape) - 1


def _noise(shape):
    """Uniform noise from 0 to 1."""
    return np.random.default_rng(3).random(shape)


def _smooth(shape):
    """Smooth hills from 0 to 1, no two pixels alike."""
    hills = ndimage.gaussian_filter(np.random.default_rng(4).random(shape), 2.5, mode="wrap")
    return (hills - hills.min()) / np.ptp(hills)


def _moved(shape):
    """The smooth hills, a pixel or two further."""
    return np.roll(_smooth(shape), (1, 2, 1, 0)[: len(shape)], range(len(shape)))


def _plateaus(shape):
    """Smooth hills with steps: many equal neighbours, from 0 to 1."""
    return np.floor(_smooth(shape) * 12) / 12


def _mask(shape):
    """Blobs that are True."""
    return _smooth(shape) > 0.55


def _labels(shape):
    """Blobs, numbered from 1; 0 between them."""
    return ndimage.label(_mask(shape))[0].astype(np.int32)


def _halves(shape):
    """Two grey levels in noise, from 0 to 1."""
    rng = np.random.default_rng(6)
    grey = np.where(_mask(shape), 0.7, 0.3) + 0.05 * rng.normal(size=shape)
    return grey.clip(0, 1)


def _constant(shape):
    return np.full(shape, 0.4)


def _lowered(shape):
    """Below or at the plateaus, from which it grows again."""
    return np.maximum(_plateaus(shape) - 0.25, 0)


def _zeros(shape):
    return np.zeros(shape)


def _ones(shape):
    return np.ones(shape, bool)


def _disk(shape):
    """The largest ellipsoid that fits."""
    squares = [((np.arange(n) - (n - 1) / 2) / (n / 2)) ** 2 for n in shape]
    return sum(np.ix_(*squares)) <= 1


def _hook(shape):
    """The first row and the first column: neither symmetric nor with its centre."""
    return np.logical_or.reduce(np.indices(shape) == 0)


def _ring(shape):
    """All but the centre."""
    ring = np.ones(shape, bool)
    ring[tuple(n // 2 for n in shape)] = False
    return ring


def _corners(shape):
    """Three points, whose hull has edges through the centres of pixels."""
    points = np.zeros(shape, bool)
    points[5, 5] = points[105, 55] = points[55, 155] = True
    return points


def _checks(shape):
    """Every other pixel."""
    return np.indices(shape).sum(axis=0) % 2 == 1


def _grid(shape):
    """Points with numbers of their own, at even distances: many pixels lie between two."""
    points = np.zeros(shape, np.int32)
    spread = points[tuple(slice(2, None, step) for step in (6, 8, 4, 4)[: len(shape)])]
    spread[...] = np.arange(1, spread.size + 1).reshape(spread.shape)
    return points


def _steps(shape):
    """Neighbouring integers that double precision does not tell apart."""
    return 2**60 + np.rint(9 * _smooth(shape)).astype(np.int64)


def _tiles(shape):
    """Labels that touch each other, and holes between them."""
    numbers = np.indices(shape) // 5
    return (numbers * np.arange(2, 2 + len(shape)).reshape(-1, *(1,) * len(shape))).sum(0) % 7


def _gaps(shape):
    """Labels whose numbers have gaps."""
    return _labels(shape) * 3 + 2 * _mask(shape)


def _seeds(shape):
    """Three seeds from which regions grow."""
    seeds = np.zeros(shape, np.int32)
    seeds[tuple(slice(1, 3) for _ in shape)] = 1
    seeds[tuple(slice(n // 2, n // 2 + 2) for n in shape)] = 2
    seeds[tuple(slice(-3, -1) for _ in shape)] = 3
    return seeds


def _far_seeds(shape):
    """Seeds with large numbers between them."""
    return np.array([0, 2, 7, 300], np.int32)[_seeds(shape)]


def _walls(shape):
    """Seeds, a wall, and a chamber that no seed is in."""
    walls = _seeds(shape)
    walls[:, shape[1] // 3] = -1
    walls[5:12, -12:-5] = -1
    walls[6:11, -11:-6] = 0
    return walls


def _psf(shape):
    """A symmetric point spread function."""
    squares = [((np.arange(n) - (n - 1) / 2) / (n / 3)) ** 2 for n in shape]
    psf = np.exp(-sum(np.ix_(*squares)))
    return psf / psf.sum()


def _skew(shape):
    """A point spread function that is symmetric along no axis."""
    psf = np.arange(1.0, 1 + np.prod(shape)).reshape(shape) ** 2
    return psf / psf.sum()


def _laplacian(shape):
    """Twice the number of axes in the middle, -1 beside it."""
    kernel = np.zeros(shape)
    middle = tuple(n // 2 for n in shape)
    kernel[middle] = 2 * len(shape)
    for axis in range(len(shape)):
        for step in (-1, 1):
            kernel[*middle[:axis], middle[axis] + step, *middle[axis + 1 :]] = -1
    return kernel


def _transfer(shape):
    """A transfer function: complex, nowhere zero."""
    return 1 / (1 + _smooth(shape) + 0.3j * _noise(shape))


def _paraboloid(shape):
    """A structuring surface, infinite where it ends."""
    squares = [((np.arange(n) - n // 2) / (n / 2)) ** 2 for n in shape]
    height = 1 - sum(np.ix_(*squares))
    return np.where(height >= 0, 3 * height, np.inf)


def _levels(shape):
    """Few integers from -3 to 20, some missing between them."""
    hills = np.floor(_smooth(shape) * 12).astype(np.int64)
    return np.array([-3, -2, 0, 1, 4, 5, 6, 9, 11, 12, 17, 19, 20])[hills]


def _counts(shape):
    """Few integers from 0 to 20, some missing between them."""
    return np.maximum(_levels(shape), 0)


def _keys(shape):
    """Integers from -3 to 5, one of them twice."""
    return np.resize([3, -3, 0, 5, 1, 4, 0, -2, 2, -1], shape)


def _fill(image, shape):
    """A crop of a 2-D image in this shape, mirrored where it is too small."""
    rows, columns = shape[-2:] if len(shape) > 1 else (1, *shape)
    pad = [(0, max(0, n - m)) for n, m in zip((rows, columns), image.shape, strict=True)]
    image = np.pad(image, pad, mode="symmetric")[:rows, :columns]
    if len(shape) <= 2:
        return np.ascontiguousarray(image.reshape(shape))
    stack = [np.roll(image, (i, 2 * i), (0, 1)) for i in range(int(np.prod(shape[:-2])))]
    return np.stack(stack).reshape(shape)


CONTENTS: dict[str, Callable] = {
    "photo": _photo,
    "coins": _coins,
    "color": _color,
    "lab": _lab,
    "far lab": _far_lab,
    "signed": _signed,
    "noise": _noise,
    "smooth": _smooth,
    "moved": _moved,
    "plateaus": _plateaus,
    "mask": _mask,
    "labels": _labels,
    "constant": _constant,
    "halves": _halves,
    "zeros": _zeros,
    "ones": _ones,
    "disk": _disk,
    "hook": _hook,
    "ring": _ring,
    "corners": _corners,
    "lowered": _lowered,
    "grid": _grid,
    "checks": _checks,
    "steps": _steps,
    "tiles": _tiles,
    "gaps": _gaps,
    "seeds": _seeds,
    "far seeds": _far_seeds,
    "walls": _walls,
    "psf": _psf,
    "skew": _skew,
    "laplacian": _laplacian,
    "transfer": _transfer,
    "paraboloid": _paraboloid,
    "levels": _levels,
    "counts": _counts,
    "keys": _keys,
}
_CAST_ONLY = (
    "lab",
    "far lab",
)

PHOTO = Input("photo")
COINS = Input("coins")
COLOR = Input("color", (41, 53, 3))
VOLUME = Input("smooth", (13, 17, 19))
SIGNED_PHOTO = Input("signed")
NOISE = Input("noise")
MASK = Input("mask")
LABELS = Input("labels")
VOLUME_MASK = Input("mask", (13, 17, 19))
VOLUME_LABELS = Input("labels", (13, 17, 19))
