"""The ways from `cupy.ndarray` to the host, each one copy, and to other libraries, without one."""

import warnings

import numpy as np

from cuda_simulator import counters

_EMPTY = "The truth value of an empty array is ambiguous. Returning False."


class Conversions:
    """Methods of `cupy.ndarray` that hand its elements over, and `set`."""

    __slots__ = ()

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A copy in host memory."""
        if out is not None:
            if not isinstance(out, np.ndarray):
                raise TypeError("Only numpy.ndarray can be obtained from cupy.ndarray")
            _check_copy(out, self, f"{out.dtype} array cannot be obtained from {self.dtype} array")
            if not (out.flags.c_contiguous or out.flags.f_contiguous):
                raise RuntimeError(
                    "`out` cannot be specified when copying to non-contiguous ndarray"
                )
        elif self.size and order.upper() not in ("A", "C", "F"):
            raise ValueError(f"unsupported order: {order}")
        counters.copied_to_host(self._host.nbytes)
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def item(self):
        """The only element as a Python scalar."""
        counters.copied_to_host(self.itemsize)
        return self._host.item()

    def set(self, arr, stream=None):
        """Copy a NumPy array of the same shape and dtype into this one."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        _check_copy(self, arr, f"{arr.dtype} array cannot be set to {self.dtype} array")
        if not (self._c_contiguous or self._f_contiguous):
            raise RuntimeError("Cannot set to non-contiguous array")
        counters.copied_to_device(arr.nbytes)
        self._host[...] = arr

    def tolist(self):
        """A copy as nested lists."""
        return self.get().tolist()

    def tobytes(self, order="C"):
        """A copy as bytes."""
        return self.get().tobytes(order)

    def tofile(self, fid, sep="", format="%s"):
        """Write the elements into a file."""
        self.get().tofile(fid, sep, format)

    def dump(self, file):
        """Pickle the array into a file."""
        self.get().dump(file)

    def dumps(self):
        """The array, pickled."""
        return self.get().dumps()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        from ._dlpack import exported

        return exported(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        from ._dlpack import device_of

        return device_of(self)

    def toDlpack(self):
        """A DLPack capsule of this array."""
        return self.__dlpack__()

    def __bytes__(self):
        return bytes(self.get())

    def __bool__(self):
        if self.size == 0:
            warnings.warn(_EMPTY, DeprecationWarning, stacklevel=2)
            return False
        if self.size > 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, spec):
        return format(self.get(), spec)

    def __reduce__(self):
        return _from_pickle, (self.get(order="A"),)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()


def _check_copy(target, source, mismatch):
    if target.dtype != source.dtype:
        raise TypeError(mismatch)
    if target.shape != source.shape:
        raise ValueError(f"Shape mismatch. Old shape: {target.shape}, new shape: {source.shape}")


def _from_pickle(host):
    from ._ndarray import copied

    counters.copied_to_device(host.nbytes)
    return copied(host)
