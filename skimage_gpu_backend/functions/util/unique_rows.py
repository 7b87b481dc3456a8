"""skimage.util.unique_rows: rows sorted by their bytes, equal to scikit-image's to the last bit.

Cost: 6 launches where a row has 8 bytes or less, and 3 for each further 8 bytes; CuPy sorts words
of 8 bytes, the last ones first. Rows are read once and written once as words, each of which is read
by its sort and once more; what is left of the rows is read and written. The number of rows that are
left comes to the host.
"""

from ...device import launch
from ...device.launches import Cost
from ...devices import argsort, xp
from ...plan import Declined, Invalid, Plan

_SOURCE = "util/unique_rows.cu"
_WORD = 8  # bytes
_MOST_WORDS = 64  # of a row; each is a sort of its own


def unique_rows(ar):
    """Rows of a matrix, each once: `skimage.util.unique_rows`."""
    if ar.ndim != 2:
        raise Invalid("ar has not two axes; give a matrix")
    if not ar.size:
        raise Declined("ar has no elements; nothing to change")
    length = ar.shape[1] * ar.dtype.itemsize
    width = -(-length // _WORD)
    if width > _MOST_WORDS:
        raise Declined(
            f"ar has rows of more than {_MOST_WORDS * _WORD} bytes, each eight of which would be"
            " sorted by; nothing to change"
        )
    column, nbytes = 8 * ar.shape[0], length * ar.shape[0]
    read = 2 * nbytes + (6 * width + 2) * column
    written = 2 * nbytes + (4 * width + 4) * column
    return Plan(_unique, cost=Cost(3 * width + 4, read, written, (width + 3) * column))


def _unique(ar):
    ar = xp.ascontiguousarray(ar)
    count, length = ar.shape[0], ar.shape[1] * ar.itemsize
    width = -(-length // _WORD)
    words = xp.empty((width, count), "uint64")
    rows = ar.view("uint8")
    launch(_SOURCE, "pack_rows", (rows, count, length, width, words), work=words.size)
    order = argsort(words[-1])
    for word in words[-2::-1]:
        order = order[argsort(word[order])]
    is_new = xp.empty(count, bool)
    launch(_SOURCE, "mark_heads", (words, order, count, width, is_new), work=count)
    return ar[order[is_new]]


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, "pack_rows"
    yield _SOURCE, "mark_heads"
