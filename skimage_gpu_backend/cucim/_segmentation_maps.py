"""Labels with new numbers, and the maps between numbers that come with them."""

import numpy as np

from ..primitives.maps import Map
from ..trouble import Declined


def relabel_sequential(theirs, **arguments):
    """scikit-image does not use a signed dtype up to its last number."""
    labels, forward, _ = theirs(**arguments)
    before, after = forward.in_values, forward.out_values
    if labels.dtype.kind == "i" and int(after[-1]) == np.iinfo(labels.dtype).max:
        dtype = np.min_scalar_type(np.iinfo(labels.dtype).max)
        labels, after = labels.astype(dtype), after.astype(dtype)
    return labels, Map(before, after), Map(after, before)


def join_segmentations(theirs, **arguments):
    from cucim.skimage.segmentation import relabel_sequential as relabelled

    for labels in (arguments["s1"], arguments["s2"]):
        if labels.dtype.kind == "i" and labels.dtype.itemsize <= 2:
            _, _, backward = relabelled(labels)
            if int(backward.in_values[-1]) == np.iinfo(labels.dtype).max:
                raise Declined(
                    "label_field has as many labels as its dtype has positive numbers; give a "
                    "wider dtype"
                )
    result = theirs(**arguments)
    if not isinstance(result, tuple):
        return result
    joined, *maps = result
    return joined, *(Map(found.in_values, found.out_values) for found in maps)
