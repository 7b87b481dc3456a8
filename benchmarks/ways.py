"""The ways of one call: scikit-image, this backend, cuCIM called directly."""

import contextlib
import functools
import importlib
import os
import warnings

import numpy as np
from skimage.transform import ProjectiveTransform

from cuda_simulator import active, counters
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.devices.cuda.lazy import cp
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.scikit_image import function_called
from tests.differential.check import array, by_position, inside, listed
from tests.differential.sweeps import SWEEPS

ON_HOST = ("scikit-image", "gpu NumPy", "cucim NumPy")  # NumPy arrays in and out
ON_DEVICE = ("gpu", "cucim")  # CuPy arrays in and out
ON_CPU = {"cpu, one thread": 1, "cpu, all threads": None}  # the threads


def configure(min_size):
    """Have a backend take calls from this size, by its own thresholds with None; no warnings."""
    os.environ["SKIMAGE_BACKENDS_NOTIFY"] = "none"
    os.environ.pop("SKIMAGE_BACKENDS_MIN_SIZE", None)
    if min_size is not None:
        os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = str(min_size)
    warnings.simplefilter("ignore")


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

    @functools.cached_property
    def _device(self):
        return replace(self._host, _to_device)

    @functools.cached_property
    def _cucims(self):
        return replace(self._host, _to_cucim)

    def bytes_in(self):
        """Bytes of the arrays on the device that the call takes."""
        return sum(a.nbytes for a in inside(self._device, cp.ndarray))

    def ways(self, those):
        """Those ways that exist here: cuCIM's where it is installed and has the function."""
        theirs = self._theirs() is not None
        return [way for way in those if theirs or not way.startswith("cucim")]

    def fallback(self, way):
        """Why scikit-image runs the call, which is run for it; "" where the backend does."""
        return self.observed(way)[1]

    def observed(self, way):
        """The call's result, and why scikit-image ran it; "" where the backend did."""
        with observe() as seen:
            result = self.run(way)
        if seen[0].backend in ("gpu", "cpu"):
            return result, ""
        declined = "; ".join(reason for _, reason, _ in seen[0].declined)
        return result, declined or "not dispatched"

    def compare(self, result, expected):
        """Raise an AssertionError where a result is wrong, and not only rounded in another way.

        The tests' bounds are for small images. Sums in single precision lose digits with the
        number of pixels, and last digits decide single elements, as the nearest segment.
        """
        sweep = next(sweep for sweep in SWEEPS if sweep.name == self.name)
        kinds = np.ndarray | np.generic | int | float
        ours, theirs = (inside(sweep.view(each), kinds) for each in (result, expected))
        assert len(ours) == len(theirs), f"{len(ours)} values instead of {len(theirs)}"
        for a, e in zip(map(np.asarray, ours), map(np.asarray, theirs), strict=True):
            assert (a.dtype, a.shape) == (e.dtype, e.shape), f"{a.dtype} {a.shape}"
            if e.dtype.kind in "fc":
                largest = np.abs(e[np.isfinite(e)]).max(initial=0)
                is_wrong = ~np.isclose(a, e, rtol=0, atol=1e-3 * largest + 1e-9, equal_nan=True)
            else:
                is_wrong = a != e
            wrong = np.count_nonzero(is_wrong)
            assert wrong <= 1e-4 * e.size, f"{wrong} of {e.size} elements differ"

    def run(self, way):
        """Run the call once and return its result."""
        if way == "scikit-image":
            with use_backends():
                return self._called(*self._host)
        if way == "cucim":
            return self._by_cucim(*self._cucims)
        if way == "cucim NumPy":
            return _to_host(self._by_cucim(*replace(self._host, _to_cucim)))
        if way in ON_CPU:
            with use_backends("cpu", threads=ON_CPU[way]):
                return self._called(*self._host)
        with use_backends("gpu"):
            return self._called(*(self._device if way in ON_DEVICE else self._host))

    def _called(self, args, kwargs):
        return listed(function_called(self.name)(*args, **kwargs))

    def _by_cucim(self, args, kwargs):
        return listed(self._theirs()(*args, **kwargs))

    def _theirs(self):
        """cuCIM's function, or None."""
        module, _, function = self.name.partition(":")
        with contextlib.suppress(ImportError):
            return getattr(importlib.import_module(f"cucim.{module}"), function, None)


def where_run(call, seen):
    """What was seen of each way, with the reason in place of it where scikit-image ran instead."""
    for way, each in seen.items():
        if way.startswith("gpu") and "refused" not in each and (why := call.fallback(way)):
            seen[way] = {"declined": why}
    return seen


def counted(call, way):
    """Launches of a call on the simulator, bytes that its kernels moved, copies to the host.

    With the useful bytes: each image read once and each result written once.
    """
    assert active()
    with counters.counting() as seen:
        result = call.run(way)
    moved = seen.kernel_bytes_read + seen.kernel_bytes_written
    useful = call.bytes_in() + sum(a.nbytes for a in inside(result, cp.ndarray))
    counts = {"launches": seen.launches, "bytes": moved, "to_host": seen.to_host}
    return counts | {"useful": useful}


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
