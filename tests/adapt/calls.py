"""Calls of functions of one image, as they go to the device."""

from skimage_gpu_backend.adapt.kinds import NUMPY
from skimage_gpu_backend.call import Call


def call_of(*, output="resident", **arrays):
    """Call with these arrays by the names of their parameters."""
    return Call("skimage.filters:gaussian", ("image",), NUMPY, arrays, output=output)
