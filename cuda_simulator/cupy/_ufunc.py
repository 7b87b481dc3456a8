"""`cupy.ufunc` and the universal functions: NumPy's loops, chosen and fed as CuPy does.

Operands are device arrays and scalars; Python's scalars are weak. Nothing warns: divisions of
integers by zero give 0, those of floats infinity or NaN.
"""

import numpy as np

from cuda_simulator import counters

from ._dtypes import assign, checked_dtype
from ._ndarray import check_devices, launched, ndarray
from ._ufunc_hosts import FALLBACKS, REPLACED, UFUNCS
from ._ufunc_types import ALIASES, CLIP, REFUSED, TYPES, WHERE

__all__ = ["ufunc", *TYPES, *ALIASES]

_WEAK = {bool: 0, int: 1, float: 2, complex: 3}  # Python's scalars, by rank of kind
_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
# Ufuncs with `at`, and the types that CUDA adds and compares in one step.
_ATOMIC = {"add": "iIlLqQefd", "subtract": "iI"}
_ATOMIC |= dict.fromkeys(("maximum", "minimum"), "iIlLqQfd")
_ATOMIC |= dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), "iIlLqQ")


class ufunc:
    """A universal function.

    Attributes
    ----------
    name : str
        CuPy's name of the function.
    nin, nout, nargs : int
        Numbers of operands, of results, and of both.
    types : list of str
        The loops, in the order in which they are tried.
    """

    def __init__(self, name, types, host):
        operands, results = types[0].split("->")
        self.name = f"cupy_{name}"
        self.__name__ = name
        self.__doc__ = f"As `numpy.{name}`, of device arrays and scalars."
        self.nin, self.nout = len(operands), len(results)
        self.nargs = self.nin + self.nout
        self.types = list(types)
        self._host = host
        self._loops = {}

    def __repr__(self):
        return f"<ufunc '{self.name}'>"

    def __reduce__(self):
        return self.__name__

    def __call__(self, *args, out=None, dtype=None, casting="same_kind", **kwargs):
        """Apply the function to device arrays and scalars."""
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        nin = self.nin
        if not nin <= len(args) <= self.nargs:
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {nin} or "
                f"{self.nargs} (with outputs), but given {len(args)}."
            )
        if len(args) > nin:
            if out is not None:
                raise ValueError("Cannot specify 'out' as both a positional and keyword argument")
            out = args[nin:] + (None,) * (self.nargs - len(args))
        outs = self._outs(out)
        hosts, key, read = _operands(args[:nin])
        loop = self._loops.get((key, dtype))
        if loop is None:
            loop = self._loops[key, dtype] = self._loop(key, dtype)
        results = self._results(loop, hosts, outs, casting)
        if not results[0].size:  # nobody looks whether Python's numbers fit
            return results[0] if self.nout == 1 else tuple(results)
        check_devices(*(a for a in (*args[:nin], *results) if type(a) is ndarray))
        counters.launched(read, sum(r.nbytes for r in results))
        with np.errstate(all="ignore"):
            self._run(loop, hosts, results, outs)
        return results[0] if self.nout == 1 else tuple(results)

    def _outs(self, out):
        if out is None:
            return (None,) * self.nout
        if isinstance(out, tuple):
            if len(out) != self.nout:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
            return out
        if self.nout > 1:
            raise ValueError("'out' must be a tuple of arrays")
        return (out,)

    def _results(self, loop, hosts, outs, casting):
        shape = _broadcast(hosts) if len(hosts) > 1 else np.shape(hosts[0])
        results = []
        for out, dtype in zip(outs, loop.results, strict=True):
            if out is None:
                out = ndarray(shape, dtype)
            elif not isinstance(out, ndarray):
                raise TypeError(f"Output arguments type must be cupy.ndarray, not {type(out)}")
            elif out.shape != shape and out.shape != np.broadcast_shapes(shape, out.shape):
                raise ValueError("Out shape is mismatched")
            elif not np.can_cast(dtype, out.dtype, casting):
                raise TypeError(
                    f"Cannot cast output operand from {dtype!r} to {out.dtype!r} according to "
                    f"the rule '{casting}'"
                )
            results.append(out)
        return results

    def _run(self, loop, hosts, results, outs):
        direct = loop.function is not None and all(
            result.dtype == dtype for result, dtype in zip(results, loop.results, strict=True)
        )
        if direct:
            loop.function(*hosts, out=tuple(r._host for r in results), **loop.options)
            return
        if loop.function is not None:
            computed = loop.function(*hosts, **loop.options)
        else:
            casted = [_as_type(h, t) for h, t in zip(hosts, loop.operands, strict=True)]
            computed = FALLBACKS.get(self.__name__, self._host)(*casted)
        computed = computed if isinstance(computed, tuple) else (computed,)
        for result, values, dtype in zip(results, computed, loop.results, strict=True):
            assign(result._host, np.asarray(values).astype(dtype, copy=False))

    def _loop(self, key, dtype):
        types = _chosen(self.types, key, dtype)
        if types is None:
            names = ", ".join(k if isinstance(k, str) else k.__name__ for k in key)
            raise TypeError(f"Wrong type ({names}) of arguments for {self.name}")
        if (self.__name__, types) in REFUSED:
            message = REFUSED[self.__name__, types]
            raise TypeError(f"cupy boolean {self.__name__}, {message}")
        return _Loop(types, self, key)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        """Combine the elements along axes: sums and products, as in CuPy."""
        return getattr(array, self._method("reduce", add="sum", multiply="prod"))(
            axis, dtype, out, keepdims
        )

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Running sums and products."""
        return getattr(array, self._method("accumulate", add="cumsum", multiply="cumprod"))(
            axis, dtype, out
        )

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Sums of the parts that start at the indices."""
        self._method("reduceat", add="sum")
        indices = indices._host if isinstance(indices, ndarray) else np.asarray(indices)
        host = np.add.reduceat(array._host, indices, axis, dtype)
        if out is None:
            return launched(host, array)
        out[...] = launched(host, array)
        return out

    def at(self, a, indices, b=None):
        """Apply the function in place at indices, which may repeat."""
        self._method("at", **dict.fromkeys(_ATOMIC, "at"))
        scatter(self._host, a, indices, b)

    def outer(self, A, B, **kwargs):
        """All pairs of the elements of two arrays."""
        A, B = (x if isinstance(x, ndarray) else launched(np.asarray(x)) for x in (A, B))
        return self(A.reshape(*A.shape, *(1,) * B.ndim), B, **kwargs)

    def _method(self, name, **methods):
        if self.__name__ not in methods:
            raise NotImplementedError(f"`{self.name}.{name}` is not supported yet")
        return methods[self.__name__]


