"""A backend of scikit-image's for many templates in one image, whose transform it keeps.

Arrays of NumPy are transformed by NumPy, those of CuPy by CuPy, where they lie. The last image and
what was made of it are kept. A call compares its image with that one, since arrays can change.
"""

import math
import sys

import numpy as np
from scipy.fft import next_fast_len
from skimage.util._backends import BackendInformation

_last = None


def info():
    return BackendInformation(["skimage.feature:match_template"])


def can_has(name, image, template, pad_input=False, **others):
    arrays = type(image) is type(template) and type(image).__module__ in ("numpy", "cupy")
    return arrays and image.dtype == template.dtype == float and pad_input and not others


def get_implementation(name):
    return match_template


def match_template(image, template, pad_input=True):
    global _last
    kept = _last
    if kept is None or not kept.is_for(image, template.shape):
        kept = _last = Kept(image, template.shape)
    template = template - template.mean()
    covariance = kept.correlated(template)
    spread = kept.xp.sqrt(kept.variances * (template**2).sum())
    least = np.finfo(float).eps  # scikit-image's, where nothing varies
    return covariance * (spread > least) / kept.xp.maximum(spread, least)


class Kept:
    """An image's transform, and how much its values vary in windows of a template's shape."""

    def __init__(self, image, shape):
        self.xp = sys.modules[type(image).__module__]  # numpy or cupy
        self.image, self.shape = image.copy(), shape
        padded = self.xp.pad(image, [(m // 2 + 1, m - m // 2 - 1) for m in shape])
        self.axes = tuple(range(image.ndim))
        self.fast = tuple(next_fast_len(length, real=True) for length in padded.shape)
        self.transform = self.transformed(padded)
        squared_mean = self.sums(padded) ** 2 / math.prod(shape)
        self.variances = self.xp.maximum(self.sums(padded**2) - squared_mean, 0)

    def is_for(self, image, shape):
        known = self.image
        if (type(known), known.shape, self.shape) != (type(image), image.shape, shape):
            return False
        return bool((known == image).all())

    def sums(self, padded):
        """Of a window around each place."""
        for axis, m in enumerate(self.shape):
            running = self.xp.moveaxis(padded.cumsum(axis), axis, 0)
            padded = self.xp.moveaxis(running[m:] - running[:-m], 0, axis)
        return padded

    def transformed(self, array):
        return self.xp.fft.rfftn(array, self.fast, self.axes)

    def correlated(self, template):
        product = self.transform * self.transformed(template).conj()
        correlation = self.xp.fft.irfftn(product, self.fast, self.axes)
        return correlation[tuple(slice(1, n + 1) for n in self.image.shape)]
