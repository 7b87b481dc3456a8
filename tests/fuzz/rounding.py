"""Differences that rounding makes: scikit-image's own result hangs on it as much."""

import fnmatch
import functools
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage as ndi

from skimage_gpu_backend.adapt import values
from skimage_gpu_backend.catalog import spoken
from tests.differential.check import inside
from tests.differential.compare import difference

from .arrays import Array
from .compare import expected, from_device
from .options import ROWS, SWEEP

# What compares, counts and copies: nothing is rounded there, and no last bit is an excuse.
_EXACT = (
    *("color.gray2rgb", "color.gray2rgba", "feature.peak_local_max", "filters.median"),
    *("filters.rank.*", "filters.rank_order", "measure.euler_number", "measure.label"),
    "measure.perimeter*",
    *("morphology.convex_hull_object", "morphology.isotropic_*", "morphology.local_*"),
    *("morphology.area_*", "morphology.diameter_*", "morphology.max_tree*"),
    *("morphology.medial_axis", "segmentation.expand_labels"),
    *("morphology.reconstruction", "morphology.remove_*"),
    *(
        "morphology.skeletonize",
        "morphology.thin",
        "segmentation.clear_border",
        "segmentation.find_boundaries",
    ),
    *("segmentation.join_segmentations", "segmentation.relabel_sequential", "util.crop"),
    "segmentation.watershed",
    *("util.map_array", "util.view_as_*"),
)
_STEPS = 8  # last bits by which an element changes at most
_TRIES = 12


def last_bits(call, found, theirs, ours):
    """Results differ by the last bits of what they are made of, and have no range beside that."""
    return within(theirs, ours, lambda eps: 16 * eps)


def roots(call, found, theirs, ours):
    """The same of results with the root of a difference that is next to nothing."""
    return within(theirs, ours, lambda eps: 4 * eps**0.5)


def within(theirs, ours, share):
    """Whether results differ by no more than a share of the largest number of the call.

    What is not finite has to be equal. `share` is a function of the result's precision.
    """
    seen, got = _arrays(theirs.result), _arrays(ours.result)
    if [x.shape for x in seen] != [x.shape for x in got]:
        return False
    given = _arrays(list(theirs.made.values()))
    numbers = [value for value in theirs.made.values() if type(value) in (int, float)]
    given += [np.asarray(float(value)) for value in numbers if abs(value) < 1e300]
    for a, b in zip(seen, got, strict=True):
        if np.array_equal(a, b):
            continue
        finite = np.isfinite(a)
        if a.dtype.kind != "f" or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
            return False
        floats = [x[np.isfinite(x)] for x in (*given, a) if x.dtype.kind == "f"]
        largest = max(np.abs(x).max(initial=0) for x in floats)
        eps = max(np.finfo(x.dtype).eps for x in (*given, a) if x.dtype.kind == "f")
        most = share(eps) * largest + 64 * float(np.finfo(a.dtype).smallest_subnormal)
        if not np.abs(b - a)[finite].max(initial=0) <= most:
            return False
    return bool(seen)


def lost_digits(call, found, theirs, ours, **change):
    """scikit-image's own result changes as much, in each element, as the images' last bits do."""
    changed = found.told.partition(":")[0] if found.kind == "changed" else "out"
    if theirs.error is not None or changed not in ("out", theirs.same):  # the result's memory
        return False
    if any(fnmatch.fnmatch(spoken(call.name), exact) for exact in _EXACT):
        return False
    view = SWEEP[call.name].view
    seen, got = numbers_in(view(theirs.result)), numbers_in(view(ours.result))
    if not seen or [x.shape for x in seen] != [x.shape for x in got]:
        return False
    apart = _each_apart(got, seen)
    eps = max((np.finfo(x.dtype).eps for x in seen if x.dtype.kind == "f"), default=0)
    for scaled in (True, False):
        as_floats = expected(_with_images(call, scaled=scaled))
        exact = numbers_in(view(as_floats.result)) if as_floats.error is None else []
        if [x.shape for x in exact] != [x.shape for x in seen]:
            continue
        allowed = [_last_digits(x) for x in exact]
        for seed in range(_TRIES):
            again = expected(_with_images(call, scaled=scaled, by=seed, eps=eps, **change))
            if again.error is not None:
                continue
            changed = numbers_in(view(again.result))
            if [x.shape for x in changed] != [x.shape for x in exact]:
                return True
            steps = _each_apart(changed, exact)
            allowed = [
                np.maximum.reduce([x, 4 * _of_neighbours(y), _last_digits(z)])
                for x, y, z in zip(allowed, steps, changed, strict=True)
            ]
        # of floats it may be another function, as of integers, in which nothing is rounded
        is_another = not distance(view(as_floats.result), view(theirs.result)) <= 1e-3
        if is_another and not _explained(_each_apart(exact, seen), allowed, seen):
            continue
        if _explained(apart, allowed, seen):
            return True
    return False


def other_bits(call, seed):
    """What scikit-image makes of images with other last bits."""
    eps = np.finfo(float).eps
    return expected(_with_images(call, by=seed, eps=eps, scaled=True))


def of_spectra(call, found, theirs, ours):
    """The same: Fourier transforms change each element by the last bits of the largest one.

    Iterations may carry that on until nothing of the result is certain.
    """
    again = expected(_with_images(call, by=0, of_largest=True))
    if again.error is None and distance(again.result, theirs.result) > 0.1:
        return True
    return lost_digits(call, found, theirs, ours, of_largest=True)


def _each_apart(found, expected):
    return [_apart(a, b) for a, b in zip(found, expected, strict=True)]


