"""skimage.feature.SIFT: detection and description on the device, scikit-image's keypoints.

Cost: a launch for each scale of each octave, which reads a plane and writes one, 1 for each octave
that looks for its extrema, 1 for each that halves the one before, 2 that enlarge the image; 1 for
each octave that has keypoints for their orientations, as many for their descriptors, and 1 of
all of these. The image goes to the device once and its scale space stays there; to the host
come the extrema, 64 bytes or less each, the histogram of each keypoint and the descriptors.
The host has the few rows of keypoints: sizes by NumPy's powers, peaks of smoothed histograms.

Extrema, positions, scales and sizes are equal to the last bit. Arctangents and exponentials are
not, on the device as on other CPUs: where the last bits decide, about a bin, a peak or a byte,
that keypoint is computed on the host. A class that overrides one of the steps goes by steps.
"""

import functools
import inspect
import math
from typing import NamedTuple

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...plan import Declined, Invalid, Plan
from ...primitives.gaussian import working
from ...scikit_image import classes_of
from ._sift_patches import Around
from ._sift_scales import Scales, search

_MOST = 1 << 12  # bins, scales and octaves, and directions
_KEPT = "positions", "scales", "sigmas", "orientations", "octaves"


class Numbers(NamedTuple):
    """What a detector was made with, or what it keeps of that, and a limit of edges."""

    upsampling: int
    n_octaves: int
    n_scales: int
    n_bins: int
    n_hist: int
    n_ori: int
    sigma_min: float
    sigma_in: float
    c_dog: float
    c_edge: float
    lambda_ori: float
    c_max: float
    lambda_descr: float
    delta_min: float

    @property
    def edge(self):
        return np.square(self.c_edge + 1) / self.c_edge


class SIFT:
    """The methods of `skimage.feature.SIFT`, by their names there."""

    def detect(self, image):
        """Keypoints: `skimage.feature.SIFT.detect`."""
        space = _space(self, image)
        return _plan(space, functools.partial(_detect, self, space, False))

    def detect_and_extract(self, image):
        """Keypoints and descriptors: `skimage.feature.SIFT.detect_and_extract`."""
        space = _space(self, image)
        return _plan(space, functools.partial(_detect, self, space, True))

    def extract(self, image):
        """Descriptors of the object's keypoints: `skimage.feature.SIFT.extract`."""
        space = _space(self, image)
        kept = _keypoints(self, space)
        return _plan(space, functools.partial(_extract, self, space, kept))


def _plan(space, run):
    return Plan(run, launches=space.launches)


def _space(owner, image):
    """The scale space of a detector that does what scikit-image's does."""
    for name, member in _members().items():
        if name in vars(owner) or inspect.getattr_static(type(owner), name) is not member:
            raise Declined(f"self has a {name} of its own; give a SIFT that has scikit-image's")
    if image.ndim != 2 or image.size == 0:
        raise Invalid("image is no plane")
    dtype = working(image.dtype)
    values = []
    for name, kind in Numbers.__annotations__.items():
        value = getattr(owner, name)
        if type(value) not in (int, kind):
            raise Declined(
                f"self has a {name} that is no Python number; give {kind.__name__}({name})"
            )
        if not abs(value) < math.inf or (type(value) is int and abs(value) >> 62):
            raise Declined(f"self has a {name} that is very large or not finite; give a number")
        values.append(value)
    numbers = Numbers(*values)
    _refuse(numbers, image.shape)
    return _planned(numbers, image.shape, image.dtype, dtype)


@functools.lru_cache(maxsize=16, typed=True)
def _planned(numbers, shape, source, dtype):
    return Scales(numbers, shape, source, dtype)


@functools.cache
def _members():
    """What scikit-image's class consists of, but for the methods that run here."""
    from skimage.feature import SIFT

    names = {name for kind in classes_of(SIFT) for name in vars(kind) if name[:2] != "__"}
    names -= {"detect", "detect_and_extract", "extract"}
    return {name: inspect.getattr_static(SIFT, name) for name in sorted(names)}


