"""Grounds on which last digits, and what is made of them, may differ."""

import re
from dataclasses import replace
from unittest import mock

import numpy as np
from scipy import ndimage as ndi
from skimage.feature import hessian_matrix, hessian_matrix_eigvals
from skimage.restoration import deconvolution

from skimage_gpu_backend import use_backends
from tests.differential.check import inside

from .. import rounding
from ..compare import expected, from_device
from ..rounding import distance, within
from .not_finite import alike_where_finite


def small_contrast(call, found, theirs, ours):
    """Squares of sums are subtracted, of images whose values are large beside their contrast."""
    template = theirs.made.get("template")
    for array in inside([theirs.made], np.ndarray):
        if array.dtype.kind in "biuf" and array.size and np.isfinite(array).all():
            numbers = array.astype(float)
            if template is None:
                large, contrast = np.abs(numbers).max(), np.ptp(numbers)
            else:  # in each window, of which one is enough
                lowest, highest = (
                    each(numbers, template.shape)
                    for each in (ndi.minimum_filter, ndi.maximum_filter)
                )
                large, contrast = np.maximum(-lowest, highest), highest - lowest
            if np.any(large > 50 * contrast):
                return distance(ours.result, theirs.result) < 1e-4
    return False


def equal_images(call, found, theirs, ours):
    """The similarity is 1 everywhere, and its gradient what rounding leaves of 0."""
    made = theirs.made
    if not made.get("gradient") or not np.array_equal(made["im1"], made["im2"]):
        return False
    pairs = zip(theirs.result, from_device(ours.result), strict=True)
    eps = np.finfo(theirs.result[1].dtype).eps
    return all(np.abs(seen - got).max() <= 16 * eps for seen, got in pairs)


def equal_keypoints(call, found, theirs, ours):
    """scikit-image's keypoints, or bits of their descriptors, change as much by the last bits.

    Those that all images with other last bits have are among ours, and few of ours are in none:
    a fraction of those that change.
    """
    errors = [str(ran.error) for ran in (theirs, ours) if ran.error is not None]
    if ours.source == "kernel" or not all("found no features" in error for error in errors):
        return False
    tries = [rounding.other_bits(call, seed) for seed in range(12)]
    seen, got, *others = (_keypoints(ran) for ran in (theirs, ours, *tries))
    if seen == got:
        kept = [ran.kept.get("descriptors") for ran in (theirs, ours, *tries)]
        theirs, ours, *others = ([] if each is None else each for each in kept)
        changed = [np.sum(theirs != x) for x in others if np.shape(x) == np.shape(theirs)]
        return np.shape(theirs) == np.shape(ours) and np.sum(theirs != ours) <= max(
            changed, default=0
        )
    certain, known = set(seen).intersection(*others), set(seen).union(*others)
    changed = max(len(set(each) ^ set(seen)) for each in others)
    astray = len(certain - set(got)), len(set(got) - known)
    is_uncertain = any(each != seen for each in others)
    return is_uncertain and 16 * astray[0] <= changed and 4 * astray[1] <= changed


def _keypoints(ran):
    """Places and scales, in order; none where nothing is found."""
    kept = ran.kept.get("keypoints")
    if ran.error is not None or kept is None:
        return []
    scales = ran.kept.get("scales")
    rows = kept if scales is None else np.column_stack([kept, scales])
    return [tuple(row) for row in rows]


def equal_pixels(call, found, theirs, ours):
    """Deviations are roots of what the rounding of integral images leaves of a difference of 0.

    Means are quotients of it.
    """
    image, weight = theirs.made["image"], abs(theirs.made.get("k", 0.2))
    lengths = np.broadcast_to(theirs.made.get("window_size", 15), image.ndim)
    padded = np.prod([n + length for n, length in zip(image.shape, lengths, strict=True)])
    sums = float(padded / np.prod(lengths.astype(float)))  # beside that of one window
    if "niblack" not in call.name:
        weight *= np.abs(image).max() / (theirs.made.get("r") or 1)
    return within(theirs, ours, lambda eps: 4 * weight * (eps * sums) ** 0.5 + 16 * eps * sums)


def negative_variance(call, found, theirs, ours):
    """Of windows of one element, whose variance is what rounding leaves and may be below 0."""
    sizes = np.atleast_1d(theirs.made.get("window_size", 15))
    return sizes.max() == 1 and alike_where_finite(theirs, ours)


