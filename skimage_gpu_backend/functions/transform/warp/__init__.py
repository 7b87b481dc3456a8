"""skimage.transform: warp, rotate, swirl and warp_polar, pixels at mapped coordinates."""

import numpy as np
from skimage.transform import AffineTransform

from ....device.dtypes import C_NAMES
from ....device.launches import Array
from .matrices import rotate, warp
from .polar import swirl, warp_polar

__all__ = ["rotate", "swirl", "warp", "warp_polar"]


def samples():
    """Plans that together ask for every kernel of this room."""
    turn = AffineTransform(rotation=0.3)
    for name in C_NAMES:
        for order in range(1 if name == "bool" else 6):
            plane = Array((30, 40), np.dtype(name))
            if order or name != "float16":
                yield swirl(plane, order=order, clip=False)
                for axes in (1, 2, 3):
                    image = Array((30,) * axes, np.dtype(name))
                    grid = Array((axes, 9, 8), np.dtype(float))
                    yield warp(image, grid, order=order, clip=False)
            if order in (1, 3):
                yield warp(plane, turn, order=order, clip=False)
        yield warp(plane, turn)
