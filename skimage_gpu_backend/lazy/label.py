"""`measure.label` of Dask arrays."""

import numpy as np

from .regions import Regions, labels_of

_SMALL = 2**31 - 2  # from so many pixels on SciPy counts in 64 bits


def label(call):
    """Labels of the whole image, numbered as scikit-image numbers them, and how many."""
    (image,) = call.images
    columns = image.dtype.kind != "b" and image.ndim == 3 and image.shape[2] == 1
    if columns and min(image.shape[:2]) > 1:  # numbered by columns
        image = image[..., 0].T
    labels, count = _labelled(call, image)
    if image.ndim < call.images[0].ndim:
        labels = labels.T[..., np.newaxis]
    return (labels, count) if call.options["return_num"] else labels


def _labelled(call, image):
    connectivity = call.options["connectivity"]
    whole = image.ndim if connectivity is None else min(int(connectivity), image.ndim)
    background = call.options["background"]
    task = call.task(call.name, ("label_image",), background=background, connectivity=whole)
    is_small = image.dtype.kind == "b" and image.size < _SMALL
    regions = Regions(
        (image,),
        labels_of,
        {"task": task},
        steps=whole,
        answer=_numbers_32 if is_small else _numbers_64,
        equal=image.dtype.kind != "b",
        name="label",
    )
    labels = regions.looked_up(dtype=np.int32 if is_small else np.int64)
    return labels, call.made(_count, regions.found, dtype=int)


def _numbers_32(names):
    return np.arange(len(names), dtype=np.int32)


def _numbers_64(names):
    return np.arange(len(names))


def _count(found):
    return len(found.names) - 1
