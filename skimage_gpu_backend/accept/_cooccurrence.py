"""Calls that the ops of graycomatrix and graycoprops take."""

import numpy as np

from ._local_binary_pattern import read_only
from ._stencils import NUMBERS
from ._verdict import Invalid

# In the order of enum Property in cooccurrence.cu.
PROPERTIES = (
    "contrast",
    "dissimilarity",
    "homogeneity",
    "ASM",
    "energy",
    "mean",
    "variance",
    "std",
    "entropy",
    "correlation",
)
MOST_BYTES = 1 << 32


def graycomatrix(image, distances, angles, levels=None, symmetric=False, normed=False):
    if image.ndim != 2 or image.size == 0:
        return Invalid("image is empty or not 2-D")
    if image.dtype.kind not in "iu":
        return Invalid(f"scikit-image counts no pairs in {image.dtype}")
    if levels is None:
        if image.dtype.itemsize > 1:
            return Invalid("the levels of more than 8 bits are not told")
        levels = 256
    if not isinstance(levels, int | np.integer) or levels < 1:
        return Invalid("levels is not a positive integer")
    pairs = 1
    for values in (distances, angles):
        refusal = _list(values)
        if refusal:
            return refusal
        pairs *= len(values)
    if image.size >= 2**31 or 8 * int(levels) ** 2 * pairs > MOST_BYTES:
        return "image or matrices are very large"
    return read_only(image, image.dtype.name)


def _list(values):
    """Why distances or angles are no list of numbers, or None."""
    if isinstance(values, list | tuple):
        if not values:
            return Invalid("distances or angles are empty")
        finite = all(isinstance(value, NUMBERS) and abs(value) < 2**31 for value in values)
        return None if finite else "distances or angles are not finite numbers"
    if values.ndim != 1 or values.size == 0:
        return Invalid("distances or angles are empty or have more than one axis")
    return None if values.dtype.kind in "biuf" else "distances or angles are not numbers"


def graycoprops(P, prop="contrast"):
    if P.ndim != 4 or P.size == 0 or P.shape[0] != P.shape[1]:
        return Invalid("P is empty or no array of square matrices")
    return None if prop in PROPERTIES else Invalid("prop is unknown")
