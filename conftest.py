"""Chooses the device under test: a GPU if there is one, else the simulator.

`SKIMAGE_GPU_SIMULATOR=1` takes the simulator on a machine with a GPU too. The header of
the run says which device it was.
"""

import gc
import os
import shutil
import tempfile

import numpy as np
import pytest

import cuda_simulator
from skimage_gpu_backend.availability import choose_device


def pytest_configure(config):
    for variable in _SELECTION:
        os.environ.pop(variable, None)
    # no table of sizes that was measured on this machine decides in the tests
    os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="skimage-gpu-backend-tests-")
    # many kernels are compiled, to run on small images
    os.environ.setdefault("CUDA_SIMULATOR_OPTIMIZE", "0")
    choose_device()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """A run of all tests takes two processes, unless it is told how many."""
    if hasattr(config, "workerinput"):
        return  # one of these processes
    of_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if of_all and config.option.numprocesses is None and not config.option.usepdb:
        config.option.numprocesses, config.option.dist = 2, "worksteal"


def pytest_collection_finish():
    # tens of thousands of tests are not looked through each time that memory is given back
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):
    shutil.rmtree(os.environ["XDG_CONFIG_HOME"], ignore_errors=True)


_SELECTION = (
    "SKIMAGE_BACKENDS",
    "SKIMAGE_DISPATCHING",
    "SKIMAGE_BACKEND_PRIORITY",
    "SKIMAGE_NO_DISPATCHING",
    "SKIMAGE_BACKENDS_MIN_SIZE",
    "SKIMAGE_GPU_CONVERT",
    "SKIMAGE_BACKENDS_NOTIFY",
    "SKIMAGE_GPU_RESIDENT",
)


def pytest_report_header():
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"]
    name = name.decode() if isinstance(name, bytes) else name
    mode = os.environ.get("CUDA_SIMULATOR_MODE", "fast")
    return f"device under test: {name}" + (f" ({mode} mode)" if cuda_simulator.active() else "")


class Gpu:
    """Runs scikit-image functions with our kernels on the device, as a user would get them.

    The expected value is what the test gets from scikit-image itself: outside of these
    calls nothing is selected, so it runs on the CPU.
    """

    def __call__(self, function, *args, **kwargs):
        """Result for NumPy arrays; the test fails if the call is declined."""
        decision = self._decide(function, args, kwargs)
        assert decision, f"declined: {decision.reason}"
        return decision.run()

    def cupy(self, function, *args, **kwargs):
        """Result for CuPy arrays, which must be CuPy arrays, as NumPy arrays."""
        import cupy as cp

        from skimage_gpu_backend.adapt.values import replace

        def on_device(value):
            return cp.asarray(value) if type(value) is np.ndarray else value

        result = self(
            function,
            *(replace(x, on_device) for x in args),
            **{key: replace(x, on_device) for key, x in kwargs.items()},
        )

        def checked(value):
            is_numpys = (
                type(value) is np.ndarray and value.dtype.kind not in "OV"
            )  # no device has these
            assert not is_numpys, "a NumPy array came back for a CuPy one"
            return cp.asnumpy(value) if isinstance(value, cp.ndarray) else value

        return replace(result, checked)

    def declined(self, function, *args, **kwargs):
        """Reason for which the call is declined; the test fails if it is taken."""
        decision = self._decide(function, args, kwargs)
        assert not decision, "taken"
        return decision.reason

    def invalid(self, function, *args, **kwargs):
        """Whether the call is left to scikit-image to refuse."""
        return self._decide(function, args, kwargs).invalid

    def _decide(self, function, args, kwargs):
        from skimage_gpu_backend import interface

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SKIMAGE_BACKENDS", "gpu")
            patch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
            return interface.gpu.decide(public_name(function), args, kwargs)


def public_name(function):
    """Name of a scikit-image function in the catalog."""
    from skimage_gpu_backend.catalog import CATALOG

    (name,) = (n for n in CATALOG if n.endswith(f":{function.__name__}") and _is(n, function))
    return name


def _is(name, function):
    from skimage_gpu_backend.scikit_image import function_called
    from skimage_gpu_backend.upstream.layout import copied_from

    called = function_called(name)
    return function is called or function is copied_from(called)


@pytest.fixture(scope="session")
def gpu():
    """Callable that runs a scikit-image function on the device under test."""
    return Gpu()


@pytest.fixture(params=["numpy", "cupy"])
def gpu_of_each_kind(request, gpu):
    """`gpu` for NumPy arrays and for CuPy arrays in turn."""
    return gpu if request.param == "numpy" else gpu.cupy


@pytest.fixture
def counting():
    """Context manager that counts launches, bytes, copies and allocations.

    Only the simulator counts; a run on a GPU leaves the budgets to it.
    """
    if not cuda_simulator.active():
        pytest.skip("launches and bytes are counted on the simulator")
    from cuda_simulator import counters

    return counters.counting
