"""A call that comes again with other data has the result of a call that is decided anew."""

import cupy as cp
import numpy as np
import pytest

from skimage_gpu_backend import again, interface, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.decide import decide
from skimage_gpu_backend.dispatch.selection import current

from .check import by_position, inside, made
from .sweeps import SWEEPS


def _cases():
    for sweep in SWEEPS:
        for case in sweep.cases():
            marks = () if case.standard else pytest.mark.thorough
            yield pytest.param(case, id=str(case), marks=marks)


def _on_device(value, shift=0):
    """An image on the device, with its elements in other places; small arrays stay on the host."""
    if not isinstance(value, np.ndarray) or value.size <= 50 or not value.ndim:
        return value
    return cp.asarray(np.ascontiguousarray(np.roll(value, shift, 0)))


@pytest.mark.parametrize("case", list(_cases()))
def test_data_decides_nothing_of_a_call_that_comes_again(case, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    name, host = case.sweep.name, made(case.arguments)

    with use_backends("gpu"):
        first = by_position(name, replace(host, _on_device))
        found = again.key_of(name, *first)
        if not found or not interface.gpu.decide(name, *first) or found[0] not in again._known:
            return  # it is decided each time
        args, kwargs = by_position(name, replace(host, lambda value: _on_device(value, 1)))
        prepared = interface.gpu.decide(name, args, kwargs)
        whole = decide(name, args, kwargs, current())
        results = [_listed(decision) for decision in (prepared, whole)]
    assert prepared.plan is again._known[found[0]].plan
    for one, other in zip(*results, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def _listed(decision):
    return [cp.asnumpy(array) for array in inside(decision.run(), cp.ndarray | np.ndarray)]
