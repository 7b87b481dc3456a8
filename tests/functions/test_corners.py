"""Odd images: what scikit-image makes of them, rooms make of them too, or decline in words."""

import functools
import itertools
import re
from dataclasses import dataclass, fields

import numpy as np
import pytest

from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from tests.differential.check import check, inside
from tests.differential.inputs import Input
from tests.differential.sweep import Case
from tests.differential.sweeps import SWEEPS
from tests.thinning import spread

MOST = 150  # of a function's calls, evenly spread
_FEW = 12  # pixels a side
# scikit-image looks at all pairs of blobs, in Python; and solves equations with many iterations
SLOW = re.compile("blob_|random_walker")
# Calls, by function and label, that differ for a reason which is not ours.
EXCUSED = {
    r"color:(rgb2hsv|convert_colorspace) (NaN|infinit)": "scikit-image leaves hues of NaN unset",
    r"feature:corner_orientations \(": "corners outside of the image read other memory",
    r"feature:graycoprops high .*correlation": "rounding is all that is left of equal counts",
    r"feature:hessian_matrix_det infinit": "NaN or infinity of infinite elements",
    r"feature:match_template wide": "squares of sums are subtracted",
    r"filters:farid \(1,\)": "weights of a constant add up to 7e-18, or to 0",
    r"filters:(frangi|hessian) (1e-310|high|wide)": "rounding decides what is zero",
    r"filters:hessian \((1, |7, 1)": "rounding is all that is left along an axis of one pixel",
    r"filters:(meijering|threshold_local) \(": "squares of rounding errors are divided",
    r"filters:(median|threshold_local) NaN": "NaN has no place in an order",
    r"filters:(farid|prewitt|threshold_li) 1e38": "sums or squares of float32 are infinite there",
    r"filters:threshold_local (high|wide)": "offsets are added in double to what is rounded",
    r"measure:moments(_central|_normalized)? (1e38|1e300)": "0 times an infinite sum is NaN",
    r"measure:moments_coords_central 1e300": "rounding is all that is left of the first moments",
    r"metrics:.* 1e38|transform:downscale.* 1e38": "sums of float32 are infinite there",
    r"metrics:structural_similarity (high|wide)": "squares of sums are subtracted",
    r"morphology:(erosion|dilation|opening|closing|.*_tophat) NaN": "NaN has no place in an order",
    r"morphology:(opening|closing|.*_tophat) (high|wide) .*constant": "SciPy's doubles miss it",
    r"morphology:flood.* (high|wide) .*tolerance=0.5": "scikit-image has no integer for a sum",
    r"registration:phase_cross_correlation high .*mask": "squares of sums are subtracted",
    r"restoration:(cycle_spin|denoise_invariant) .*(single|1e38) .*gaussian": "nearly constant",
    r"restoration:inpaint_biharmonic .*single .*disk": "scikit-image solves in single precision",
    r"restoration:richardson_lucy (high|wide)": "estimates of both signs, some near 0, divide",
    r"restoration:(unsupervised_)?wiener high": "Fourier transforms round more than what differs",
    r"transform:.* (NaN|infinit)": "weights of 0 make NaN of what is infinite, or are left out",
    r"transform:.* (high|1e38)": "splines round beyond the range and wrap around",
    r"transform:(warp|resize_local_mean) \(1, ": "roundings of equal elements are compared",
    r"util:montage high": "the mean of integers whose sum is beyond 2**53 rounds",
}

# Calls that are left out: scikit-image's own call ends the process, or has no end.
ENDS_THE_PROCESS = {
    r"morphology:(reconstruction|h_maxima|h_minima) NaN": "a sort, whose links it follows, breaks",
    r"morphology:h_maxima infinit": "differences of infinities are NaN",
    r"morphology:remove_small_objects high int64": "`bincount` writes before its memory",
    r"restoration:unwrap_phase NaN": "a sort has no end",
    r"restoration:unwrap_phase .*wrap_around=(True|\[)": "joined ends are read beyond the image",
}


def _high(image):
    """Neighbouring integers at the upper end, which double precision does not tell apart."""
    steps = (np.arange(image.size) % 5).astype(image.dtype).reshape(image.shape)
    return np.iinfo(image.dtype).max - steps


def _at_both_ends(image):
    return np.where(image > np.median(image), _high(image), np.iinfo(image.dtype).min)


def _planted(*values):
    """Puts one value near the middle, and the others behind it."""

    def plant(image):
        image = image.copy()
        start = image.size // 2
        image.reshape(-1)[start : start + len(values)] = values[: image.size - start]
        return image

    return plant


def _scaled(factor):
    return lambda image: image * image.dtype.type(factor)


