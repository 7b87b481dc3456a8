"""Measurements of `cupyx.scipy.ndimage`: of an array, of its labelled part, or of each label.

Without `index`, CuPy measures where labels are positive (`sum`: where they are not zero).
Measures of one region are device arrays of zero dimensions; positions are tuples on the host.
"""

import cupy
import numpy as np
import scipy.ndimage
from cupyx._host import device, host, require_device


def _checked(input, labels, index):
    if not isinstance(input, cupy.ndarray):
        raise TypeError("input must be cupy.ndarray")
    if input.dtype.kind == "c":
        raise TypeError(f"complex input is not supported: {input.dtype}")
    if labels is not None and not isinstance(labels, cupy.ndarray):
        raise TypeError("label must be cupy.ndarray")
    if index is not None and not isinstance(index, cupy.ndarray | int | np.integer):
        raise TypeError("index must be cupy.ndarray or a scalar int")


def _region(input, labels, index):
    """The elements that a measure of one region is of."""
    if labels is None:
        return input
    input, labels = cupy.broadcast_arrays(input, labels)
    return input[labels > 0] if index is None else input[labels == index]


def _per_label(function, input, labels, index):
    return device(function(host(input), host(labels), host(index)), input, labels)


def sum_labels(input, labels=None, index=None):
    """Sum of the elements of each label in `index`."""
    _checked(input, labels, index)
    if isinstance(index, cupy.ndarray) and labels is not None:
        if index.size == 0:
            return cupy.array([], dtype=np.int64)
        return _per_label(scipy.ndimage.sum_labels, input, labels, index).astype(np.float64)
    if labels is not None and index is None:
        return input[cupy.broadcast_to(labels, input.shape) != 0].sum()
    return _region(input, labels, index).sum()


def sum(input, labels=None, index=None):
    """As `sum_labels`."""
    return sum_labels(input, labels, index)


def mean(input, labels=None, index=None):
    """Mean of the elements of each label in `index`."""
    _checked(input, labels, index)
    if isinstance(index, cupy.ndarray) and labels is not None:
        return _per_label(scipy.ndimage.mean, input, labels, index)
    return _region(input, labels, index).mean(dtype=np.float64)


def variance(input, labels=None, index=None):
    """Variance of the elements of each label in `index`."""
    _checked(input, labels, index)
    if isinstance(index, cupy.ndarray) and labels is not None:
        return _per_label(scipy.ndimage.variance, input, labels, index)
    return _region(input, labels, index).var(dtype=np.float64)


def standard_deviation(input, labels=None, index=None):
    """Standard deviation of the elements of each label in `index`."""
    return cupy.sqrt(variance(input, labels, index))


def _selected(name, input, labels, index):
    require_device(input, labels)
    if index is not None and not np.isscalar(index):
        found = getattr(scipy.ndimage, name)(host(input), host(labels), host(cupy.asarray(index)))
        dtype = np.float64 if name == "median" and input.dtype.kind != "f" else input.dtype
        return device(np.asarray(found, dtype), input)
    return getattr(cupy, {"minimum": "min", "maximum": "max"}.get(name, name))(
        _region(input, labels, index)
    )


def minimum(input, labels=None, index=None):
    """Smallest element of each label in `index`."""
    return _selected("minimum", input, labels, index)


def maximum(input, labels=None, index=None):
    """Largest element of each label in `index`."""
    return _selected("maximum", input, labels, index)


def median(input, labels=None, index=None):
    """Median of the elements of each label in `index`."""
    return _selected("median", input, labels, index)


def _positions(name, input, labels, index):
    require_device(input, labels)
    index = index if index is None or np.isscalar(index) else host(cupy.asarray(index))
    return getattr(scipy.ndimage, name)(cupy.asnumpy(input), host(labels), index)


def minimum_position(input, labels=None, index=None):
    """Where the smallest element of each label in `index` lies."""
    return _positions("minimum_position", input, labels, index)


def maximum_position(input, labels=None, index=None):
    """Where the largest element of each label in `index` lies."""
    return _positions("maximum_position", input, labels, index)


def extrema(input, labels=None, index=None):
    """Smallest and largest elements and their positions."""
    return (
        minimum(input, labels, index),
        maximum(input, labels, index),
        minimum_position(input, labels, index),
        maximum_position(input, labels, index),
    )


def center_of_mass(input, labels=None, index=None):
    """Centre of mass of each label in `index`: device arrays, a tuple or a list of points."""
    normalizer = sum(input, labels, index)
    grids = np.ogrid[tuple(slice(n) for n in input.shape)]
    results = [
        sum(input * cupy.asarray(grid.astype(float)), labels, index) / normalizer for grid in grids
    ]
    return tuple(results) if results[0].ndim == 0 else list(cupy.stack(results, axis=-1))


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """`func` of the elements (and positions) of each label in `index`."""
    input = cupy.asarray(input)
    positions = cupy.arange(input.size).reshape(input.shape)
    sources = (input, positions) if pass_positions else (input,)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return func(*(s.ravel() for s in sources))
    if index is None:
        return func(*(s[labels > 0] for s in sources))
    wanted = cupy.atleast_1d(index).get()
    results = []
    for value in wanted:
        chosen = labels == value.item()
        results.append(func(*(s[chosen] for s in sources)) if chosen.any() else default)
    if out_dtype is object:
        return results[0] if np.isscalar(index) else results
    out = cupy.empty(wanted.shape, out_dtype)
    for i, result in enumerate(results):
        out[i] = np.nan if result is None else result
    return out[0] if np.isscalar(index) else out


def histogram(input, min, max, bins, labels=None, index=None):
    """Histogram of each label in `index`."""
    edges = cupy.linspace(min, max, bins + 1)
    return labeled_comprehension(
        input, labels, index, lambda values: cupy.histogram(values, edges)[0], object, None
    )


def label(input, structure=None, output=None):
    """As `scipy.ndimage.label`: device array (int32) and number of labels."""
    if not isinstance(input, cupy.ndarray):
        raise TypeError("input must be cupy.ndarray")
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    if structure is not None:
        structure = np.array(cupy.asnumpy(structure), bool)
        if structure.ndim != input.ndim:
            raise RuntimeError("structure and input must have equal rank")
        if set(structure.shape) - {3}:
            raise ValueError("structure dimensions must be equal to 3")
    source = host(input) != 0
    if isinstance(output, cupy.ndarray):
        if output.shape != input.shape:
            raise ValueError("output shape not correct")
        labels, count = scipy.ndimage.label(source, structure)
        output[...] = device(labels, input)
        return count
    labels, count = scipy.ndimage.label(source, structure, output or np.int32)
    return device(labels, input), count


def find_objects(input, max_label=0):
    """As `scipy.ndimage.find_objects`: slices, which are on the host."""
    require_device(input)
    if input.dtype.kind not in "bui":
        raise TypeError(f"Input dtype {input.dtype.name} cannot be interpreted as an integer")
    image = cupy.asnumpy(input)
    return scipy.ndimage.find_objects(image.astype(np.int64, copy=False), max(max_label, 0))


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """Where each value of an integer array lies: indices on the device."""
    require_device(arr)
    if arr.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    found = scipy.ndimage.value_indices(host(arr), ignore_value=ignore_value)
    dtype = np.min_scalar_type(-(max(arr.shape) + 1)) if adaptive_index_dtype else np.int64
    return {int(v): device(tuple(i.astype(dtype) for i in w), arr) for v, w in found.items()}
