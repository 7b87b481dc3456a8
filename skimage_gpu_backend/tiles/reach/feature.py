"""Reach of skimage.feature: corners by segments and by windows.

`local_binary_pattern` is not here: the place of a neighbour is rounded otherwise far from the
first row than near it, so results in tiles would not be equal to the last bit.
"""

from . import Reach
from .filters import along, gaussian_halo


def _smoothed(image, sigma, margin, mode="constant", arrays=2):
    if min(image.shape) < 2:
        return None
    halo = [margin + reach for reach in gaussian_halo(image, sigma)]
    return Reach(along(halo, mode), arrays=arrays)


def corner_fast(image, n=12, threshold=0.15):
    return _smoothed(image, 0, 3, arrays=1)


def corner_moravec(image, window_size=1):
    return _smoothed(image, 0, 2 * int(window_size), arrays=1)
