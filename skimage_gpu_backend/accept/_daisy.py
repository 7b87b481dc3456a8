"""Calls that the op of daisy takes, and where its histograms lie."""

import math

import numpy as np

from ._stencils import NUMBERS
from ._stencils import radius as reach
from ._verdict import Invalid

NORMALIZATIONS = ("off", "l1", "l2", "daisy")
# DAISY_RINGS and DAISY_HISTOGRAMS of daisy.cu; elements of shared memory
MOST_RINGS = 8
MOST_HISTOGRAMS = 128
MOST_VALUES = 4096
MOST_WEIGHTS = 1024


def daisy(
    image,
    step=4,
    radius=15,
    rings=3,
    histograms=8,
    orientations=8,
    normalization="l1",
    sigmas=None,
    ring_radii=None,
    visualize=False,
):
    if image.ndim != 2:
        return Invalid("image has another number of axes than two")
    if visualize:
        return "the picture of the descriptors is drawn on the host"
    if image.dtype.char == "e":
        return "float16 images are rounded to float16 at every step"
    if normalization not in NORMALIZATIONS:
        return Invalid("normalization is unknown")
    if sigmas is not None and not (isinstance(sigmas, list) and sigmas and _plain(sigmas)):
        return "sigmas are no list of numbers"
    if ring_radii is not None and not (len(ring_radii) and _plain(ring_radii)):
        return "ring_radii are no numbers"
    if sigmas is not None and ring_radii is not None and len(sigmas) - 1 != len(ring_radii):
        return Invalid("there are not as many ring_radii as sigmas but one")
    radius = radius if ring_radii is None else ring_radii[-1]
    for value in (step, radius, rings, histograms, orientations):
        if not isinstance(value, int | np.integer) or value < 1:
            return "step, radius, or one of the numbers is no positive integer"
    if min(image.shape) < 2 * radius:
        return Invalid("image is smaller than one descriptor")
    return _too_large(*layout(radius, rings, histograms, sigmas, ring_radii), radius, orientations)


def _plain(values):
    return all(isinstance(value, NUMBERS) for value in values)


def _too_large(sigmas, offsets, radius, orientations):
    if any(sigma < 0 for sigma in sigmas):
        return Invalid("a sigma is negative")
    if len(sigmas) > MOST_RINGS or len(offsets) > MOST_HISTOGRAMS:
        return f"there are more than {MOST_RINGS} rings or {MOST_HISTOGRAMS} histograms"
    if len(offsets) * (orientations + 1) > MOST_VALUES:
        return f"a descriptor has more than {MOST_VALUES} values"
    if sum(reach(sigma, 4.0) + 1 for sigma in sigmas) > MOST_WEIGHTS:
        return f"all sigmas together reach farther than {MOST_WEIGHTS} elements"
    if any(abs(down) > radius or abs(across) > radius for down, across in offsets):
        return "the last ring is not the outermost"
    return None


def layout(radius, rings, histograms, sigmas, ring_radii):
    """Sigma of each ring, and rows and columns from the centre to each histogram.

    The centre is the first histogram; it has the sigma of the first ring.
    """
    if ring_radii is not None:
        rings, radius = len(ring_radii), ring_radii[-1]
    if sigmas is not None:
        rings = len(sigmas) - 1
    if sigmas is None:
        sigmas = [radius * (i + 1) / float(2 * rings) for i in range(rings)]
    if ring_radii is None:
        ring_radii = [radius * (i + 1) / float(rings) for i in range(rings)]
    angles = [2 * math.pi * j / histograms for j in range(histograms)]
    offsets = [
        (round(r * math.sin(angle)), round(r * math.cos(angle)))
        for r in ring_radii[:rings]
        for angle in angles
    ]
    return sigmas[: max(rings, 1)], [(0, 0), *offsets]
