"""From how many bytes of NumPy images a backend takes a call: answered from memory."""

import functools
import math

from ..catalog import row_of
from ..methods import AS_FUNCTION, SIZED_AS
from ..scikit_image import parameter_places
from . import model, table
from .elements import BY_ARGUMENTS
from .works import interpolated, reader


def least_bytes(name, dtype, args, kwargs, device="gpu"):
    """Bytes of the images from which a backend is faster than scikit-image.

    Parameters
    ----------
    name : str
        As in the catalog.
    dtype : numpy.dtype
        Of the images.
    args, kwargs
        The caller's own.
    device : {"gpu", "cpu"}
        Of the backend.

    Returns
    -------
    int or float
        Infinity where it never pays.
    """
    name = SIZED_AS.get(name, name)
    read = _readers.get(name, _UNSEEN)
    if read is _UNSEEN:
        read = _readers[name] = reader(name)
    return _least(name, dtype, read(args, kwargs) if read else 0, device)


_readers = {}  # by function, how the work of a call is told
_UNSEEN = object()


@functools.lru_cache(maxsize=4096)
def _least(name, dtype, work, device):
    if device == "cpu":
        found, crossover = _curves_on_cpu(name, dtype, table.used("cpu")), model.lasting_crossover
    else:
        found, crossover = curves(name, dtype, table.used()), model.crossover
    if found is None:  # not tried
        return 0
    if not found:  # the backend has taken none of the calls that were tried
        return math.inf
    if device == "cpu" and not model.is_ahead_beyond(found, work):
        return math.inf
    least = interpolated([(at, crossover(points)) for at, points in found], work)
    return least if math.isinf(least) else math.ceil(least * dtype.itemsize)


def curves(name, dtype, measured):
    """Seconds on CPU and GPU by work, as `model.curves` gives them, from what there is.

    Parameters
    ----------
    name : str
    dtype : numpy.dtype
    measured : Table or None
    """
    dtypes = class_of(dtype)
    if measured and (rows := model.of_class(measured.functions.get(name, {}), dtypes)):
        return rows
    costs = model.TYPICAL | (measured.costs if measured else {})
    return model.curves(name, dtypes, dtype.itemsize, costs)


def _curves_on_cpu(name, dtype, measured):
    """What was measured here of scikit-image and `cpu`, otherwise on the shipped table's machine.

    None for a function that is in neither table.
    """
    rows = measured.functions.get(name) if measured else None
    rows = rows or model.shipped("cpu.json").get(name)
    return rows and model.of_class(rows, class_of(dtype))


declined = {}  # by what decides it, declined calls of `is_for_first_argument` -> Decision


@functools.cache
def is_for_first_argument(name):
    """Whether the first argument of a function alone says how large a call is."""
    row = row_of(name)
    if row is None or len(row.images) != 1 or name in BY_ARGUMENTS or name in AS_FUNCTION:
        return False
    is_first = parameter_places(name).get(row.images[0]) == 0
    return is_first and reader(SIZED_AS.get(name, name)) is None


def class_of(dtype):
    """Class of dtypes, as `calls.CLASSES` has them."""
    if dtype.kind in "biu":
        return "integer"
    return "float32" if dtype.char in "ef" else "float64"


def forget():
    """Read the table anew at the next call."""
    table.used.cache_clear()
    _least.cache_clear()
    declined.clear()