def constant_image(call, found, theirs, ours):
    """The variance of each window, or the template's, is what rounding leaves of 0."""
    images = (theirs.made[name] for name in ("image", "template"))
    return any(image.dtype.kind == "f" and np.ptp(image) == 0 for image in images)


def far_constant(call, found, theirs, ours):
    """The squares of what stands beyond the border leave no digit of the image's."""
    image, beyond = theirs.made["image"], theirs.made.get("constant_values", 0)
    is_constant = theirs.made.get("mode", "constant") == "constant"
    return is_constant and bool(np.abs(beyond) > 1e7 * np.abs(image.astype(float)).max())


def least_estimate(call, found, theirs, ours):
    """A blurred estimate is, but for rounding, the number below which estimates count as 0."""
    least, near = theirs.made.get("filter_epsilon"), []
    if not least:
        return False
    convolve = deconvolution.convolve

    def noted(*args, **kwargs):
        made = convolve(*args, **kwargs)
        most = 100 * np.finfo(made.dtype).eps * np.abs(made).max(initial=0)
        near.append(bool((np.abs(made - least) <= most).any()))
        return made

    with mock.patch.object(deconvolution, "convolve", noted):
        expected(call)
    return any(near[::2])  # every second one is of the quotients


def constant_alone(call, found, theirs, ours):
    """Splines make a result of nothing but the constant, and rounding tells whether it is met."""
    seen, got = (rounding.numbers_in(ran.result) for ran in (theirs, ours))
    cval = float(theirs.made.get("cval", 0))
    return any(np.isclose(x, cval, rtol=1e-9).all() for x in (*seen, *got))


def equal_elements(call, found, theirs, ours):
    """An image has no contrast but for the last digits."""
    image = theirs.made["image"].astype(float)
    return image.size > 0 and bool(np.ptp(image) <= 1e-14 * np.abs(image).max())


def ends_beyond_doubles(call, found, theirs, ours):
    """An end of the image's range is none that doubles have, and is clipped to."""
    image = theirs.made["image"]
    if image.dtype.kind not in "iu" or image.dtype.itemsize < 8:
        return False
    wide = any(int(float(end)) != int(end) for end in (image.min(), image.max()))
    return wide and np.allclose(ours.result.astype(float), theirs.result.astype(float), 1e-15, 0)


def single_lab(call, found, theirs, ours):
    """An image in single precision becomes Lab, whose roots NumPy takes otherwise on each CPU."""
    image = theirs.made["image"]
    is_color = theirs.made.get("convert2lab") is not False and 3 in image.shape
    return is_color and image.dtype.char in "ef"


def one_direction(call, found, theirs, ours):
    """An image changes along one direction only, or has an axis of one or two pixels."""
    for name in ("reference_image", "moving_image"):
        image = theirs.made[name].astype(float)
        if min(image.shape) < 3:
            return True
        slopes = np.reshape(np.gradient(image), (image.ndim, -1))
        along = np.linalg.svd(slopes, compute_uv=False)
        if along[-1] <= 1e-3 * along[0]:
            return True
    return False


def opposite_ridges(call, found, theirs, ours):
    """Where results differ, the two largest curvatures of a scale have almost one size."""
    made, near = theirs.made, np.zeros(theirs.result.shape, bool)
    if near.ndim < 2:
        return False
    alpha = made.get("alpha")
    alpha = 1 / (near.ndim + 1) if alpha is None else alpha
    for _, curvatures in _curvatures(theirs):
        sums = (1 - alpha) * curvatures + alpha * curvatures.sum(0)
        *_, second, first = np.sort(np.abs(sums), axis=0)
        near |= (first - second <= 1e-5 * first) & (np.ptp(np.sign(sums), axis=0) > 0)
    return _only_there(near, call, found, theirs, ours)


def negative_ridges(call, found, theirs, ours):
    """Where results differ, the largest curvature is negative, and the least is lost."""
    near = np.zeros(theirs.result.shape, bool)
    for _, curvatures in _curvatures(theirs):
        least, *_, largest = np.take_along_axis(curvatures, np.abs(curvatures).argsort(0), 0)
        near |= (np.abs(least) <= _lost(theirs)) & (largest < 1e-10)
    return _only_there(near, call, found, theirs, ours)


