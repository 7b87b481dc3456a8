"""`cupy.polynomial`."""

from . import polynomial, polyutils

__all__ = ["polynomial", "polyutils"]
