"""skimage.segmentation: labels with new numbers, equal to the last one."""

import numpy as np

from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, refuse_but_arrays, truth
from ...primitives.maps import Map
from ...primitives.unique import Values

_MOST = 2**62  # of offsets, so that no number is beyond 64 bits
NEGATIVE = "Cannot relabel array that contains negative values."
_NO_INTEGERS = "label_field must have an integer dtype"


def relabel_sequential(label_field, offset=1):
    """Labels numbered without gaps, and the maps: `segmentation.relabel_sequential`.

    3 launches, and a few of CuPy's on tables of all numbers up to the largest label; where that is
    far beyond the number of pixels CuPy sorts the image. The image is read three times, the
    result written once. 24 bytes and the number of labels come to the host.
    """
    _refuse("label_field", label_field)
    if not is_finite(offset):
        raise Declined("offset is not a finite number; give an integer, as 1")
    if offset <= 0:
        raise Invalid("offset is not above 0; give an integer from 1 on")
    if offset > _MOST:
        raise Declined("offset is beyond what 64 bits hold; give a smaller one")
    offset = int(offset)

    def run(label_field):
        relabelled, before, after = _relabelled(label_field, offset)
        return relabelled, Map(before, after), Map(after, before)

    return Plan(run)


def join_segmentations(s1, s2, return_mapping=False):
    """Labels of the parts in which two segmentations agree: `segmentation.join_segmentations`.

    As three times `relabel_sequential`, and 2 launches that join the numbers of both.
    """
    refuse_but_arrays(s1=s1, s2=s2)
    if s1.shape != s2.shape:
        raise Invalid("s1 and s2 differ in shape; give arrays of one shape")
    _refuse("s1", s1)
    _refuse("s2", s2)
    maps = truth("return_mapping", return_mapping)

    def run(s1, s2):
        first, before1, after1 = _relabelled(s1)
        second, before2, after2 = _relabelled(s2)
        factor = _factor(before2)
        products = xp.multiply(first, factor, dtype=np.result_type(factor, first.dtype))
        both = xp.add(products, second, dtype=np.result_type(products.dtype, second.dtype))
        if both.dtype.kind not in "iu":
            raise TypeError(_NO_INTEGERS)
        joined, before, after = _relabelled(both)
        if not maps:
            return joined
        parts = np.divmod(to_host(before), factor)
        back = (_found(parts[0], before1, after1), _found(parts[1], before2, after2))
        return joined, *(Map(after, xp.asarray(numbers)) for numbers in back)

    return Plan(run)


def _refuse(name, labels):
    if labels.ndim == 0:
        raise Declined(f"{name} has no axes; nothing to change")
    if labels.size == 0:
        raise Invalid(f"{name} has no elements; give an array with labels")
    if labels.dtype.kind not in "iu":
        raise Invalid(f"{name} is not of integers; give {name}.astype(int)")


def _relabelled(labels, offset=1):
    """The image with new numbers, its own, which rise, and the new ones."""
    found = Values(labels)
    if found.low < 0:
        raise ValueError(NEGATIVE)
    count, skips = len(found.values), found.low == 0
    last = offset + count - 1 - skips if count > skips else 0
    dtype = _dtype(labels.dtype, last)
    numbers = np.arange(offset - skips, offset - skips + count)
    numbers[0] *= not skips
    numbers = xp.asarray(numbers.astype(dtype))
    return found.mapped(numbers), found.values, numbers


def _dtype(dtype, last):
    """The dtype of the result, which has to hold the last number."""
    needed = np.min_scalar_type(last)
    fits = dtype.itemsize >= needed.itemsize and last < np.iinfo(dtype).max
    return dtype if fits else needed


def _factor(values):
    """One more than the largest label, as NumPy adds to it."""
    largest = to_host(values[-1])[()]
    one = np.uint8(1)
    if int(largest) == np.iinfo(np.result_type(largest, one)).max:
        raise Declined("s2 has the largest number of its dtype; give s2.astype(numpy.int64)")
    return largest + one


def _found(numbers, before, after):
    """What labels were before; 0 where a number is none of theirs."""
    before, after = to_host(before), to_host(after)
    table = np.zeros(int(after[-1]) + 1, before.dtype)
    table[after] = before
    known = (numbers >= 0) & (numbers < len(table))
    return np.where(known, table[np.where(known, numbers, 0)], 0).astype(before.dtype)