def flat_ridges(call, found, theirs, ours):
    """Results differ by roots of the largest curvature times what rounding leaves of another."""
    seen, got = theirs.result, np.asarray(from_device(ours.result))
    most = np.full(seen.shape, 1e-6 * np.ptp(seen))
    for sigma, curvatures in _curvatures(theirs):
        largest, lost = np.abs(curvatures).max(0), 64 * np.finfo(seen.dtype).eps
        is_flat = (np.abs(curvatures[1]) <= lost * largest) & (seen.ndim == 3)
        most = np.maximum(most, np.where(is_flat, sigma**2 * lost**0.5 * largest, 0))
    return bool((np.abs(got - seen) <= most).all())


def no_ridges(call, found, theirs, ours):
    """Results of an 8-bit plane differ by what sums in two floats leave, and doubles do not."""
    image, sigmas = theirs.made["image"], theirs.made.get("sigmas", range(1, 10, 2))
    if image.ndim != 2 or image.dtype.itemsize > 1:
        return False
    most = 2.0**-44 * max(sigmas) ** 2 * np.abs(image.astype(float)).max()
    return bool((np.abs(np.asarray(from_device(ours.result)) - theirs.result) <= most).all())


def _curvatures(theirs):
    """Each scale of a ridge filter, and scikit-image's curvatures of black ridges there."""
    made = theirs.made
    image = made["image"].astype(theirs.result.dtype)
    borders = {name: made[name] for name in ("mode", "cval") if name in made}
    for sigma in made.get("sigmas", range(1, 10, 2)):
        with use_backends():
            hessian = hessian_matrix(
                image if made.get("black_ridges", True) else -image,
                sigma,
                use_gaussian_derivatives=True,
                **borders,
            )
            yield sigma, hessian_matrix_eigvals(hessian)


def _lost(theirs):
    """What rounding leaves of a slope of 0."""
    largest = np.abs(theirs.made["image"].astype(float)).max()
    return 4 * np.finfo(theirs.result.dtype).eps * largest


def _only_there(near, call, found, theirs, ours):
    """Whether ridges differ in these places, and elsewhere by lost digits alone."""
    seen, got = theirs.result, np.asarray(from_device(ours.result))
    apart = np.abs(got - seen) > 1e-5 * np.ptp(seen)
    if not (apart & near).any():
        return False
    rest = replace(ours, result=np.where(near, seen, got))
    return not (apart & ~near).any() or rounding.lost_digits(call, found, theirs, rest)


def nothing_left(call, found, theirs, ours):
    """Results of equal images: 0, or what rounding leaves of it."""
    largest = max(np.abs(np.asarray(from_device(ran.result))).max() for ran in (theirs, ours))
    return largest < 1e-14


def smoothed_flat(call, found, theirs, ours):
    """A scale smooths an axis until what is left is less than what rounding leaves."""
    sigmas, shape = theirs.made.get("sigmas", range(1, 10, 2)), theirs.made["image"].shape
    return bool(np.exp(-0.5 * (np.pi * max(sigmas) / min(shape)) ** 2) < 1e-9)


def near_the_end(call, found, theirs, ours):
    """An image has 64-bit integers that SciPy rounds to 2**63 or 2**64."""
    image = call.made()["image"]  # theirs may have become the result
    end = {"int64": 2.0**63, "uint64": 2.0**64}.get(image.dtype.name)
    return end is not None and bool((image.astype(float) == end).any())


def sum_rounds(call, found, theirs, ours):
    """Integers whose sum is beyond 2**53; results differ by the last bits of a double."""
    images = inside([theirs.made["arr_in"]], np.ndarray)
    largest = max(np.abs(image.astype(float)).sum() for image in images)
    seen, got = (np.asarray(from_device(each.result)) for each in (theirs, ours))
    if seen.dtype.kind not in "iu" or seen.dtype != got.dtype or largest < 2**53:
        return False
    return np.allclose(got.astype(float), seen.astype(float), rtol=1e-13, atol=1)


def moments_of_nothing(call, found, theirs, ours):
    """Columns of moments that are 0 but for rounding, beside others of the same property."""
    groups = {}
    for name, column in theirs.result.items():
        if column.dtype.kind != "f":
            continue
        group = re.split(r"\W|_central", name)[0]
        mine, seen = np.nan_to_num(from_device(ours.result[name])), np.nan_to_num(column)
        largest, apart = groups.get(group, (0, 0))
        largest = max(largest, np.abs(seen).max(initial=0))
        groups[group] = largest, max(apart, np.abs(seen - mine).max(initial=0))
    return all(apart <= 1e-10 * largest for largest, apart in groups.values())
