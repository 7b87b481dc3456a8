"""Operators of `cupy.ndarray`, made from the ufuncs."""

import warnings

import numpy as np

from . import _ufunc
from ._ndarray import launched, ndarray

_UNARY = {"neg": "negative", "abs": "absolute", "invert": "invert"}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_OF_ANOTHER_KIND = {"eq": False, "ne": True}  # of an array and an object that is no number
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "divmod": "divmod",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
_NOT_IN_PLACE = ("divmod",)


def add_operators():
    """Give `ndarray` its operators."""
    for name, target in _UNARY.items():
        _add(name, _unary(getattr(_ufunc, target)))
    _add("pos", _positive)
    for name, target in _COMPARISONS.items():
        _add(name, _comparison(getattr(_ufunc, target), _OF_ANOTHER_KIND.get(name)))
    for name, target in _BINARY.items():
        ufunc = getattr(_ufunc, target)
        _add(name, _operator(ufunc))
        _add(f"r{name}", _reflected(ufunc))
        if name not in _NOT_IN_PLACE:
            _add(f"i{name}", _in_place(ufunc))
    for name in ("matmul", "rmatmul"):
        _add(name, _product(reflected=name == "rmatmul"))


def _add(name, method):
    method.__name__ = f"__{name}__"
    method.__qualname__ = f"ndarray.{method.__name__}"
    setattr(ndarray, method.__name__, method)


def _unary(ufunc):
    def operator(self):
        return ufunc(self)

    return operator


def _positive(self):
    if self.dtype != bool:
        return _ufunc.positive(self)
    warnings.warn("'+' of a non-numerical array is ill-defined", DeprecationWarning, stacklevel=2)
    return self.copy()


def _reflected(ufunc):
    def operator(self, other):
        return ufunc(other, self)

    return operator


def _in_place(ufunc):
    def operator(self, other):
        return ufunc(self, other, self)

    return operator


def _operator(ufunc):
    def operator(self, other):
        return NotImplemented if _other_answers(other) else ufunc(self, other)

    return operator


def _product(reflected):
    def operator(self, other):
        import cupy

        if _other_answers(other):
            return NotImplemented
        return cupy.matmul(other, self) if reflected else cupy.matmul(self, other)

    return operator


def _comparison(ufunc, of_another_kind):
    def comparison(self, other):
        # objects that compare by identity, such as None, are no operands
        if other is None or type(other).__eq__ is object.__eq__:
            if of_another_kind is None:
                return NotImplemented
            return launched(np.full(self.shape, of_another_kind), self)
        if isinstance(other, np.ndarray) and other.ndim == 0:
            other = other.item()
        return NotImplemented if _other_answers(other) else ufunc(self, other)

    return comparison


def _other_answers(other):
    """Whether the other operand's reflected method takes precedence, as sparse matrices' does."""
    if type(other) in (ndarray, int, float, bool) or isinstance(other, np.generic | np.ndarray):
        return False
    if hasattr(other, "__array_ufunc__"):
        return other.__array_ufunc__ is None
    return getattr(other, "__array_priority__", -1) > ndarray.__array_priority__