def _refuse(numbers, shape):
    counts = numbers.n_octaves, numbers.n_scales, numbers.n_hist, numbers.n_ori
    if min(counts) < 1 or numbers.upsampling not in (1, 2, 4):
        # which scikit-image may pass over, where nothing is described
        raise Declined("self has an n_octaves, n_scales, n_hist or n_ori below 1; give 1 or more")
    if max(*counts, numbers.n_bins) > _MOST or numbers.n_hist**2 * numbers.n_ori > _MOST:
        raise Declined(
            f"self has more than {_MOST} scales, bins or directions; give a smaller number"
        )
    if numbers.n_bins < 6:  # scikit-image smooths with six bins more at both ends
        raise Declined("self has an n_bins that is less than 6; give 6 or more")
    if not 0 <= numbers.sigma_in <= numbers.sigma_min or numbers.sigma_min <= 0:
        raise Declined("self has a sigma_min that is below sigma_in; give a larger one")
    if numbers.sigma_min > 1e6:
        raise Declined("self has a very large sigma_min; give a smaller one")
    if numbers.delta_min != 1 / numbers.upsampling:
        raise Declined("self has a delta_min that is not 1 / upsampling; give it as it was")
    spreads = numbers.lambda_ori, numbers.lambda_descr
    if not 1e-3 < min(spreads) <= max(spreads) < 1e3 or not 1e-6 < abs(numbers.c_edge) < 1e6:
        raise Declined(
            "self has a lambda_ori, lambda_descr or c_edge that is tiny or huge; give another"
        )
    if abs(numbers.c_dog) > 1e30 or abs(numbers.c_max) > 1e30:
        raise Declined("self has a c_dog or c_max that is very large; give a smaller one")
    if min(shape) * numbers.upsampling < 12:
        raise Invalid("image is too small for an octave")


def _detect(owner, space, describes, image):
    """Do what SIFT.detect, or SIFT.detect_and_extract, does."""
    octaves = space.of(image)
    found = space.extrema(octaves)
    around = Around(space, octaves)
    owner.float_dtype = space.dtype.type
    owner.n_octaves = space.octaves
    owner.scalespace_sigmas = space.sigmas
    kept = _inside(space, *found)
    if not len(kept[0]):
        raise RuntimeError(
            "SIFT found no features. Try passing in an image containing "
            "greater intensity contrasts between adjacent pixels."
        )
    kept = _oriented(space.numbers, around, *kept)
    descriptors = around.descriptors(*kept) if describes else None
    for name, value in zip(_KEPT, kept, strict=True):
        setattr(owner, name, value)
    if describes:
        owner.descriptors = descriptors
    owner.keypoints = owner.positions.round().astype(int)


def _extract(owner, space, kept, image):
    """Do what SIFT.extract does."""
    descriptors = Around(space, space.of(image)).descriptors(*kept)
    owner.float_dtype = space.dtype.type
    owner.n_octaves = space.octaves
    owner.scalespace_sigmas = space.sigmas
    owner.descriptors = descriptors


def _inside(space, found, keys, off, has_any):
    """Positions, scales, sizes and octaves, as SIFT._find_localize_evaluate ends."""
    sigmaratio = space.sigmas[0, 1] / space.sigmas[0, 0]
    # scikit-image's empty array of an octave without extrema, which is in double
    extrema_pos, parts = [np.empty((0, 2))] * (not all(has_any)), []
    for octave, delta in enumerate(space.deltas):
        if not has_any[octave]:
            continue
        here = found == octave
        key, offset = keys[here], off[here]
        yx = ((key[:, :2] + offset[:, :2]) * delta).astype(space.dtype)
        sigmas = space.sigmas[octave, key[:, 2]] * np.power(sigmaratio, offset[:, 2])
        border_filter = np.all(
            np.logical_and(
                (yx - sigmas[:, np.newaxis]) > 0.0,
                (yx + sigmas[:, np.newaxis]) < space.shape,
            ),
            axis=1,
        )
        extrema_pos.append(yx[border_filter])
        inside = key[border_filter, 2], sigmas[border_filter]
        parts.append((*inside, np.full(len(inside[0]), octave)))
    if not parts:
        return [extrema_pos[0]]
    return [np.concatenate(part) for part in (extrema_pos, *zip(*parts, strict=True))]


