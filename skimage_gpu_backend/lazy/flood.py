"""`morphology.flood` and `flood_fill` of Dask arrays: the region of the seed among those alike."""

import numpy as np

from ..primitives.neighbours import footprint_of
from ..trouble import Declined
from .components import filled, flags_of, labelling
from .extrema import steps_of
from .regions import Regions, labels_of


def flood(call):
    """`morphology.flood`."""
    return _seeded(call).looked_up(dtype=bool)


def flood_fill(call):
    """`morphology.flood_fill`."""
    if call.options["in_place"]:
        raise Declined(
            "in_place is set, and chunks of a Dask array are not written; leave it out, and take "
            "the result"
        )
    (image,) = call.images
    value = call.options["new_value"]
    return _seeded(call).looked_up(filled, image, dtype=image.dtype, value=value)


def _seeded(call):
    """Regions of what is like the seed, of which one has it."""
    (image,) = call.images
    options = call.options
    footprint = footprint_of(options["footprint"], options["connectivity"], image.ndim)
    steps = steps_of(footprint, image.ndim)
    seed = np.atleast_1d(options["seed_point"])
    seed = tuple(int(at) % n for at, n in zip(seed, image.shape, strict=True))
    alike = image.map_blocks(
        _alike,
        image[seed],
        dtype=bool,
        meta=np.empty_like(image._meta, dtype=bool),
        token=f"{call.name.rpartition(':')[2]}-alike",
        seed=seed,
        tolerance=options["tolerance"],
    )
    return Regions(
        (alike,),
        labels_of,
        {"task": labelling(call, steps)},
        steps=steps,
        answer=flags_of,
        columns=(("logical_or", _HasSeed(seed)),),
        name=call.name.rpartition(":")[2],
    )


def _alike(image, value, seed, tolerance, block_info):
    """Whether pixels are the seed, equal to it, or no further from it than the tolerance."""
    if tolerance is None:
        alike = image == value
    else:
        low, high = _range(value.item(), abs(tolerance), image.dtype)
        alike = (image >= low) & (image <= high)
    place = _within(seed, block_info[0])
    if place is not None:
        alike[place] = True
    return alike


def _range(value, tolerance, dtype):
    """Least and largest number that is alike, as C's conversion to the dtype makes them."""
    if dtype.kind == "b":
        ends = False, True
    else:
        limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        ends = dtype.type(limits.min).item(), dtype.type(limits.max).item()
    low, high = max(ends[0], value - tolerance), min(ends[1], value + tolerance)
    if dtype.kind == "f":
        return dtype.type(low), dtype.type(high)
    return int(low), int(high)


def _within(seed, here):
    """The seed's place in a chunk; None where it lies in another one."""
    ends = here["array-location"]
    if all(first <= at < last for at, (first, last) in zip(seed, ends, strict=True)):
        return tuple(at - first for at, (first, _) in zip(seed, ends, strict=True))


class _HasSeed:
    """Column: whether the seed lies in a region."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, labels, number, here, *images):
        flags, place = np.zeros(number, bool), _within(self.seed, here)
        if place is not None:
            flags[labels[place]] = True
        return flags
