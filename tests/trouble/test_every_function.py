"""Every function meets each error at each kind of operation that it has: scikit-image runs."""

import functools
import importlib
import itertools

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import faults
from skimage_gpu_backend import availability, interface, use_backends
from skimage_gpu_backend.adapt.values import replace
from tests.differential.check import (
    WRITE,
    bound_for,
    by_position,
    expected_of,
    inside,
    listed,
    made,
)
from tests.differential.compare import difference
from tests.differential.sweeps import SWEEPS

from .failing import ERRORS, OVERCOME, Device, lost, places, told

WAYS = ("numpy", "cupy", "lost")
PLACES = ("first", "middle", "last")
ALWAYS = "skimage.filters:threshold_li"  # in the quick run too; it sorts
MOVED = {"numpy": np.asarray, "cupy": cp.asarray}


@functools.cache
def _case(sweep, kind):
    """A call that the device takes and scikit-image does not refuse; None where there is none."""
    for case in sweep.cases() if kind in sweep.kinds else ():
        args, kwargs = by_position(sweep.name, _arguments(case, kind))
        with use_backends("gpu"):
            taken = interface.gpu.decide(sweep.name, args, kwargs)
        if taken and expected_of(sweep.name, made(case.arguments))[1] is None:
            return case
    return None


def _arguments(case, kind):
    def moved(value):
        return MOVED[kind](value) if isinstance(value, np.ndarray) else value

    return replace(made(case.arguments), moved)


def _on_host(value):
    return replace(value, lambda v: cp.asnumpy(v) if isinstance(v, cp.ndarray) else v)


class Call:
    """A call of a function on the device, as a user writes it."""

    def __init__(self, sweep, kind):
        self._case, self._kind = _case(sweep, kind), kind
        if self._case is None:
            pytest.skip("runs on the CPU with these arrays")
        module, _, name = sweep.name.partition(":")
        self._function = getattr(importlib.import_module(module), name)
        self._before = made(self._case.arguments)
        theirs = made(self._case.arguments)
        self._expected = expected_of(sweep.name, theirs)[0]
        if sweep.name in WRITE:
            self._before = theirs

    def on(self, device):
        """Why it did not run on the device, after its result was compared with scikit-image's."""
        case = self._case
        arguments = _arguments(case, self._kind)
        args, kwargs = by_position(case.sweep.name, arguments)
        with told() as reasons, use_backends("gpu"), faults.observed(device):
            result = listed(self._function(*args, **kwargs))
        # objects hold arrays that their views show
        result, expected = (
            _on_host(case.sweep.view(_on_host(each))) for each in (result, self._expected)
        )
        bound = bound_for(case.sweep.bound, self._before, self._expected)
        assert difference(result, expected) <= bound
        if "out" not in case.arguments:
            pairs = zip(
                *(inside(_on_host(given), np.ndarray) for given in (arguments, self._before)),
                strict=True,
            )
            for after, before in pairs:
                np.testing.assert_array_equal(after, before, err_msg="an argument was changed")
        return reasons


def _cases():
    """Each function in one way and at one place, in turn; all of them in the exhaustive run."""
    for (number, sweep), (way, kind), place in itertools.product(
        enumerate(SWEEPS), enumerate(WAYS), range(3)
    ):
        if sweep.name == ALWAYS and place == (number + way) % 3:
            marks = ()
        elif way == number % 3 and place == number // 3 % 3:
            marks = pytest.mark.thorough
        else:
            marks = pytest.mark.exhaustive
        label = f"{sweep.name}-{kind}-{PLACES[place]}"
        yield pytest.param(sweep, kind, place, marks=marks, id=label)


@pytest.mark.parametrize(("sweep", "kind", "place"), list(_cases()))
def test_scikit_image_runs_where_the_device_fails(sweep, kind, place, monkeypatch):
    """At one operation, of each kind in turn; or for good, where the caller has the arrays."""
    call = Call(sweep, "numpy" if kind == "lost" else kind)
    healthy = Device()
    assert call.on(healthy) == []
    if kind != "lost":
        for operation, errors in ERRORS.items():
            count = healthy.met.count(operation)
            if count:
                device = Device((operation,), places(count)[place], errors[place % len(errors)])
                reasons = call.on(device)
                assert reasons or operation in OVERCOME or not device.has_failed, operation
        return
    healthy = Device()
    call.on(healthy)  # without loading kernels, which asks for the device
    monkeypatch.setattr(availability, "_state", "")
    device = lost(places(len(healthy.met))[place])
    assert any("lost to this process" in text for text in call.on(device))
    later = lost()
    assert "lost to this process" in call.on(later)[0]
    assert later.met == []
