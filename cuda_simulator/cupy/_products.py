"""Products of vectors, matrices and tensors; BLAS computes."""

import numpy as np

from ._creation import asarray
from ._declare import define, quiet, wrapped

__all__ = ["dot", "einsum", "inner", "kron", "outer", "trace", "vdot"]

__all__ += define(
    globals(),
    "cross(a: arraylike, b: arraylike, axisa=-1, axisb=-1, axisc=-1, axis=None)",
    "tensordot(a: array, b: array, axes=2)",
)


def dot(a, b, out=None):
    """Product of two arrays, the sum over the last axis of one and the second last of the other."""
    return a.dot(b, out)


@quiet
def vdot(a, b):
    """Product of two vectors, the first one conjugated."""
    if a.size != b.size:
        raise ValueError("Axis dimension mismatch")
    return wrapped(np.asarray(np.vdot(a._host, b._host)), a, b)


@quiet
def inner(a, b):
    """Sums of products along the last axes."""
    if a.ndim and b.ndim and a.shape[-1] != b.shape[-1]:
        raise ValueError("Axis dimension mismatch")
    return wrapped(np.asarray(np.inner(a._host, b._host)), a, b)


def outer(a, b, out=None):
    """All products of an element of one and an element of the other."""
    import cupy

    return cupy.multiply(a.ravel()[:, None], b.ravel()[None, :], out=out)


@quiet
def kron(a, b):
    """The Kronecker product of arrays or scalars."""
    if np.isscalar(a) or np.isscalar(b):
        return a * b
    return wrapped(np.asarray(np.kron(a._host, b._host)), a, b)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum along a diagonal."""
    return a.trace(offset, axis1, axis2, dtype, out)


@quiet
def einsum(*operands, **kwargs):
    """Sums of products in Einstein's notation: subscripts first, or after each operand."""
    first, *rest = operands
    if isinstance(first, str):
        sources = [asarray(a) for a in rest]
        host = [first, *(a._host for a in sources)]
    else:
        sources = [asarray(a) for a in operands[: len(operands) // 2 * 2 : 2]]
        host = list(operands)
        host[: len(sources) * 2 : 2] = [a._host for a in sources]
    kwargs.setdefault("optimize", True)  # products of pairs, as CuPy's, sum more exactly
    return wrapped(np.asarray(np.einsum(*host, **kwargs)), *sources)
