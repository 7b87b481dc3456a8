"""Calls that the ops of local_binary_pattern and multiblock_lbp take."""

import numpy as np

from ._stencils import NUMBERS
from ._verdict import Invalid

# As enum Method in local_binary_pattern.cu.
METHODS = {"default": 0, "ror": 1, "uniform": 2, "nri_uniform": 3, "var": 4}
MOST_POINTS = 127


def read_only(image, *itself):
    """Reason for images that scikit-image's loops refuse: those that they would get as they are.

    Parameters
    ----------
    image : array
    *itself : str
        Dtypes of images that reach the loop without a copy.
    """
    if image.dtype.name in itself and not getattr(image.flags, "writeable", True):
        return Invalid("image is read-only")
    return None


def local_binary_pattern(image, P, R, method="default"):
    if image.ndim != 2 or image.size == 0:
        return Invalid("image is empty or not 2-D")
    if method.lower() not in METHODS:
        return Invalid("method is unknown")
    if not isinstance(P, int | np.integer) or not 0 < P <= MOST_POINTS:
        return f"P is no integer from 1 to {MOST_POINTS}"
    if method.lower() == "ror" and P > 31:
        return "rotations of more than 31 bits overflow"
    if not isinstance(R, NUMBERS) or not abs(R) < 2**31:
        return "R is not a number"
    return read_only(image, "float64")


def multiblock_lbp(int_image, r, c, width, height):
    if isinstance(int_image, np.ndarray):
        return "reads 36 numbers, for which a NumPy array need not be moved"
    if int_image.ndim != 2:
        return Invalid("int_image is not 2-D")
    if not all(isinstance(value, int | np.integer) for value in (r, c, width, height)):
        return "a place or a size is no integer"
    rows, columns = int_image.shape
    if (
        width < 1
        or height < 1
        or not (0 <= r <= rows - 3 * height and 0 <= c <= columns - 3 * width)
    ):
        return "the rectangles do not lie inside the image"
    return None