def _of_neighbours(steps):
    """The largest of each element and those beside it, whose roundings are alike."""
    return ndi.maximum_filter(steps.astype(float), 3) if steps.size else steps


def _explained(apart, allowed, seen):
    """Whether no more differs than is allowed, but for a few of many elements.

    Of many that are on the edge, a few stay on one side in all tries.
    """
    beyond = sum((a > most).sum() for a, most in zip(apart, allowed, strict=True))
    differing = sum((a > _last_digits(x)).sum() for a, x in zip(apart, seen, strict=True))
    return beyond * 100 <= differing


def numbers_in(value):
    """Arrays and numbers in a value, as arrays on the host; none where there is anything else."""
    kinds = np.ndarray | np.generic | float | int
    found = [np.asarray(x) for x in inside([values.replace(value, from_device)], kinds)]
    return found if all(x.dtype.kind in "biufc" for x in found) else []


def _apart(a, b):
    """How far elements are from each other; infinitely where one alone is not finite."""
    kind = np.clongdouble if "c" in a.dtype.kind + b.dtype.kind else np.longdouble
    a, b = a.astype(kind), b.astype(kind)
    with np.errstate(all="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    return np.where(np.isnan(apart), np.inf, apart)


def _last_digits(array):
    """What elements of a result may differ by whatever it is made of."""
    finite = array[np.isfinite(array)]
    if array.dtype.kind not in "fc" or not finite.size:
        return np.zeros(array.shape)
    share = 1e-5 if np.finfo(array.dtype).eps > 1e-10 else 1e-10
    return np.full(array.shape, share * float(np.abs(finite - finite[0]).max()))


def nearer(call, found, theirs, ours):
    """Of images in single precision, where both differ, ours is nearer to what double gives."""
    exact = expected(_with_images(call, double=True))
    if theirs.error is not None or exact.error is not None:
        return False
    results = [_arrays(each.result) for each in (exact, theirs, ours)]
    if not all(x.dtype.kind in "fc" for each in results for x in each):
        return False
    for right, seen, got in zip(*results, strict=True):
        if not (np.isfinite(right).all() and right.dtype.itemsize > seen.dtype.itemsize):
            return False
        where = np.abs(got - seen) > 1e-5 * np.ptp(seen)
        if not (np.abs(got - right) <= np.abs(seen - right))[where].all():
            return False
    return True


def of_windows(call, found, theirs, ours):
    """Of each window no more differs than rounding leaves of the squares of the whole image.

    Sums of integers are exact below 2**53.
    """
    made, seen, got = theirs.made, theirs.result, np.asarray(from_device(ours.result))
    image, template = made["image"], made["template"].astype(float)
    padded, mode = image.astype(float), made.get("mode", "constant")
    beyond = {"constant_values": made.get("constant_values", 0)} if mode == "constant" else {}
    if made.get("pad_input"):
        around = [(n // 2, (n - 1) // 2) for n in template.shape]
        padded = np.pad(padded, around, mode, **beyond)
    windows = np.lib.stride_tricks.sliding_window_view(padded, template.shape)
    axes, eps = tuple(range(-image.ndim, 0)), 16 * np.finfo(float).eps
    if windows.shape[: image.ndim] != seen.shape or got.shape != seen.shape:
        return False
    squares = ((windows - windows.mean(axes, keepdims=True)) ** 2).sum(axes)
    contrast = ((template - template.mean()) ** 2).sum()
    total = (padded**2).sum()
    is_exact = image.dtype.kind in "biu" and total < 2**53
    with np.errstate(all="ignore"):
        most = eps * np.sqrt(total * (template**2).sum() / (squares * contrast))
        most += 0 if is_exact else eps * total / squares
    most[(squares == 0) & is_exact] = 0
    return bool((np.abs(got - seen) <= np.maximum(most, 1e-10)).all())


def _arrays(value):
    return [np.asarray(x) for x in inside([values.replace(value, from_device)], np.ndarray)]


@dataclass(frozen=True, eq=False)
class _Changed(Array):
    """An array with other last bits, or in double precision."""

    by: int | None = None  # seed of the change; none without one
    eps: float = 0.0  # of the precision in which something is computed
    double: bool = False
    scaled: bool = False  # integers as by `img_as_float`
    of_largest: bool = False  # last bits of the largest element, in each

    def values(self):
        made = super().values()
        whole = made.dtype.kind in "biu"
        if whole:
            largest = np.iinfo(made.dtype).max if self.scaled and made.dtype != bool else 1
            made = np.maximum(made / largest, -1 if self.scaled else -np.inf)
        if made.dtype.kind != "f":
            return made
        if self.double:
            return made.astype(float)
        if self.by is None:
            return made
        rng = np.random.default_rng(self.by)
        limits, steps = np.finfo(made.dtype), rng.integers(-_STEPS, _STEPS + 1, made.shape)
        with np.errstate(all="ignore"):
            least = 0 if whole else limits.smallest_subnormal
            beside = np.abs(made[np.isfinite(made)]).max(initial=0) if self.of_largest else made
            step = steps * (beside * max(limits.eps, self.eps) + least)
            changed = (made + step).astype(made.dtype)
        # what is finite stays so, and what `img_as_float` takes for an image stays one
        finite = np.isfinite(made)
        largest = np.abs(made[finite]).max(initial=0)
        most = 1 if largest <= 1 else limits.max
        return np.where(finite, np.clip(changed, -most, most), made)


def _with_images(call, **change):
    images = ROWS[call.name].images

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
