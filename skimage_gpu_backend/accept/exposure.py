"""Calls that the ops of skimage.exposure take: the public names, by families."""

from ._adjust import adjust_gamma, adjust_log, adjust_sigmoid

__all__ = ["adjust_gamma", "adjust_log", "adjust_sigmoid"]
