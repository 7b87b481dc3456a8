"""skimage.measure.find_contours, equal to the last bit.

Cost: 2 launches that read the image, of which the second leaves out what no contour passes; 3, and
one for every three bits of the number of segments, which take some 80 bytes for each segment; three
of CuPy's. 1 more finds the level where none is given. 24 bytes come to the host, 8 for each
contour, and 3 numbers of the image without a level.
"""

import functools

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real
from ...primitives.value_range import number_range, value_range

_SOURCE = "measure/contours.cu"
_BLOCK, _TILE = 256, 1024  # THREADS and TILE in the kernels
_HOP_BITS = 3  # of HOPS there
_GRID = np.dtype([("rows", "i8"), ("columns", "i8"), ("across", "i8")])
_WAY = np.dtype([("next", "i4"), ("end", "u4"), ("steps", "i4"), ("first", "i4")])
_MOST_SEGMENTS = 2**31 - 1
_OPTIONS = ("high", "low")


def find_contours(
    image, level=None, fully_connected="low", positive_orientation="low", *, mask=None
):
    """Lines along which an image has a level: `skimage.measure.find_contours`."""
    for name, value in (
        ("fully_connected", fully_connected),
        ("positive_orientation", positive_orientation),
    ):
        if not isinstance(value, str) or value not in _OPTIONS:
            raise Invalid(f"{name} is neither of its two values; give 'high' or 'low'")
    if image.ndim != 2 or min(image.shape) < 2:
        raise Invalid("image is no plane of two pixels each way; give a larger one")
    if mask is not None:
        if not isinstance(getattr(mask, "dtype", None), np.dtype) or mask.dtype.kind != "b":
            raise Invalid("mask is not an array of booleans; give mask.astype(bool)")
        if mask.shape != image.shape:
            raise Invalid("mask has another shape than image; give one of image.shape")
    if level is not None:
        level = real("level", level)
    turned = positive_orientation == "high"
    return Plan(functools.partial(_run, level, fully_connected == "high", turned))


def _run(level, high, turned, image, mask=None):
    image = xp.ascontiguousarray(image)
    mask = xp.empty(0, bool) if mask is None else xp.ascontiguousarray(mask)
    found = _Segments(image, mask, _middle(image) if level is None else level, high)
    return found.contours(turned) if found.count else []


def _middle(image):
    """Half of the sum of the least and the largest number, in NumPy's arithmetic of the dtype."""
    if image.dtype.kind == "f":
        low, high = to_host(number_range(image, (1.0, -np.inf))).astype(image.dtype)
        if low != low:
            raise Declined("image has no number, and level is left out; give a level")
    else:
        low, high = to_host(value_range(image))[:2].astype(image.dtype)
    return float((low + high) / 2.0)


class _Segments:
    """Segments of contours, in raster order; `count` is how many there are."""

    def __init__(self, image, mask, level, high):
        rows, columns = image.shape
        across = -(-(columns - 1) // _TILE)
        tiles = across * (rows - 1)
        self._grid = np.array((rows, columns, across), _GRID)[()]
        sources = (image, mask, mask.size > 0, level, high)
        where = {"work": tiles, "grid": (min(tiles, resident_blocks(_BLOCK)),)}
        counts = xp.empty(tiles, "int64")
        name = c_name(image.dtype)
        _launch(f"count_segments<{name}>", (*sources, self._grid, tiles, counts), **where)
        self._until = until = xp.cumsum(counts)
        self.count = n = int(to_host(until[-1]))
        if n > _MOST_SEGMENTS:
            raise Declined("image has contours of more than 2**31 points; give a part of it")
        self._codes, self._ends = xp.empty(n, "int64"), xp.empty((n, 2))
        if n:
            written = (*sources, self._grid, tiles, until, self._codes, self._ends)
            _launch(f"write_segments<{name}>", written, **where)

    def contours(self, turned):
        """What they are linked to; `turned`: each from its end."""
        n, where = self.count, {"work": self.count}
        links, entered = xp.empty(n, "int32"), xp.zeros(n, bool)
        ways, longer = xp.empty((2, n, _WAY.itemsize), "uint8")
        told = xp.zeros(1, "uint64")
        linked = (self._codes, self._until, self._grid, n, links, entered, ways, told)
        _launch("link_segments", linked, **where)
        hops = -(-(n - 1).bit_length() // _HOP_BITS)
        more = xp.zeros(hops + 1, "uint32")
        for number in rounds(hops):
            width = 1 << _HOP_BITS * number
            _launch("follow", (ways, n, width, np.int32(number), more, longer), **where)
            ways, longer = longer, ways
        del longer
        firsts, sizes = xp.empty(n, "int32"), xp.zeros(n, "uint64")
        _launch("find_starts", (ways, links, entered, n, firsts, sizes), **where)
        sums = xp.cumsum(sizes, out=sizes)
        is_told, total = to_host(xp.concatenate([told, sums[-1:]])).tolist()
        if is_told:
            raise Declined(
                "image has pixels of the level where contours meet beside what is masked or NaN; "
                "give another level, which changes the result"
            )
        points, stops = xp.empty((total & 0xFFFFFFFF, 2)), xp.empty(total >> 32, "int64")
        written = (self._codes, self._ends, self._grid, ways, firsts, sums, n, turned)
        _launch("write_points", (*written, points, stops), **where)
        return _Contours(points, to_host(stops).tolist())


class _Contours:
    """Contours in one array of points, each up to one of `stops`."""

    def __init__(self, points, stops):
        self._points, self._stops = points, stops

    def with_arrays(self, change):
        """The list as the caller gets it: the points come to the host at once."""
        points, starts = change(self._points), [0, *self._stops]
        contours = [points[a:b] for a, b in zip(starts, self._stops, strict=False)]
        # on the device a copy of each would take a launch
        return [each.copy() for each in contours] if type(points) is np.ndarray else contours


def _launch(kernel, args, **where):
    launch(_SOURCE, kernel, args, block=_BLOCK, **where)


def specializations():
    """Every (source, expression) that these functions launch."""
    for name in C_NAMES.values():
        yield from ((_SOURCE, f"{kernel}_segments<{name}>") for kernel in ("count", "write"))
    for kernel in ("link_segments", "follow", "find_starts", "write_points"):
        yield _SOURCE, kernel