class _Loop:
    """A loop: dtypes of operands and results, and NumPy's ufunc where it has the loop."""

    __slots__ = ("function", "operands", "options", "results")

    def __init__(self, types, ufunc, key):
        operands, results = types.split("->")
        self.operands = [np.dtype(c) for c in operands]
        self.results = [np.dtype(c) for c in results]
        self.function = self.options = None
        host = ufunc._host
        if not isinstance(host, np.ufunc) or (ufunc.__name__, operands[0]) in REPLACED:
            return
        if results == "?" and int in key:
            # NumPy compares with Python's integers of any size, without a loop of their type
            self.function, self.options = host, {}
        elif types in host.types:
            self.function = host
            self.options = {"signature": types, "casting": "unsafe"}


def scatter(host, array, indices, values):
    """Apply a NumPy ufunc in place at the elements of an index, which may repeat."""
    from ._indexing import host_index

    index, _ = host_index(indices, array._host)
    named = any(isinstance(i, np.ndarray) and i.dtype != bool for i in index)
    if named and array.dtype.char not in _ATOMIC[host.__name__]:
        raise TypeError(f"cupy.{host.__name__}.at only supports {_ATOMIC[host.__name__]}")
    values = values._host if isinstance(values, ndarray) else np.asarray(values, array.dtype)
    counters.launched(values.nbytes, values.nbytes)
    with np.errstate(all="ignore"):
        host.at(array._host, index, values.astype(array.dtype))


def _as_type(host, dtype):
    """An operand in the type of the loop; Python's integers must fit."""
    return np.asarray(host, dtype) if type(host) in _WEAK else host.astype(dtype, copy=False)


def _broadcast(hosts):
    try:
        return np.broadcast(*hosts).shape
    except ValueError:
        shapes = " ".join(str(np.shape(host)) for host in hosts)
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None


def _operands(args):
    """What NumPy computes with, the key of types, and the bytes that are read."""
    hosts, key, read = [], [], 0
    for arg in args:
        kind = type(arg)
        if kind is ndarray:
            hosts.append(arg._host)
            key.append(arg._host.dtype.char)
            read += arg._host.nbytes
        elif kind in _WEAK:
            hosts.append(arg)
            key.append(kind)
        elif isinstance(arg, np.generic):
            checked_dtype(arg.dtype)
            hosts.append(arg)
            key.append(arg.dtype.char)
        elif hasattr(arg, "__cuda_array_interface__"):
            from ._creation import asarray

            device = asarray(arg)
            hosts.append(device._host)
            key.append(device.dtype.char)
            read += device.nbytes
        else:
            raise TypeError(f"Unsupported type {kind}")
    return hosts, tuple(key), read


def _chosen(types, key, dtype):
    """The first loop that takes operands of these types, or gives this dtype; None: none."""
    if dtype is not None and np.dtype(dtype) != bool:
        dtype = np.dtype(dtype)
        return next((t for t in types if all(c == dtype for c in t.split("->")[1])), None)
    strong = [np.dtype(k) for k in key if isinstance(k, str)]
    if not strong:  # Python's scalars alone have NumPy's types
        strong = [np.dtype(k) for k in key]
        key = [d.char for d in strong]
    common = np.result_type(*strong)
    rank = max(_RANK[d.kind] for d in strong)
    needed = []
    for k in key:
        if isinstance(k, str):
            needed.append(np.dtype(k))
        elif _WEAK[k] <= rank:
            needed.append(_WEAK[k])
        else:
            needed.append(np.result_type(common, k(1)))
    for candidate in types:
        operands = candidate.split("->")[0]
        if all(_fits(need, np.dtype(c)) for need, c in zip(needed, operands, strict=True)):
            return candidate
    return None


def _fits(need, dtype):
    if isinstance(need, int):  # a weak scalar: any type of its kind or above
        return _RANK[dtype.kind] >= need
    return np.can_cast(need, dtype)


for _name, _types in TYPES.items():
    globals()[_name] = ufunc(_name, _types, UFUNCS.get(_name) or getattr(np, _name))
for _name, _target in ALIASES.items():
    globals()[_name] = globals()[_target]

# Functions and methods of CuPy that are ufuncs within.
clip = ufunc("clip", CLIP, np.clip)
where = ufunc("where", WHERE, np.where)