# Images by what is odd about their numbers: their dtype, and what makes them.
NUMBERS = {
    "NaN": ("float64", _planted(np.nan)),
    "infinity": ("float64", _planted(np.inf)),
    "infinities": ("float64", _planted(-np.inf, np.inf)),
    "1e300": ("float64", _scaled(1e300)),
    "1e-310": ("float64", _scaled(1e-310)),
    "NaN, single": ("float32", _planted(np.nan)),
    "infinity, single": ("float32", _planted(np.inf)),
    "1e38": ("float32", _scaled(1e38)),
    "high int64": ("int64", _high),
    "high uint64": ("uint64", _high),
    "wide int64": ("int64", _at_both_ends),
    "wide uint64": ("uint64", _at_both_ends),
}


@dataclass(frozen=True)
class Odd(Input):
    """An `Input` brought to a shape, or with odd numbers (a name of `NUMBERS`)."""

    made: tuple[int, ...] | None = None
    numbers: str = ""

    @classmethod
    def of(cls, given, **changes):
        """Another `Input` with something odd about it."""
        return cls(**{f.name: getattr(given, f.name) for f in fields(Input)} | changes)

    def array(self):
        image = super().array()
        if self.made is not None:
            image = np.resize(image.reshape(-1)[:: max(1, image.size // 97)], self.made)
        return NUMBERS[self.numbers][1](image) if self.numbers else image


def calls_of(sweep):
    """The standard call of a sweep, and others that have the same images."""
    yield "standard", sweep.call
    for parameter, values in sweep.vary.items():
        if parameter not in CATALOG[sweep.name].images:
            for value in values:
                yield f"{parameter}={value!r}", {**sweep.call, parameter: value}
    for changes in sweep.also:
        if not set(changes) & set(CATALOG[sweep.name].images):
            yield repr(changes), {**sweep.call, **changes}


LEAST_AXES = {"skimage.draw:set_color": 2}  # scikit-image looks beyond the shape of a line


def degenerate(sweep):
    """Calls with images that have axes of 0 or 1, more or fewer axes than usual, or none."""
    usual = inside([sweep.call[CATALOG[sweep.name].images[0]]], Input)[0].shape

    def odd(value, shape):
        changes = isinstance(value, Input) and value.shape == usual
        return Odd.of(value, made=shape) if changes else value

    shapes = [s for s in _shapes(usual) if len(s) >= LEAST_AXES.get(sweep.name, 0)]
    for (what, call), shape in itertools.product(calls_of(sweep), shapes):
        arguments = {
            name: replace(value, functools.partial(odd, shape=shape))
            for name, value in call.items()
        }
        yield Case(sweep, f"{shape} {what}", arguments)


def _shapes(usual):
    small = tuple(n if n < 7 else 7 - axis for axis, n in enumerate(usual))
    found = [(), small[1:], (1, *small), small, (1,) * len(small), (1,), (0,)]
    for axis, n in itertools.product(range(len(small)), (0, 1)):
        found.append((*small[:axis], n, *small[axis + 1 :]))
    return dict.fromkeys(found)


def with_odd_numbers(sweep):
    """Calls with images of `NUMBERS`, the first image alone and all of them."""
    images = [n for n in CATALOG[sweep.name].images if isinstance(sweep.call.get(n), Input)]
    for (what, call), numbers in itertools.product(calls_of(sweep), NUMBERS):
        if SLOW.search(sweep.name):
            call = replace(call, lambda v: v.sized(_FEW) if isinstance(v, Input) else v)
        dtype, _ = NUMBERS[numbers]
        for changed in {1, len(images)}:
            changes = {
                name: Odd.of(call[name].cast(dtype), numbers=numbers)
                if place < changed
                else call[name].cast(dtype)
                for place, name in enumerate(images)
            }
            yield Case(sweep, f"{numbers} in {changed} {what}", {**call, **changes})


def _is_of(case, patterns):
    name = f"{case.sweep.name.removeprefix('skimage.')} {case.label}"
    return any(re.match(pattern, name) for pattern in patterns)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["numpy", "cupy"])
@pytest.mark.parametrize("calls", [degenerate, with_odd_numbers])
@pytest.mark.parametrize(
    "sweep", [pytest.param(s, id=s.name) for s in SWEEPS if CATALOG[s.name].images]
)
def test_odd_images_give_scikit_images_results_or_are_declined_in_words(sweep, calls, kind):
    cases = [case for case in calls(sweep) if not _is_of(case, ENDS_THE_PROCESS)]
    if kind == "cupy":  # the same kernels
        cases = [case for case in cases if case.label.endswith("standard")]
    wrong = []
    for case in spread(cases, MOST):
        try:
            check(case, kind)
        except (AssertionError, pytest.fail.Exception) as error:
            if not _is_of(case, EXCUSED):
                wrong.append(f"{case.label}: {str(error).strip()[:300]}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
