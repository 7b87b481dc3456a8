"""C types of dtypes."""

from .._scalars import get_typename

__all__ = ["get_typename"]
