"""One call, with NumPy and with CuPy arrays and on the CPU, against scikit-image."""

import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest

import cuda_simulator
from cuda_simulator import counters
from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.devices.cuda.lazy import cp
from skimage_gpu_backend.scikit_image import function_called, parameter_places
from skimage_gpu_backend.trouble import Declined, DeviceTrouble
from skimage_gpu_backend.upstream.layout import past_warnings
from tests.warned import own

from .compare import DOUBLE, HALF, SINGLE, difference, precision
from .inputs import Input, strided_view


@dataclass(frozen=True)
class Outcome:
    """What became of one call: declined for a reason, refused, or the difference seen."""

    source: str = ""  # "kernel" where the call was taken
    declined: str = ""
    refused: bool = False
    difference: float = 0.0
    precision: str = "double"


def check(case, kind: str) -> Outcome:
    """Run a case in a way and compare with scikit-image.

    Parameters
    ----------
    case : Case
    kind : {"numpy", "cupy", "cpu"}
        Kind of arrays for the backend ``gpu``; or the backend ``cpu``, with NumPy arrays.

    Raises
    ------
    AssertionError
        The backend does something else than scikit-image, declines a standard call, or launches or
        moves more than the call's plan says.
    """
    name = case.sweep.name
    theirs, expected, error, told = _theirs(case)
    if isinstance(error, MemoryError):  # there is nothing to compare with
        return Outcome(refused=True)
    host = made(case.arguments)
    arguments = replace(host, to_device) if kind == "cupy" else host
    maker = not CATALOG[name].images
    kinds = case.sweep.kinds
    backend = "cpu" if kind == "cpu" else "gpu"
    if kind == "cpu":
        kind = "numpy"
    with selected(maker, backend):
        args, kwargs = by_position(name, arguments)
        decision = getattr(interface, backend).decide(name, args, kwargs)
        if not decision:
            assert decision.reason, "declined without a reason"
            assert not (case.standard and kind in kinds), f"declined: {decision.reason}"
            assert not decision.invalid or error, f"called invalid: {decision.reason}"
            return Outcome(declined=decision.key, refused=decision.invalid)
        assert kind in kinds, f"taken with {kind} arrays"
        if error is not None:
            with pytest.raises((type(error), DeviceTrouble)):
                listed(decision.run())
            return Outcome(decision.source, refused=True)
        with warnings.catch_warnings(record=True) as seen, _held_to(decision.plan, arguments):
            warnings.simplefilter("always")
            try:
                result = case.sweep.view(listed(decision.run()))
            except Declined as declined:  # for what only the data shows
                assert not case.standard, f"declined: {declined.reason}"
                return Outcome(declined=declined.key)
    with warnings.catch_warnings(record=True) as more:
        warnings.simplefilter("always")
        expected_view = case.sweep.view(expected)
    told = told | _categories(more)
    assert _categories(seen) == told, f"warns {_categories(seen)}, scikit-image {told}"
    if kind == "cupy" or maker:
        result = replace(result, _from_device)
    largest = difference(result, expected_view)
    if "out" not in case.arguments:
        _assert_unchanged(arguments, theirs if name in WRITE else made(case.arguments))
    bound = bound_for(case.sweep.bound, host, expected)
    assert largest <= bound, f"differs by {largest:.2e} of the range; {bound:.0e} is allowed"
    return Outcome(decision.source, difference=largest, precision=_precision(host, expected))


def _theirs(case):
    """Arguments with which scikit-image was called, for both kinds; `expected_of` them."""
    if _latest.get("case") is not case:
        arguments = made(case.arguments)
        found = arguments, *expected_of(case.sweep.name, arguments)
        _latest.update(case=case, found=found)
    return _latest["found"]


_latest = {}  # the case that was asked for last
WRITE = {"skimage.draw:set_color", "skimage.transform:iradon_sart"}  # into arguments
SMALL = 4096  # bytes of counters, partial results and tables that no cost counts


@contextmanager
def _held_to(plan, arguments):
    """A call inside takes no more than its plan says; the simulator counts."""
    given = inside(list(arguments.values()), np.ndarray | cp.ndarray)
    is_plain = all(a.flags.c_contiguous and a.dtype.char != "e" for a in given)
    cost = plan and is_plain and cuda_simulator.active() and plan.cost
    with counters.counting() as counts:
        yield
    if cost:
        assert counts.launches <= cost.launches
        assert counts.kernel_bytes_read <= cost.read + SMALL
        assert counts.kernel_bytes_written <= cost.written + SMALL


def bound_for(wider, arguments, expected) -> float:
    """Largest share of the range by which a result may differ."""
    exact = _precision(arguments, expected)
    if exact == "double":
        return (wider and wider.double) or DOUBLE
    return max((wider and wider.single) or 0, {"single": SINGLE, "half": HALF}[exact])


def _precision(arguments, expected):
    given = inside([arguments, expected], np.ndarray | np.generic)
    return precision([array for array in given if array.dtype.kind in "fc"])


def expected_of(name, arguments):
    """scikit-image's own result, or its exception, and the categories of its warnings."""
    with use_backends(), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            args, kwargs = by_position(name, arguments)
            # what a wrapper of 0.27 warns of, it warns of around our runs as well
            function = past_warnings(function_called(name))
            return listed(function(*args, **kwargs)), None, _categories(seen)
        except Exception as error:
            return None, error, set()


def by_position(name, arguments):
    """The call as users write it: by position as far as it goes, and ``out=`` by its name."""
    leading = list(
        itertools.takewhile(lambda n: n in arguments and n != "out", parameter_places(name))
    )
    rest = {key: value for key, value in arguments.items() if key not in leading}
    return tuple(arguments[key] for key in leading), rest


def _categories(seen):
    """Categories of warnings that a user acts on; NumPy's own are from inside arithmetic."""
    return {w.category.__name__ for w in own(seen) if w.category is not RuntimeWarning}


@contextmanager
def selected(maker, backend="gpu"):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
        patch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")  # as of columns that the host computes
        with use_backends(backend, output="cupy" if maker else None):
            yield


def made(arguments):
    return {key: replace(value, array) for key, value in arguments.items()}


def array(value):
    """The array that an `Input` stands for; anything else as it is."""
    return value.array() if isinstance(value, Input) else value


def to_device(value):
    if type(value) is not np.ndarray:
        return value
    made = cp.asarray(value)
    if value.flags.forc:
        return made
    view = strided_view(cp.empty, value.shape, value.dtype)
    view[...] = made
    return view


def _from_device(value):
    is_numpys = type(value) is np.ndarray and value.dtype.kind not in "OV"  # no device has these
    assert not is_numpys, "a NumPy array came back for a CuPy one"
    return cp.asnumpy(value) if isinstance(value, cp.ndarray) else value


def listed(result):
    """The items of an iterator, which are computed now; anything else as it is."""
    return list(result) if isinstance(result, Iterator) else result


def inside(value, kinds) -> list:
    """The objects of these types in a value, whatever holds them."""
    found = []
    replace(value, lambda item: found.append(item) if isinstance(item, kinds) else item)
    return found


def _assert_unchanged(arguments, before):
    host = replace(arguments, lambda v: cp.asnumpy(v) if isinstance(v, cp.ndarray) else v)
    pairs = zip(*(inside(given, np.ndarray) for given in (host, before)), strict=True)
    for after, original in pairs:
        np.testing.assert_array_equal(after, original, err_msg="an argument was changed")
