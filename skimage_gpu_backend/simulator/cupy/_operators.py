"""Operators and reductions of `cupy.ndarray`, made from NumPy's."""

import numpy as np

from ._ndarray import compute, compute_ufunc, from_host, host_operand, ndarray

_METHODS = """
all any argmax argmin argsort clip conj conjugate cumprod cumsum diagonal dot max mean min nonzero
prod repeat round std sum take trace var
"""
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "matmul": np.matmul,
}


def add_operators():
    """Give `ndarray` its operators and reductions."""
    for name in _METHODS.split():
        setattr(ndarray, name, _reduction(name))
    for name, ufunc in _UNARY.items():
        setattr(ndarray, f"__{name}__", lambda self, ufunc=ufunc: compute(ufunc, self))
    for name, ufunc in (_COMPARISONS | _BINARY).items():
        setattr(ndarray, f"__{name}__", _operator(ufunc))
    for name, ufunc in _BINARY.items():
        setattr(ndarray, f"__r{name}__", _reflected(ufunc))
        setattr(ndarray, f"__i{name}__", _in_place(ufunc))


def _operator(ufunc):
    return lambda self, other: compute_ufunc(ufunc, self, other)


def _reflected(ufunc):
    return lambda self, other: compute_ufunc(ufunc, other, self)


def _in_place(ufunc):
    return lambda self, other: compute_ufunc(ufunc, self, other, out=self)


def _reduction(name):
    def method(self, *args, out=None, **kwargs):
        arguments = [host_operand(a) if isinstance(a, ndarray) else a for a in args]
        if out is not None:
            kwargs["out"] = out._host
        return from_host(getattr(self._host, name)(*arguments, **kwargs), self, out=out)

    method.__name__ = name
    method.__doc__ = f"As `numpy.ndarray.{name}`."
    return method
