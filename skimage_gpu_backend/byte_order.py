"""Where the byte order of arrays matters to scikit-image, so that the call is scikit-image's own.

Everywhere else arrays of the other byte order are taken; the device gets them in its own.
"""

import numpy as np

from .arguments import given
from .catalog import CATALOG

# By function: its parameters whose arrays of the other byte order are declined, of which dtypes
# (NumPy's characters; "" for all), what is made of the order, the dtype to give in its place, and
# the numbers of axes, where not all are.
_SAME = "{0}.dtype.newbyteorder('=')"
_TOLD_APART = {
    "skimage.color:convert_colorspace": (("arr", "", "which equal spaces give back", _SAME),),
    "skimage.filters:median": (("image", "fd", "of whose rows SciPy has no medians", _SAME, 1),),
    "skimage.restoration:cycle_spin": (("x", "", "in which func gets it", _SAME),),
    "skimage.restoration:estimate_sigma": (
        ("image", "f", "of which PyWavelets makes double precision", "numpy.float32"),
    ),
    "skimage.util:unique_rows": (("ar", "", "by whose bytes rows are sorted", _SAME),),
}
_OF_RANK = (
    ("mask", "", "which scikit-image's warning tells", "bool"),
    ("image", "", "of which rank filters make 8 bits", _SAME),
)
_TOLD_APART |= {name: _OF_RANK for name in CATALOG if name.startswith("skimage.filters.rank:")}


def why_not(name, images, args, kwargs) -> str | None:
    """Why the byte order of arrays matters in a call of the function `name`, if it does.

    Parameters
    ----------
    name : str
    images : list of (str, array)
        The images by their parameters.
    args, kwargs
        The caller's own.
    """
    for parameter, dtypes, why, instead, *axes in _TOLD_APART.get(name, ()):
        arrays = [image for each, image in images if each == parameter]
        for array in arrays or [given(name, parameter, args, kwargs)]:
            if (
                _is_swapped(array)
                and (not dtypes or array.dtype.char in dtypes)
                and (not axes or array.ndim in axes)
            ):
                return _reason(parameter, f", {why}", instead)
    if not any(_is_swapped(image) for _, image in images):
        return None
    for parameter, image in images:
        if _is_swapped(image) and image.dtype.char == "e":
            return _reason(parameter, " and of half precision", "numpy.float16")
    dtypes = {image.dtype for _, image in images}
    if len(dtypes) > len({dtype.newbyteorder("=") for dtype in dtypes}):
        return (
            "images are in two byte orders, which scikit-image takes for two dtypes; "
            "give image.astype(image.dtype.newbyteorder('='))"
        )
    return None


def _is_swapped(value):
    return isinstance(value, np.ndarray) and not value.dtype.isnative


def _reason(parameter, why, instead):
    dtype = instead.format(parameter)
    return f"{parameter} is in the other byte order{why}; give {parameter}.astype({dtype})"
