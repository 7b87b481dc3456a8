"""Whose memory results are in: the caller's, each other's or their own, as with scikit-image."""

import cupy as cp
import numpy as np
import pytest

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.resident import block_of
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.trouble import Declined

from .check import by_position, inside, listed, made, selected
from .sweeps import SWEEPS

FEW = 30  # arrays of a result that are compared with each other
# Of each function the usual call, and those in which the image may be the result.
LABELS = ("standard", "bool", "uint8", "float32", "float64", "strided")
CASES = [
    pytest.param(case, id=str(case))
    for sweep in SWEEPS
    for case in sweep.cases()
    if case.label in LABELS or case.label.startswith(("copy", "in_place", "out="))
]


def _arrays(value):
    arrays = inside(value, np.ndarray | cp.ndarray)
    return [array for array in arrays if array.ndim and array.size][:FEW]


def _shared(arguments, result):
    """For each array of a result, whether it shares memory with those given and those before."""
    found, before = [], _arrays(list(arguments.values()))
    for array in _arrays(result):
        shares = cp.shares_memory if isinstance(array, cp.ndarray) else np.shares_memory
        same_kind = [other for other in before if type(other) is type(array)]
        found.append([shares(array, other) for other in same_kind])
        before.append(array)
    return found


def _called(name, arguments):
    args, kwargs = by_position(name, arguments)
    with use_backends():
        return listed(function_called(name)(*args, **kwargs))


def _expected(case):
    arguments = made(case.arguments)
    try:
        return arguments, _called(case.sweep.name, arguments)
    except Exception:
        pytest.skip("scikit-image refuses the call")


def _taken(case, arguments, output=None):
    args, kwargs = by_position(case.sweep.name, arguments)
    maker = not CATALOG[case.sweep.name].images
    with selected("gpu", maker), use_backends("gpu", output=output or ("cupy" if maker else None)):
        decision = interface.gpu.decide(case.sweep.name, args, kwargs)
        if not decision:
            pytest.skip("declined")
        try:
            return listed(decision.run())
        except Declined:
            pytest.skip("declined for what the data shows")


@pytest.mark.parametrize("case", CASES)
def test_memory_is_shared_as_with_scikit_image(case):
    given, result = _expected(case)
    expected = _shared(given, result)
    for kind in ("numpy", "resident", "cupy"):
        arguments = made(case.arguments)
        if kind == "cupy":
            arguments = replace(arguments, lambda v: cp.asarray(v) if type(v) is np.ndarray else v)
        result = _taken(case, arguments, "resident" if kind == "resident" else None)
        assert _shared(arguments, result) == expected, kind


@pytest.mark.parametrize("case", CASES)
def test_results_own_their_data_where_scikit_images_do(case):
    _, expected = _expected(case)
    arguments = made(case.arguments)
    for ours, theirs in zip(_arrays(_taken(case, arguments)), _arrays(expected), strict=True):
        if isinstance(ours, np.ndarray) and theirs.flags.owndata:
            assert ours.flags.owndata
            assert block_of(ours) is None
