"""Colour differences between two Lab images.

Each is one launch; both images are read once and the result is written once. Two images of
different dtypes are first cast to the type of the result, one more launch for each that
has another.
"""

import cupy as cp
import numpy as np

from ..device import c_name, launch
from ..functions.color._steps import bare, struct
from ._color_launch import compute_type, pixels_around

__all__ = ["deltaE_cie76", "deltaE_ciede94", "deltaE_ciede2000", "deltaE_cmc"]


def deltaE_cie76(lab1, lab2, channel_axis=-1):
    """Euclidean distance in Lab, as `skimage.color.deltaE_cie76`.

    1 launch; each image read once, output written once.
    """
    return _difference("Cie76", lab1, lab2, channel_axis)


def deltaE_ciede94(lab1, lab2, kH=1, kC=1, kL=1, k1=0.045, k2=0.015, *, channel_axis=-1):
    """CIE 1994 colour difference, as `skimage.color.deltaE_ciede94`.

    1 launch; each image read once, output written once. What agrees to the usual bound is
    its square: for equal colours scikit-image gives the square root of a rounding error.
    """
    weights = {"kH": kH, "kC": kC, "kL": kL, "k1": k1, "k2": k2}
    return _difference("Ciede94", lab1, lab2, channel_axis, **weights)


def deltaE_ciede2000(lab1, lab2, kL=1, kC=1, kH=1, *, channel_axis=-1):
    """CIEDE2000 colour difference, as `skimage.color.deltaE_ciede2000`.

    1 launch; each image read once, output written once. The formula jumps where two hues
    are opposite; there a last bit decides.
    """
    channel_axis %= lab1.ndim
    return _difference("Ciede2000", lab1, lab2, channel_axis, kL=kL, kC=kC, kH=kH)


def deltaE_cmc(lab1, lab2, kL=1, kC=1, *, channel_axis=-1):
    """CMC l:c colour difference, as `skimage.color.deltaE_cmc`.

    1 launch; each image read once, output written once. What agrees to the usual bound is
    its square: for equal colours scikit-image gives the square root of a rounding error.
    """
    return _difference("Cmc", lab1, lab2, channel_axis, kL=kL, kC=kC)


def _difference(formula, lab1, lab2, channel_axis, **weights):
    w = np.result_type(compute_type(lab1), compute_type(lab2))
    if lab1.dtype != lab2.dtype:
        lab1, lab2 = lab1.astype(w, copy=False), lab2.astype(w, copy=False)
    lab1, lab2 = cp.ascontiguousarray(lab1), cp.ascontiguousarray(lab2)
    axes = [int(channel_axis) % lab.ndim for lab in (lab1, lab2)]
    shapes = [
        lab.shape[:axis] + lab.shape[axis + 1 :]
        for lab, axis in zip((lab1, lab2), axes, strict=True)
    ]
    out = cp.empty(np.broadcast_shapes(*shapes), w)
    layouts = [
        _layout(lab.shape, axis, out.size) for lab, axis in zip((lab1, lab2), axes, strict=True)
    ]
    numbers = struct(w, **weights) if weights else bare(formula).numbers
    launch(
        "color/delta_e.cu",
        f"delta_e<{c_name(lab1.dtype)}, {c_name(w)}, {formula}>",
        (lab1, lab2, out, out.size, *layouts, numbers),
        work=out.size,
    )
    return out


def _layout(shape, axis, pixels):
    """Struct `LabLayout`; an image of one pixel stands still."""
    own, inner = pixels_around(shape, axis)
    return struct(np.int64, inner=inner, channels=shape[axis], step=int(own == pixels))
