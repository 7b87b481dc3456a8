"""Differences that rounding makes: scikit-image's own result hangs on it as much."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from skimage_gpu_backend.adapt import values
from skimage_gpu_backend.catalog import CATALOG
from tests.differential.check import inside
from tests.differential.compare import difference

from .arrays import Array
from .compare import expected, from_device


def last_bits(call, found, theirs, ours):
    """Results differ by the last bits of what they are made of, and have no range beside that."""
    return _within(theirs, ours, lambda eps: 16 * eps)


def roots(call, found, theirs, ours):
    """The same of results with the root of a difference that is next to nothing."""
    return _within(theirs, ours, lambda eps: 4 * eps**0.5)


def _within(theirs, ours, share):
    """Whether results differ by no more than a share of the largest number of the call."""
    seen, got = _arrays(theirs.result), _arrays(ours.result)
    if [x.shape for x in seen] != [x.shape for x in got]:
        return False
    given = _arrays(list(theirs.made.values()))
    given += [np.asarray(value) for value in theirs.made.values() if type(value) is float]
    for a, b in zip(seen, got, strict=True):
        if np.array_equal(a, b):
            continue
        if a.dtype.kind != "f" or not np.isfinite(a).all():
            return False
        largest = max(np.abs(x).max() for x in (*given, a) if x.size and x.dtype.kind == "f")
        if not np.abs(b - a).max() <= share(np.finfo(a.dtype).eps) * largest:
            return False
    return bool(seen)


def lost_digits(call, found, theirs, ours):
    """scikit-image's own result changes as much when the last bit of the images does."""
    if theirs.error is not None or (found.kind == "changed" and not found.told.startswith("out:")):
        return False
    seen = distance(ours.result, theirs.result)
    precisions = [np.finfo(x.dtype).eps for x in _arrays(theirs.result) if x.dtype.kind == "f"]
    eps = max(precisions, default=0)
    for scaled in (True, False):
        as_floats = expected(_with_images(call, scaled=scaled))
        for seed in range(12) if as_floats.error is None else ():
            again = expected(_with_images(call, scaled=scaled, by=seed, eps=eps))
            if again.error is not None or seen <= 4 * distance(again.result, as_floats.result):
                return True
    return False


def nearer(call, found, theirs, ours):
    """Of images in single precision, where both differ, ours is nearer to what double gives."""
    exact = expected(_with_images(call, double=True))
    if theirs.error is not None or exact.error is not None:
        return False
    results = [_arrays(each.result) for each in (exact, theirs, ours)]
    if not all(x.dtype.kind == "f" for each in results for x in each):
        return False
    for right, seen, got in zip(*results, strict=True):
        if not (np.isfinite(right).all() and right.dtype.itemsize > seen.dtype.itemsize):
            return False
        where = np.abs(got - seen) > 1e-5 * np.ptp(seen)
        if not (np.abs(got - right) <= np.abs(seen - right))[where].all():
            return False
    return True


def _arrays(value):
    return [np.asarray(x) for x in inside([values.replace(value, from_device)], np.ndarray)]


@dataclass(frozen=True, eq=False)
class _Changed(Array):
    """An array with other last bits, or in double precision."""

    by: int | None = None  # seed of the change; none without one
    eps: float = 0.0  # of the precision in which something is computed
    double: bool = False
    scaled: bool = False  # integers as by `img_as_float`

    def values(self):
        made = super().values()
        if made.dtype.kind in "biu":
            largest = np.iinfo(made.dtype).max if self.scaled and made.dtype != bool else 1
            made = made / largest
        if made.dtype.kind != "f":
            return made
        if self.double:
            return made.astype(float)
        if self.by is None:
            return made
        rng = np.random.default_rng(self.by)
        limits, steps = np.finfo(made.dtype), rng.integers(-8, 9, made.shape)
        with np.errstate(all="ignore"):
            step = steps * (made * max(limits.eps, self.eps) + limits.smallest_subnormal)
            return (made + step).astype(made.dtype)


def _with_images(call, **change):
    images = CATALOG[call.name].images

    def changed(value, name):
        if not isinstance(value, Array):
            return value
        if name not in images and np.dtype(value.dtype).kind != "f":
            return value
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        return _Changed(**fields, **change)

    arguments = {
        name: values.replace(value, functools.partial(changed, name=name))
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=arguments)


def distance(a, b):
    """Largest difference as a share of the range; else the share that differs."""
    a = values.replace(a, from_device)
    try:
        with np.errstate(all="ignore"):
            return difference(a, b)
    except AssertionError:
        pass
    a, b = (inside([each], np.ndarray | np.generic) for each in (a, b))
    if [x.shape for x in a] != [x.shape for x in b]:
        return np.inf
    parts = [
        np.mean(x != y) if x.dtype.kind not in "fc" else np.inf
        for x, y in zip(a, b, strict=True)
        if x.size
    ]
    return max(parts, default=np.inf)
