"""How far each op's output looks: one module per scikit-image module, one function per op."""

from ...plan import Passes, Reach, Sums, point

__all__ = ["Passes", "Reach", "Sums", "point"]
