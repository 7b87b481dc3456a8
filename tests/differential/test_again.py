"""A call that comes again with other data has the result of a call that is decided anew."""

import cupy as cp
import numpy as np
import pytest

from skimage_gpu_backend import again, interface, targets, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.decide import decide
from skimage_gpu_backend.dispatch.selection import current

from .check import by_position, inside, made
from .sweeps import SWEEPS

TARGETS = {"gpu": targets.GPU, "cpu": targets.CPU}


def _cases():
    for sweep in SWEEPS:
        for case in sweep.cases():
            for device in TARGETS:
                marks = () if case.standard else pytest.mark.thorough
                yield pytest.param(case, device, id=f"{case}-{device}", marks=marks)


def _given(value, device, shift=0):
    """An image for the device, with its elements in other places; small arrays as they are."""
    if not isinstance(value, np.ndarray) or value.size <= 50 or not value.ndim:
        return value
    rolled = np.ascontiguousarray(np.roll(value, shift, 0))
    return cp.asarray(rolled) if device == "gpu" else rolled


@pytest.mark.parametrize(("case", "device"), list(_cases()))
def test_data_decides_nothing_of_a_repeated_call(case, device, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setattr(again, "_SMALL", 50)  # images of tests are small
    name, host = case.sweep.name, made(case.arguments)
    backend, target = getattr(interface, device), TARGETS[device]

    def call(shift):
        return by_position(name, replace(host, lambda value: _given(value, device, shift)))

    with use_backends(device):
        first = call(0)
        found = again.key_of(target, name, *first)
        if not found or not backend.decide(name, *first) or found[0] not in again._known:
            return  # it is decided each time
        args, kwargs = call(1)
        prepared = backend.decide(name, args, kwargs)
        whole = decide(name, args, kwargs, current(), target)
        results = [_listed(decision) for decision in (prepared, whole)]
    assert prepared.plan is again._known[found[0]].plan
    for one, other in zip(*results, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        assert not np.may_share_memory(one, other)


def _listed(decision):
    return [cp.asnumpy(array) for array in inside(decision.run(), cp.ndarray | np.ndarray)]
