"""Device arrays work through the whole public API, wherever a function runs."""

import warnings
from collections.abc import Iterator

import cupy as cp
import networkx
import numpy as np
import pytest
from scipy import sparse

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.scikit_image import function_called

from .check import array, bound_for, listed
from .compare import difference
from .public import public_functions
from .samples import SAMPLES, make
from .sweeps import SWEEPS

BY_NAME = {sweep.name: sweep for sweep in SWEEPS}


@pytest.mark.parametrize("name", public_functions())
def test_device_arrays_give_the_same_values_as_numpy_arrays(name):
    sweep = BY_NAME.get(name)
    module, _, function = name.partition(":")
    sample = sweep.call if sweep else SAMPLES[module][function]
    made = array if sweep else make
    view = sweep.view if sweep else lambda result: result
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with use_backends():
            call = function_called(name)
            host_given = _arguments(sample, made)
            expected = _plain(view(listed(call(**host_given))))
            on_device = {k: replace(v, _to_device) for k, v in _arguments(sample, made).items()}
            result = _plain(view(listed(call(**on_device))))
    host = replace(result, lambda v: cp.asnumpy(v) if isinstance(v, cp.ndarray) else v)
    assert difference(host, expected) <= bound_for(sweep and sweep.bound, host_given, expected)


def _arguments(sample, made):
    return {key: replace(value, made) for key, value in sample.items()}


def _to_device(value):
    return cp.asarray(value) if type(value) is np.ndarray and value.dtype != object else value


def _plain(result):
    """Arrays and containers in place of iterators and other libraries' objects."""
    if isinstance(result, Iterator):
        return list(result)
    if isinstance(result, tuple):
        return tuple(_plain(item) for item in result)
    if isinstance(result, networkx.Graph):
        return [(sorted(result.nodes), sorted(map(str, result.edges(data=True))))]
    if sparse.issparse(result):
        return result.toarray()
    if isinstance(result, np.ndarray) and result.dtype == object:
        return [_plain(item) for item in result.ravel()]
    known = np.ndarray | np.generic | cp.ndarray | list | dict | str | int | float | None
    return result if isinstance(result, known) else type(result).__name__
