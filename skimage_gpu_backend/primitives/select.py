"""Elements of floating images by their rank, as sorting would find them."""

import numpy as np

from ..device import c_name, launch
from ..device.rounds import rounds
from ..devices import from_host, to_host, xp
from .reduce import BLOCK, blocks_for, in_memory_order

_SOURCE = "exposure/select.cu"
_FLOATS = ("float16", "float32", "float64")
_DIGITS = 11  # bits of a key that are counted at a time: four prefixes fit into shared memory
_FEW = 1 << 16  # elements that are sooner sorted on the host than counted on
_ROOM = 1 << 12  # of them that come to the host with what is told
_MANY = 1 << 20  # of more elements three launches that count leave few, of others two
_MOST = 4  # MOST_PREFIXES there
_SOUGHT = [(name, "u8", _MOST) for name in ("prefixes", "ranks", "own")]
_SOUGHT += [(name, "u8") for name in ("asked", "many", "nans", "candidates")]
_SOUGHT = np.dtype(_SOUGHT)  # the struct Sought there
_TOLD = _SOUGHT.itemsize + 8  # bytes of it, and of the number of gathered elements


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in _FLOATS:
        for kernel in ("count_digits", "gather"):
            yield _SOURCE, f"{kernel}<{c_name(np.dtype(name))}>"


def elements_at(image, ranks):
    """Elements that stand at `ranks` when all are sorted; None where one element is NaN.

    2 launches for float16, of others 3 as a rule, 4 for doubles above 2**20, of which the last
    brings few elements to the host; all comes in one copy. Up to 2**16 elements 2 launches and two
    copies. 7 launches and two copies for double images with many equal elements. Each launch reads
    the image once.

    Parameters
    ----------
    image : cupy.ndarray
        Floating, not empty.
    ranks : numpy.ndarray
        At most four.

    Returns
    -------
    elements : numpy.ndarray or None
    """
    (image,) = in_memory_order(image)
    left = 8 * image.dtype.itemsize  # bits of the keys that are not known yet
    launches = -(-left // _DIGITS)
    ahead = 1 if image.size <= _FEW else 2 if image.size <= _MANY else 3
    if launches <= max(2, ahead):
        ahead = launches
    room = _ROOM if 1 < ahead < launches else 0
    made = xp.zeros(_TOLD + room * image.dtype.itemsize, "uint8")
    from_host(made[:_TOLD], _asked(ranks))
    known = made[: _SOUGHT.itemsize]
    for number in rounds(launches):
        digits = min(_DIGITS, left)
        left -= digits
        _append(image, known, len(ranks) if number else 1, left, digits)
        if number + 1 == ahead and left:
            if room:
                _gather(image, known, left, made[_SOUGHT.itemsize :])
            there = to_host(made)
            sought = _sought(there)
            if sought["nans"]:
                return None
            candidates = int(sought["candidates"])
            if candidates <= room:
                return _among(there[_TOLD:], image.dtype, sought, left)
            if candidates <= _FEW:
                found = xp.zeros(8 + candidates * image.dtype.itemsize, "uint8")
                _gather(image, known, left, found)
                return _among(to_host(found[8:]), image.dtype, sought, left)
    sought = _sought(to_host(known))
    return None if sought["nans"] else _of_keys(_keys(sought), image.dtype)


def _asked(ranks):
    """Bytes of what is looked for, when nothing is known but ranks."""
    told = np.zeros(_TOLD, np.uint8)
    sought = told[: _SOUGHT.itemsize].view(_SOUGHT)
    sought["ranks"][0, : len(ranks)] = ranks
    sought["asked"], sought["many"] = len(ranks), 1
    return told


def _sought(told):
    return told[: _SOUGHT.itemsize].view(_SOUGHT)[0]


def _keys(sought):
    """The first bits of the keys, for each rank."""
    return sought["prefixes"][sought["own"][: int(sought["asked"])].astype(int)]


def _append(image, known, rows, shift, digits):
    """Count the next digits, in so many rows at most, and append those at the ranks."""
    bins = (rows << digits) + 1
    counts = xp.zeros(bins + 1, "uint64")  # and blocks that have arrived
    args = (known, np.int32(shift), np.int32(digits), counts)
    args += (counts[bins:].view("uint32"),)
    _launch("count_digits", image, args, shared=4 * bins)


def _gather(image, known, shift, found):
    """Gather the elements with the known bits behind their number, where there is room."""
    until, elements = found[:8].view("uint64"), found[8:].view(image.dtype)
    _launch("gather", image, (known, np.int32(shift), elements.size, until, elements))


def _among(found, dtype, sought, shift):
    """The elements at the ranks, from the bytes of all that have the same first bits as one."""
    values = found.view(dtype)[: int(sought["candidates"])]
    first = _keys_of(values) >> np.uint64(shift)
    places = zip(_keys(sought), sought["ranks"].astype(int), strict=False)
    return np.array([np.sort(values[first == key])[rank] for key, rank in places])


def _launch(kernel, image, args, shared=0):
    expression = f"{kernel}<{c_name(image.dtype)}>"
    grid = (blocks_for(image),)
    args = image, image.size, *args
    launch(_SOURCE, expression, args, work=image.size, block=BLOCK, shared=shared, grid=grid)


def _keys_of(values):
    """As `key_of` of the kernel."""
    bits = values.view(f"u{values.dtype.itemsize}")
    sign = bits.dtype.type(1 << 8 * values.dtype.itemsize - 1)
    return np.where(bits & sign, ~bits, bits | sign).astype(np.uint64)


def _of_keys(keys, dtype):
    bits = keys.astype(f"u{dtype.itemsize}")
    sign = bits.dtype.type(1 << 8 * dtype.itemsize - 1)
    return np.where(bits & sign, bits ^ sign, ~bits).view(dtype)
