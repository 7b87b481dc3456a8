"""A backend of scikit-image's, as small as they come: two functions, of NumPy's bytes alone."""

import numpy as np
from skimage.util._backends import BackendInformation


def info():
    return BackendInformation(["skimage.metrics:mean_squared_error", "skimage.util:invert"])


def can_has(name, *args, **kwargs):
    return not kwargs and all(type(a) is np.ndarray and a.dtype == np.uint8 for a in args)


def get_implementation(name):
    return {"mean_squared_error": mean_squared_error, "invert": invert}[name.partition(":")[2]]


def mean_squared_error(image0, image1):
    return np.mean((image0.astype(int) - image1) ** 2)


def invert(image):
    return ~image
