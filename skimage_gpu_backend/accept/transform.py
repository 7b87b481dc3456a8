"""Calls that the ops of skimage.transform take."""

from ._warp import rotate, swirl, warp, warp_polar

__all__ = ["rotate", "swirl", "warp", "warp_polar"]
