"""Arrays of calls: of any shape, layout, byte order and dtype, with values that are hard."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from skimage_gpu_backend.adapt.kinds import on_devices
from tests.differential.inputs import ALL, Input

LAYOUTS = ("C", "F", "strided", "negative", "broadcast")
_COMPLEX = ("complex64", "complex128")
_LONG = ("longdouble",)  # CuPy has none
_COUNTED = ("zeros", "ramp", "few", "constant")  # whose values are small, in all dtypes
FULL = ("noise", "extremes")  # all of the dtype's range
_WILD = ("huge", "tiny", "wide")  # of floating dtypes
_LENGTHS = (1, 2, 3, 0, 5, 8, 13, 4, 6, 7, 9, 11)
_OTHER_SHAPES = ((), (5,), (1,), (0,), (1, 7), (7, 1), (0, 3), (4, 3), (3, 4, 5), (4, 1, 3))
_OTHER_SHAPES += ((2, 0, 3), (3, 2, 4, 2), (2, 1, 2, 1, 2))


@dataclass(frozen=True, eq=False)
class Array:
    """An array argument.

    Attributes
    ----------
    own : Input or ndarray
        What the sweep has there.
    shape : tuple of int
    dtype : str
    content : str
        "own", or one of `_CONTENTS`.
    seed : int
        Of the content, where it is random.
    special : tuple of (int, float)
        Places, counted along the array, and values there.
    layout : str
        One of `LAYOUTS`.
    swapped, read_only : bool
        Bytes in the other order; no writing.
    """

    own: object
    shape: tuple[int, ...]
    dtype: str
    content: str = "own"
    seed: int = 0
    special: tuple = ()
    layout: str = "C"
    swapped: bool = False
    read_only: bool = False

    def values(self) -> np.ndarray:
        """The values, C-contiguous and in native byte order."""
        if self.content == "own":
            made = _cut(_own(self.own, self.dtype), self.shape)
        else:
            with np.errstate(all="ignore"):
                rng = np.random.default_rng(self.seed)
                make = _CONTENTS[self.content]
                made = np.asarray(make(rng, self.shape, np.dtype(self.dtype)))
                made = made.astype(self.dtype).reshape(self.shape)
        made = np.array(made, order="C")
        for place, value in self.special if made.size else ():
            made.flat[place % made.size] = value
        if self.layout == "broadcast" and made.ndim and made.shape[0]:
            made[:] = made[:1]
        return made

    def made(self, xp=np):
        """The array, by NumPy or CuPy; CuPy has native byte order alone, and not each dtype."""
        values = self.values()
        if not on_devices(values.dtype):
            xp = np
        if xp is np and self.swapped:
            values = values.astype(values.dtype.newbyteorder("S"))
        array = laid_out(xp, values, self.layout)
        if xp is np and self.read_only:
            array.flags.writeable = False
        return array

    @property
    def classes(self) -> tuple[str, ...]:
        """What of its properties is counted in pairs."""
        numbers = "special" if self.special else self.content
        shape = (
            f"{len(self.shape)}-d" + " empty" * (0 in self.shape) + " with 1" * (1 in self.shape)
        )
        return self.dtype, shape, numbers, self.layout


def laid_out(xp, values, layout):
    """A new array of these values in a layout."""
    if not values.ndim:
        return xp.array(values)
    if layout == "F":
        return xp.asfortranarray(xp.array(values))
    if layout == "strided":
        view = xp.zeros(tuple(2 * n for n in values.shape), values.dtype)
        view = view[(slice(None, None, 2),) * values.ndim]
    elif layout == "negative":
        view = xp.zeros(values.shape, values.dtype)[::-1]
    elif layout == "broadcast" and values.shape[0]:
        return xp.broadcast_to(xp.array(values[:1]), values.shape)
    else:
        return xp.array(values, order="C")
    view[...] = xp.array(values)
    return view


def new_shapes(pick, main):
    """Function from shapes to shapes, for all arrays of a call alike.

    Parameters
    ----------
    pick : callable
    main : tuple of int
        Shape of the first image.
    """
    way, other = pick(10), _OTHER_SHAPES[pick(len(_OTHER_SHAPES))]
    lengths = {}
    for length in dict.fromkeys(main):
        keeps = 6 if length > 4 else 100  # channels stay most often
        number = pick(len(_LENGTHS) + keeps)
        lengths[length] = _LENGTHS[number] if number < len(_LENGTHS) else length
    if way in (6, 7, 8):
        return lambda shape: shape
    if way == 9:
        return lambda shape: other if shape == main else shape

    def new(shape):
        if shape == main:
            return tuple(lengths[n] for n in shape)
        return tuple(lengths.get(n, n) if n > 4 else n for n in shape)

    return new


def array(pick, own, shape, dtypes, kind, *, out=False) -> Array:
    """An array in the place of one that a sweep lists.

    Parameters
    ----------
    pick : callable
    own : Input or ndarray
    shape : tuple of int
    dtypes : tuple of str
        In which values may come from all of the dtype's range.
    kind : {"numpy", "cupy"}
    out : bool, optional
        It is written to: its dtype and layout count, its values do not.
    """
    was = _own(own, "").dtype
    dtype = _dtype(pick, was.name, dtypes, kind)
    new = np.dtype(dtype)
    counted = was.kind in "bui"
    content, special, seed = "own", (), 0
    if not out:
        kinds = ("own",) * 8 + _COUNTED
        if new.kind in "fc":
            kinds += ("noise",) * 2 + _WILD
        elif new.itemsize == 1 or (dtype in dtypes and not (counted and new.itemsize > 2)):
            kinds += FULL
        if new.kind in "iu" and new.itemsize > 1 and dtype not in dtypes:
            kinds = _COUNTED  # tables of such values may be as long as their range
        content = kinds[pick(len(kinds))]
        seed = pick(4) if content in (*FULL, *_WILD, "few") else 0
        if new.kind in "fc" and pick(8) == 7:
            values = SPECIAL[new.name]
            special = tuple((pick(64), values[pick(len(values))]) for _ in range(1 + pick(3)))
    layout = LAYOUTS[pick(5)] if pick(4) == 3 else "C"
    return Array(
        own,
        shape,
        dtype,
        content,
        seed,
        special,
        layout,
        swapped=pick(24) == 23 and kind == "numpy",
        read_only=pick(24) == 23 and kind == "numpy",
    )


def as_listed(own) -> Array:
    """The array that a sweep lists, as it is."""
    values = _own(own, "")
    return Array(own, values.shape, values.dtype.name)


def small(pick, shape):
    """Another shape, near that of a footprint or a template."""
    if pick(4) < 3:
        return shape
    lengths = (*_LENGTHS[:4], 4)
    return tuple(lengths[pick(5)] if pick(2) else n for n in shape)


def _dtype(pick, own, dtypes, kind):
    way = pick(16)
    if way < 8 or own not in ALL:
        return own
    usual = ("float64", "uint8", "float32", "bool", *dtypes)
    if way < 14:
        return usual[pick(len(usual))]
    every = (*ALL, *_COMPLEX, *_LONG * (kind == "numpy"))
    return every[pick(len(every))]


@functools.lru_cache(maxsize=64)
def _of_input(own, dtype):
    return (own.cast(dtype) if dtype else own).array()


def _own(own, dtype):
    if isinstance(own, Input):
        return _of_input(replace(own, layout="C"), dtype)
    with np.errstate(all="ignore"):
        return own.astype(dtype) if dtype else own


def _cut(array, shape):
    """The first elements along each axis, repeated where there are not enough."""
    if array.ndim == len(shape):
        array = array[tuple(slice(n) for n in shape)]
    return array if array.shape == shape else np.resize(array, shape)


def _zeros(rng, shape, dtype):
    return np.zeros(shape)


def _constant(rng, shape, dtype):
    return np.full(shape, 0.4 if dtype.kind in "fc" else 3)


def _ramp(rng, shape, dtype):
    ramp = np.arange(np.prod(shape, dtype=int)) % 100
    return ramp / 100 if dtype.kind in "fc" else ramp


def _few(rng, shape, dtype):
    few = rng.integers(-1 if dtype.kind in "if" else 0, 4, shape)
    return few / 4 if dtype.kind in "fc" else few


def _noise(rng, shape, dtype):
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    noise = rng.random(shape)
    return noise > 0.5 if dtype.kind == "b" else noise


def _extremes(rng, shape, dtype):
    if dtype.kind == "b":
        return rng.random(shape) > 0.5
    limits = np.iinfo(dtype)
    ends = np.array([limits.min, limits.max, limits.max - 1, 0, 1], dtype)
    return ends[rng.integers(0, len(ends), shape)]


def _wide(rng, shape, dtype):
    return rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape)


def _huge(rng, shape, dtype):
    return np.asarray(rng.random(shape), dtype) * (float(np.finfo(dtype).max) * 1e-3)


def _tiny(rng, shape, dtype):
    return rng.integers(0, 9, shape).astype(dtype) * np.finfo(dtype).smallest_subnormal


_CONTENTS = {
    "zeros": _zeros,
    "constant": _constant,
    "ramp": _ramp,
    "few": _few,
    "noise": _noise,
    "extremes": _extremes,
    "wide": _wide,
    "huge": _huge,
    "tiny": _tiny,
}


def _of_dtype(name):
    limits = np.finfo(name)
    largest = float(limits.max)
    return (
        *(np.nan, np.inf, -np.inf, -0.0, 1.0, -1.0, 0.5),
        *(float(limits.smallest_subnormal), largest),
        *((1e300,) if largest > 1e300 else ()),
    )


SPECIAL = {name: _of_dtype(name) for name in ("float16", "float32", "float64")}
SPECIAL |= {"complex64": SPECIAL["float32"], "complex128": SPECIAL["float64"]}
SPECIAL[np.dtype("longdouble").name] = SPECIAL["float64"]
