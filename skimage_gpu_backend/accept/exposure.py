"""Calls that the ops of skimage.exposure take: the public names, by families."""

from ._adjust import adjust_gamma, adjust_log, adjust_sigmoid
from ._rescale import rescale_intensity

__all__ = ["adjust_gamma", "adjust_log", "adjust_sigmoid", "rescale_intensity"]
