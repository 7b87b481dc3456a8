"""Percentiles and quantiles, in CuPy's arithmetic."""

import warnings

import numpy as np

from ._creation import asarray
from ._ndarray import ndarray
from ._reduce import axes_of, finished
from .cuda.thrust import sorting

__all__ = ["percentile", "quantile"]

_ROUNDED = {"lower": np.floor, "higher": np.ceil, "nearest": np.around}
_UNSUPPORTED = frozenset(
    (
        *("averaged_inverted_cdf", "closest_observation", "hazen", "interpolated_inverted_cdf"),
        *("inverted_cdf", "median_unbiased", "normal_unbiased", "weibull"),
    )
)


def percentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    interpolation=None,
):
    """The elements, or values between, that so many percent are below."""
    q = np.asarray(q) if isinstance(q, list | tuple) else q
    method = _method(method, interpolation, "percentile")
    q = q / 100
    _check(q, "Percentiles must be in the range [0, 100]")
    return _quantile(a, q, axis, out, method, keepdims)


def quantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    interpolation=None,
):
    """The elements, or values between, that such a part is below."""
    q = np.asarray(q) if isinstance(q, list | tuple) else q
    method = _method(method, interpolation, "quantile")
    _check(q, "Quantiles must be in the range [0, 1]")
    return _quantile(a, q, axis, out, method, keepdims)


def _method(method, interpolation, name):
    if interpolation is None:
        return method
    warnings.warn(
        f"the `interpolation=` argument to {name} was renamed to `method=`",
        DeprecationWarning,
        stacklevel=3,
    )
    if method != "linear":
        raise TypeError("`interpolation` is deprecated in favor of `method`: give one of them")
    return interpolation


def _check(q, message):
    host = q._host if isinstance(q, ndarray) else np.asarray(q)
    # as in CuPy one value within the range is enough
    if not (np.any(host >= 0) and np.any(host <= 1)):
        raise ValueError(message)


def _quantile(a, q, axis, out, method, keepdims):
    dtype = np.result_type(a.dtype, q.dtype if isinstance(q, ndarray) else q)
    q = asarray(q)
    if q.ndim > 1:
        raise ValueError(f"Expected q to have a dimension of 1.\nActual: {q.ndim} != 1")
    if method in _UNSUPPORTED:
        raise ValueError(f"'{method}' method is not yet supported. Please use any other method.")
    axes = axes_of(axis, a.ndim)
    kept = tuple(i for i in range(a.ndim) if i not in axes)
    rows = a._host.transpose(kept + axes)
    rows = sorting(np.sort)(rows.reshape(*rows.shape[: len(kept)], -1), axis=-1)
    places = q._host * (rows.shape[-1] - 1.0)
    if method in _ROUNDED:
        values = rows[..., _ROUNDED[method](places).astype(np.int32)]
    elif method in ("linear", "midpoint"):
        if method == "midpoint":
            places = 0.5 * (np.floor(places) + np.ceil(places))
        values = _between(rows, places, dtype)
    else:
        raise ValueError(
            "Unexpected interpolation method.\n"
            f"Actual: '{method}' not in ('linear', 'lower', 'higher', 'midpoint')"
        )
    if keepdims:
        values = np.expand_dims(values, axes) if q.ndim == 0 else values
        if q.ndim:
            shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
            return finished(np.moveaxis(values, -1, 0).reshape(-1, *shape), a, out)
    if q.ndim:
        values = np.moveaxis(values, -1, 0)
    return finished(np.ascontiguousarray(values) if values.ndim else values, a, out)


def _between(rows, places, dtype):
    """Values between two elements, from the nearer one, in the dtype of the result."""
    below = np.floor(places).astype(np.intp)
    weight = (places - below).astype(dtype)
    low = rows[..., below].astype(dtype)
    high = rows[..., np.minimum(below + 1, rows.shape[-1] - 1)].astype(dtype)
    with np.errstate(all="ignore"):
        step = high - low
        return np.where(weight < 0.5, low + step * weight, high - step * (1 - weight)).astype(dtype)
