"""Connected components of Dask arrays that are kept or removed: small, bordering, without peak."""

import numpy as np

from .._warn import warn_caller
from ..functions.morphology.remove_small import TO_BOOLEAN, limit_of, steps_of
from ..functions.segmentation.clear_border import inside
from ..trouble import Declined
from .join import on_the_host
from .regions import Regions, labels_of
from .values import without_small_labels


def remove_small_objects(call):
    """`morphology.remove_small_objects`, of booleans and of labels."""
    limit, image = _small(call, "min_size")
    if limit is None:
        return image
    if image.dtype.kind != "b":
        return without_small_labels(call, image, limit)
    return _without_small(call, image, limit, False)


def remove_small_holes(call):
    """`morphology.remove_small_holes`."""
    limit, image = _small(call, "area_threshold")
    if image.dtype.kind != "b":
        warn_caller(TO_BOOLEAN, UserWarning)
    image = image.astype(bool)
    return image if limit is None else _without_small(call, image, limit, True)


def _small(call, deprecated):
    (image,) = call.images
    _refuse_out(call)
    name = call.name.rpartition(":")[2]
    limit, told = limit_of(name, deprecated, call.options[deprecated], call.options["max_size"])
    if told:
        warn_caller(told, FutureWarning)
    return limit, image


def _refuse_out(call):
    if call.options.get("out") is not None:
        raise Declined("out is given, and chunks of a Dask array are not written; give no out")


def _without_small(call, image, limit, holes):
    steps = steps_of(call.options["connectivity"], image)
    regions = Regions(
        (image,),
        labels_of,
        {"task": labelling(call, steps, int(holes))},
        steps=steps,
        answer=_Limit(limit, holes),
        columns=(("add", sizes),),
        name=call.name.rpartition(":")[2],
    )
    return regions.looked_up(dtype=bool)


def labelling(call, connectivity, background=0):
    return call.task(
        "skimage.measure:label",
        ("label_image",),
        background=background,
        connectivity=connectivity,
    )


def sizes(labels, number, here, *images):
    """Pixels of each region."""
    return np.bincount(labels.reshape(-1), minlength=number)


class _Limit:
    """Answers: whether pixels of a region are set when those up to a limit have been removed."""

    def __init__(self, limit, holes):
        self.limit, self.holes = limit, holes

    def __call__(self, names, sizes):
        kept = sizes > self.limit
        kept[0] = False
        return ~kept if self.holes else kept


def clear_border(call):
    """`segmentation.clear_border`."""
    _refuse_out(call)
    labels, *mask = call.images
    steps = labels.ndim
    regions = Regions(
        (labels, *mask),
        _labels_beside,
        {"task": labelling(call, steps)},
        steps=steps,
        answer=flags_of,
        columns=(("logical_or", _outside(labels, mask, call.options.get("buffer_size"))),),
        equal=labels.dtype.kind != "b",
        name="clear_border",
    )
    return regions.looked_up(filled, labels, dtype=labels.dtype, value=call.options["bgval"])


def _labels_beside(chunk, *mask, task):
    return labels_of(chunk, task)


def _outside(labels, mask, buffer_size):
    return _outside_mask if mask else AtBorder(inside(labels.shape, buffer_size))


def _outside_mask(labels, number, here, image, mask):
    return _any(labels, number, ~on_the_host(mask))


class AtBorder:
    """Column: whether a region has pixels at the image's border."""

    def __init__(self, inside):
        self.inside = inside  # along each axis its first pixel, and the first behind it

    def __call__(self, labels, number, here, *images):
        flags = np.zeros(number, bool)
        for axis, (first, last) in enumerate(self.inside):
            start = here["array-location"][axis][0]
            for part in (slice(0, max(first - start, 0)), slice(max(last - start, 0), None)):
                flags[labels[(slice(None),) * axis + (part,)]] = True
        return flags


def _any(labels, number, pixels):
    flags = np.zeros(number, bool)
    flags[labels[pixels]] = True
    return flags


def above(call, low, high, steps):
    """Regions of a mask that have a pixel of another one."""
    regions = Regions(
        (low, high),
        _labels_beside,
        {"task": labelling(call, steps)},
        steps=steps,
        answer=flags_of,
        columns=(("logical_or", _in_high),),
        name=call.name.rpartition(":")[2],
    )
    return regions.looked_up(dtype=bool)


def _in_high(labels, number, here, low, high):
    return _any(labels, number, on_the_host(high))


def flags_of(names, flags):
    """Answers: the only column."""
    return flags


def filled(flags, image, value):
    """An image with a value where there are flags."""
    result = image.copy()
    result[flags] = value
    return result


def apply_hysteresis_threshold(call):
    """`filters.apply_hysteresis_threshold`."""
    image, *limits = call.images
    numbers = {key: call.options[key] for key in ("low", "high") if key in call.options}
    regions = Regions(
        (image, *limits),
        _above_low,
        {"task": labelling(call, 1), "numbers": numbers},
        steps=1,
        answer=flags_of,
        columns=(("logical_or", _Above(numbers)),),
        name="apply_hysteresis_threshold",
    )
    return regions.looked_up(dtype=bool)


def _limits(limits, numbers):
    """Low and high threshold: numbers, and chunks for those that are none."""
    limits = iter(limits)
    return [numbers[key] if key in numbers else next(limits) for key in ("low", "high")]


def _above_low(image, *limits, task, numbers):
    low, high = _limits(limits, numbers)
    low = np.clip(low, a_min=None, a_max=high)  # as scikit-image has it
    return labels_of(image > low, task)


class _Above:
    """Column: whether a region has pixels above the high threshold."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __call__(self, labels, number, here, image, *limits):
        _, high = _limits(limits, self.numbers)
        return _any(labels, number, on_the_host(image > high))