def _oriented(numbers, around, positions, scales, sigmas, octaves):
    """What `SIFT` keeps of its keypoints, as SIFT._compute_orientation ends."""
    hist = around.orientations(positions, scales, sigmas, octaves)
    before, behind = np.roll(hist, 1, axis=1), np.roll(hist, -1, axis=1)
    highest = np.maximum(np.maximum(before, hist), behind)
    most = numbers.c_max * hist.max(axis=1, keepdims=True)
    keys, m = np.nonzero((hist >= most) & (highest == hist))
    h0, h1, h2 = (each[keys, m] for each in (before, hist, behind))
    if ((h0 + h2 - 2 * h1) == 0).any():
        raise Declined("image has keypoints with flat histograms; nothing to change")
    fit = (h0 - h2) / (2 * (h0 + h2 - 2 * h1))
    angles = (m + fit + 0.5) * 2 * np.pi / numbers.n_bins
    angles[angles > np.pi] -= 2 * np.pi
    orientations = np.zeros_like(sigmas, dtype=around.dtype)
    first = np.concatenate(([True], keys[1:] != keys[:-1]))[: len(keys)]
    orientations[keys[first]] = angles[first]
    again = keys[~first].tolist()
    return (
        np.concatenate((positions, positions[again])),
        np.concatenate((scales, scales[again])),
        np.concatenate((sigmas, sigmas[again])),
        np.concatenate((orientations, angles[~first].tolist())),
        np.concatenate((octaves, octaves[again].tolist())),
    )


def _keypoints(owner, space):
    """What `SIFT.extract` reads of the object, if it is as `SIFT.detect` leaves it."""
    kept = [getattr(owner, name) for name in _KEPT]
    if not (_are_rows(kept) and _are_inside(space, *kept)):
        raise Declined("self has no keypoints of this image, as detect leaves them; give such")
    return kept


def _are_rows(kept):
    """Whether all are arrays of one number or two for each keypoint."""
    if not all(type(each) is np.ndarray and each.dtype.kind in "if" for each in kept):
        return False
    positions, scales, *rest = kept
    if positions.ndim != 2 or not len(positions) or scales.dtype.kind != "i":
        return False
    shapes = [each.shape for each in (scales, *rest)]
    return positions.dtype.char in "fd" and set(shapes) == {positions.shape[:1]}


def _are_inside(space, positions, scales, sigmas, orientations, octaves):
    """Whether keypoints have places, scales and octaves that there are."""
    floats = all(abs(each).max() < 1e9 for each in (positions, sigmas, orientations))
    there = min(scales) >= 0 and max(scales) < space.shapes[0][0] and min(sigmas) > 0
    return floats and there and np.isin(octaves, np.arange(space.octaves)).all()


def samples():
    """Plans that together ask for the kernels of the scale space."""
    numbers = Numbers(2, 8, 3, 36, 4, 8, 0.8, 0.5, 0.01, 10, 1.5, 0.8, 6, 0.5)
    for name in C_NAMES:
        source = np.dtype(name)
        for each in (numbers, numbers._replace(upsampling=1, delta_min=1.0)):
            yield _plan(_planned(each, (16, 16), source, working(source)), None)


def specializations():
    """The other specializations, as (source, expression)."""
    numbers = Numbers(2, 8, 3, 36, 4, 8, 0.8, 0.5, 0.01, 10, 1.5, 0.8, 6, 0.5)
    for dtype in map(np.dtype, ("float32", "float64")):
        step = search((6, 12, 12), dtype, numbers, 0, 1)
        yield step.source, step.expression
        name = c_name(dtype)
        yield "feature/sift_orientations.cu", f"orientations<{name}>"
        for kernel in ("patch_histograms", "quantize"):
            yield "feature/sift_descriptors.cu", f"{kernel}<{name}>"
