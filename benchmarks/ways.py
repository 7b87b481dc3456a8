"""The ways of one call: scikit-image, cuCIM called directly, this backend."""

import importlib
import statistics
import time

import cupy as cp
import numpy as np
from skimage.transform import ProjectiveTransform

from cuda_simulator import active, counters
from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.scikit_image import function_called
from tests.differential.check import array, by_position, inside, listed

_WAYS = ("scikit-image", "cucim", "cucim NumPy", "gpu", "gpu NumPy")
_ON_DEVICE = ("cucim", "gpu")


def ways_of_run():
    """The ways that are measured: on the simulator, cuCIM is only counted."""
    return [way for way in _WAYS if not (active() and way == "cucim NumPy")]


def is_counted(way):
    """Whether launches and bytes are counted, which the simulator does on the device."""
    return active() and way in _ON_DEVICE


class Call:
    """One call with its arguments on the host and on the device.

    Parameters
    ----------
    name : str
        As in the catalog.
    arguments : dict
        By name; `Input`s stand for arrays.
    """

    def __init__(self, name, arguments):
        self.name = name
        host = {key: replace(value, array) for key, value in arguments.items()}
        self._host = by_position(name, host)
        self._device = replace(self._host, _to_device)
        self._cucims = replace(self._host, _to_cucim)
        self.bytes_in = sum(a.nbytes for a in inside(self._device, cp.ndarray))

    def source(self):
        """What the backend runs for the call with device arrays, or why it does not."""
        with use_backends("gpu"):
            decision = interface.gpu.decide(self.name, *self._device)
            return decision.source if decision else f"declined: {decision.reason}"

    def run(self, way):
        """Run the call once and return its result."""
        if way == "scikit-image":
            return self._scikit_image(*self._host)
        if way.startswith("cucim"):
            if way in _ON_DEVICE:
                return self._cucim(*self._cucims)
            return _to_host(self._cucim(*replace(self._host, _to_cucim)))
        with use_backends("gpu"):
            args, kwargs = self._device if way in _ON_DEVICE else self._host
            return listed(function_called(self.name)(*args, **kwargs))

    def run_by(self, backend):
        """Run the call once by one of the package's backends alone: a result, None if declined."""
        with use_backends(backend, output="cupy"):
            decision = getattr(interface, backend).decide(self.name, *self._device)
            return listed(decision.run()) if decision else None

    def _scikit_image(self, args, kwargs):
        with use_backends():
            return listed(function_called(self.name)(*args, **kwargs))

    def _cucim(self, args, kwargs):
        module, _, function = self.name.partition(":")
        theirs = getattr(importlib.import_module(f"cucim.{module}"), function)
        return listed(theirs(*args, **kwargs))


def first_call(call, way):
    """Milliseconds of the first call and bytes of its result."""
    start = time.perf_counter()
    result = call.run(way)
    cp.cuda.Device().synchronize()
    took = 1e3 * (time.perf_counter() - start)
    return took, sum(a.nbytes for a in inside(result, cp.ndarray | np.ndarray))


def counted(call, way):
    """Launches of a call, bytes that its kernels moved, copies to the host; and its seconds."""
    start = time.perf_counter()
    with counters.counting() as seen:
        call.run(way)
    took = time.perf_counter() - start
    moved = seen.kernel_bytes_read + seen.kernel_bytes_written
    return {"launches": seen.launches, "bytes": moved, "to_host": seen.to_host}, took


def milliseconds(call, rounds):
    """Median time of each way over so many rounds, in each of which all have their turn."""
    seen = {way: [] for way in rounds if not (active() and way == "cucim")}
    for turn in range(max(rounds.values(), default=0)):
        for way in (way for way in seen if turn < rounds[way]):
            between_events = way in _ON_DEVICE and not active()
            measure = _between_events if between_events else _wall
            seen[way].append(measure(lambda way=way: call.run(way)))
    return {way: statistics.median(times) for way, times in seen.items()}


def copy_bandwidth(size=1 << 30, rounds=9):
    """Bytes per second, read and written, of a copy from device memory to device memory."""
    source, target = cp.zeros(size, "uint8"), cp.empty(size, "uint8")
    times = [_between_events(lambda: cp.copyto(target, source)) for _ in range(rounds)]
    return 2 * size / (1e-3 * statistics.median(times))


def _wall(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def _between_events(call):
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    call()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end)


def _to_device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) and value.size > 9 else value


def _to_cucim(value):
    """What a user of cuCIM passes: arrays on the device, and cuCIM's own transforms."""
    if not isinstance(value, ProjectiveTransform):
        return _to_device(value)
    theirs = importlib.import_module("cucim.skimage.transform")
    return getattr(theirs, type(value).__name__)(matrix=cp.asarray(value.params))


def _to_host(value):
    return replace(value, lambda v: cp.asnumpy(v) if isinstance(v, cp.ndarray) else v)
