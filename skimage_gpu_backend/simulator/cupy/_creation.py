"""Functions that make device arrays."""

import numpy as np

from skimage_gpu_backend.simulator import counters

from ._ndarray import checked_dtype, copied, from_host, host_operand, ndarray


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A device array of `obj`; from the host it is one copy to the device."""
    if isinstance(obj, ndarray):
        host = obj._host
        dtype = host.dtype if dtype is None else checked_dtype(dtype)
        laid_out = order in ("K", "A", None) or host.flags[f"{order}_CONTIGUOUS"]
        if not copy and laid_out and ndmin <= obj.ndim and dtype == host.dtype:
            return obj
        host = host.astype(dtype, order="K" if order is None else order)
        return from_host(np.array(host, copy=None, ndmin=ndmin), obj)
    if isinstance(obj, list | tuple) and any(isinstance(o, ndarray) for o in obj):
        arrays = [o if isinstance(o, ndarray) else array(o) for o in obj]
        return from_host(np.array([a._host for a in arrays], dtype, ndmin=ndmin), *arrays)
    host = np.array(obj, dtype=dtype, copy=None, ndmin=ndmin)
    if order in ("C", "F"):
        host = np.asarray(host, order=order)
    checked_dtype(host.dtype)
    result = copied(host)
    counters.copied_to_device(host.nbytes)
    return result


def asarray(a, dtype=None, order=None, *, blocking=False):
    """A device array of `a`, itself where it is one of that dtype."""
    return array(a, dtype, copy=False, order=order)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array: a copy of a device array, else `numpy.asarray`."""
    if isinstance(a, ndarray):
        return a.get(order=order, out=out)
    return np.asarray(a, order=order)


def ascontiguousarray(a, dtype=None):
    """A C-contiguous device array: `a` itself where it is one."""
    if not isinstance(a, ndarray):
        a = array(a, dtype, order="C")
    if a.flags.c_contiguous and dtype in (None, a.dtype):
        return a if a.ndim else a.ravel()
    return from_host(a._host.astype(a.dtype if dtype is None else dtype, order="C"), a)


def empty(shape, dtype=float, order="C"):
    """A device array whose elements are not set."""
    return ndarray(shape, float if dtype is None else dtype, order=order)


def zeros(shape, dtype=float, order="C"):
    """A device array of zeros: memory is set, no kernel is launched."""
    result = empty(shape, dtype, order)
    result._host.fill(0)
    return result


def full(shape, fill_value, dtype=None, order="C"):
    """A device array of one value."""
    if dtype is None:
        dtype = np.asarray(host_operand(fill_value)).dtype
    result = empty(shape, dtype, order)
    result.fill(fill_value)
    return result


def ones(shape, dtype=float, order="C"):
    """A device array of ones."""
    return full(shape, 1, float if dtype is None else dtype, order)


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    """`empty` with the shape, dtype and order of axes of another array."""
    host = prototype._host if isinstance(prototype, ndarray) else prototype
    dtype = checked_dtype(host.dtype if dtype is None else dtype)
    if shape is None and order == "K" and not host.flags.c_contiguous:
        axes = sorted(range(host.ndim), key=lambda axis: -abs(host.strides[axis]))
        made = empty([host.shape[axis] for axis in axes], dtype)
        return made.transpose(np.argsort(axes).tolist())
    order = "F" if order in "KA" and host.flags.fnc else "C" if order in "KA" else order
    return empty(host.shape if shape is None else shape, dtype, order)


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    """`zeros` with the shape, dtype and order of axes of another array."""
    result = empty_like(a, dtype, order, subok, shape)
    result._host.fill(0)
    return result


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    """`full` with the shape, dtype and order of axes of another array."""
    result = empty_like(a, dtype, order, subok, shape)
    result.fill(fill_value)
    return result


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    """`ones` with the shape, dtype and order of axes of another array."""
    return full_like(a, 1, dtype, order, subok, shape)


def arange(*args, dtype=None):
    """As `numpy.arange`, on the device."""
    return from_host(np.arange(*args, dtype=dtype))


def linspace(start, stop, num=50, endpoint=True, dtype=None):
    """As `numpy.linspace`, on the device."""
    return from_host(np.linspace(start, stop, num, endpoint, dtype=dtype))


def eye(n, m=None, k=0, dtype=float):
    """As `numpy.eye`, on the device."""
    return from_host(np.eye(n, m, k, dtype))
