"""Sparse matrices: their parts are device arrays, SciPy's matrix over the same memory computes."""

import functools

import cupy
import numpy as np
import scipy.sparse
from cupyx._host import device, host, signature

from cuda_simulator import faults

_DTYPES = "?fdFD"
_METHODS = """
asformat(self, format)
astype(self, dtype, copy=True)
conj(self, copy=True)
conjugate(self, copy=True)
copy(self)
count_nonzero(self, axis=None)
diagonal(self, k=0)
dot(self, other)
getcol(self, j)
getnnz(self, axis=None)
getrow(self, i)
maximum(self, other)
mean(self, axis=None, dtype=None, out=None)
minimum(self, other)
multiply(self, other)
nonzero(self)
power(self, n, dtype=None)
sum(self, axis=None, dtype=None, out=None)
toarray(self, order=None, out=None)
todense(self, order=None, out=None)
tocoo(self, copy=False)
tocsc(self, copy=False)
tocsr(self, copy=False)
todia(self, copy=False)
trace(self, offset=0)
transpose(self, axes=None, copy=False)
"""
_EXTREMES = """
argmax(self, axis=None, out=None)
argmin(self, axis=None, out=None)
max(self, axis=None, out=None, *, explicit=False)
min(self, axis=None, out=None, *, explicit=False)
"""
_IN_PLACE = """
eliminate_zeros(self)
setdiag(self, values, k=0)
sort_indices(self)
sum_duplicates(self)
"""
_OPERATORS = "add sub mul matmul truediv radd rsub rmul rmatmul pow"
_UNARY = "neg abs"


class spmatrix:
    """What all matrices are; made in one of the formats only."""

    __hash__ = None

    def __init__(self, *args, maxprint=50, **kwargs):
        raise ValueError("This class is not intended to be instantiated directly.")


class _Format(spmatrix):
    """What the formats share."""

    __array_priority__ = 101
    __array_ufunc__ = None

    def __init__(self, *args, maxprint=50, **kwargs):
        source = args[0] if args else kwargs["arg1"]
        if isinstance(source, np.ndarray):
            raise TypeError(f"Unsupported type {type(source)}")
        matrix = self._scipy(host(source), *args[1:], **kwargs)
        self._take(matrix.copy() if matrix is source else matrix)

    def _take(self, matrix):
        if matrix.dtype.char not in _DTYPES:
            raise ValueError("Only bool, float32, float64, complex64 and complex128 are supported")
        self.shape = matrix.shape
        for part in self._parts:
            setattr(self, part, device(getattr(matrix, part)))

    def _on_host(self):
        faults.meet("sparse")
        return self._scipy_of(getattr(self, part)._host for part in self._parts)

    def _scipy_of(self, parts):
        parts = tuple(parts)
        if self.format == "coo":
            parts = parts[0], parts[1:]
        return self._scipy(parts, shape=self.shape)

    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: 2)
    nnz = property(lambda self: int(self._on_host().nnz))
    size = property(lambda self: int(self._on_host().size))
    T = property(lambda self: self.transpose())
    H = property(lambda self: self.transpose().conj())
    device = property(lambda self: self.data.device)

    def get(self, stream=None):
        """SciPy's matrix, on the host."""
        return self._scipy_of(getattr(self, part).get() for part in self._parts)

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz()")

    def __repr__(self):
        return repr(self.get())

    __str__ = __repr__


class coo_matrix(_Format):
    """Triples of row, column and value."""

    format, _parts, _scipy = "coo", ("data", "row", "col"), scipy.sparse.coo_matrix


class dia_matrix(_Format):
    """Diagonals."""

    format, _parts, _scipy = "dia", ("data", "offsets"), scipy.sparse.dia_matrix


class _Compressed(_Format):
    _parts = ("data", "indices", "indptr")

    def __getitem__(self, key):
        return back(self._on_host()[_host_key(key)])

    def __setitem__(self, key, x):
        matrix = self._on_host()
        matrix[_host_key(key)] = host(x)
        self._take(matrix)


class csr_matrix(_Compressed):
    """Compressed rows."""

    format, _scipy = "csr", scipy.sparse.csr_matrix


class csc_matrix(_Compressed):
    """Compressed columns."""

    format, _scipy = "csc", scipy.sparse.csc_matrix


FORMATS = {c.format: c for c in (coo_matrix, csr_matrix, csc_matrix, dia_matrix)}


def back(result):
    """Device arrays and matrices for what SciPy's matrix gave."""
    if scipy.sparse.issparse(result):
        if result.format not in FORMATS:
            result = result.tocsr()
        matrix = object.__new__(FORMATS[result.format])
        matrix._take(result)
        return matrix
    if isinstance(result, tuple):
        return tuple(back(r) for r in result)
    return device(np.asarray(result)) if isinstance(result, np.ndarray | np.generic) else result


def _host_key(key):
    return tuple(host(k) for k in key) if isinstance(key, tuple) else host(key)


def _method(text, in_place):
    name, parameters = signature(text)

    @functools.wraps(getattr(scipy.sparse.csr_matrix, name))
    def call(self, *args, **kwargs):
        values = parameters.bind(self, *args, **kwargs).arguments
        values.pop("self")
        out = values.get("out")
        values = {n: host(v) for n, v in values.items()}
        matrix = self._on_host()
        other = [values.pop("other")] if "other" in values else []
        result = getattr(matrix, name)(*other, **values)
        if in_place:
            self._take(matrix)
            return None
        return out if out is not None else back(result)

    call.__signature__ = parameters
    call.__doc__ = f"As `scipy.sparse.csr_matrix.{name}`, on the device."
    return call


def _operator(name):
    def call(self, *operands):
        if not all(isinstance(o, cupy.ndarray | spmatrix) or np.isscalar(o) for o in operands):
            return NotImplemented
        result = getattr(self._on_host(), name)(*(host(o) for o in operands))
        return NotImplemented if result is NotImplemented else back(result)

    call.__name__ = name
    return call


_TABLES = (
    (FORMATS.values(), _METHODS, False),
    ((csr_matrix, csc_matrix), _EXTREMES, False),
    (FORMATS.values(), _IN_PLACE, True),
    ((csc_matrix,), "tocsc(self, copy=None)", False),
)
for _classes, _texts, _in_place in _TABLES:
    for _text in _texts.strip().splitlines():
        _name = _text.split("(")[0]
        for _class in _classes:
            if hasattr(_class._scipy, _name):
                setattr(_class, _name, _method(_text, _in_place))
for _name in (*_OPERATORS.split(), *_UNARY.split()):
    setattr(_Format, f"__{_name}__", _operator(f"__{_name}__"))
