"""The simulator's stand-in for `cupyx.scipy.spatial`."""

from . import distance

__all__ = ["distance"]
