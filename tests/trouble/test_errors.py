"""Whose error is it? Told by the type, and for Python's own types by where it was raised."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from cuda_simulator import faults
from skimage_gpu_backend import functions, use_backends
from skimage_gpu_backend.availability import as_trouble
from skimage_gpu_backend.plan import Plan

from .failing import ERRORS, Device

pytestmark = pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
IMAGE = ski.data.coins()[:64, :96]


def _raised(run):
    try:
        run()
    except Exception as error:
        return error


@pytest.mark.parametrize("kind", ERRORS)
def test_what_a_library_raises_is_the_devices(kind):
    for make in ERRORS[kind]:
        with faults.observed(Device((kind,), 0, make)):
            error = _raised(lambda: _DO[kind](cp.ones((4, 4))))
        assert type(error) is type(make())
        assert str(error) in as_trouble(error).reason


_DO = {
    "allocation": lambda a: cp.empty(3),
    "managed": lambda a: cp.cuda.malloc_managed(1),
    "pinned": lambda a: cp.cuda.alloc_pinned_memory(1),
    "prefetch": lambda a: cp.cuda.runtime.memPrefetchAsync(0, 0, 0, 0),
    "launch": lambda a: a + 1,
    "to_device": lambda a: a.set(np.ones((4, 4))),
    "to_host": cp.asnumpy,
    "stream": lambda a: cp.cuda.Stream(),
    "event": lambda a: cp.cuda.Event(),
    "wait": lambda a: cp.cuda.get_current_stream().synchronize(),
    "sort": cp.sort,
    "blas": lambda a: a @ a,
    "linalg": cp.linalg.inv,
    "fft": cp.fft.fft2,
    "random": lambda a: cp.random.random(3),
    "sparse": lambda a: _sparse().csr_matrix(a).sum(),
}


def _sparse():
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse


@pytest.mark.parametrize("kind", ["numpy", "cupy"])
@pytest.mark.parametrize("output", [None, "resident"])
@pytest.mark.parametrize("error", [RuntimeError, MemoryError, OSError, NotImplementedError])
def test_an_error_of_a_room_or_of_scikit_image_stays_an_error(monkeypatch, error, output, kind):
    def run(image, **rest):
        cp.sort(image.ravel())
        raise error("boundary mode not supported")

    monkeypatch.setattr(functions, "plan", lambda name, args, kwargs: Plan(run))
    image = IMAGE if kind == "numpy" else cp.asarray(IMAGE)
    with use_backends("gpu", output=output), pytest.raises(error, match="boundary mode"):
        ski.filters.sobel(image)


def test_an_error_of_the_users_function_stays_an_error():
    def coordinates(xy):
        raise RuntimeError("of the user")

    with use_backends("gpu"), pytest.raises(RuntimeError, match="of the user"):
        ski.transform.warp(IMAGE, coordinates)


REAL = """
from importlib import metadata
from skimage_gpu_backend.availability import as_trouble

if not any(name.startswith("cupy-cuda") for name in metadata.packages_distributions()["cupy"]):
    raise SystemExit("CuPy is not installed")
from cupy.cuda import memory, runtime

def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error

for error in (
    runtime.CUDARuntimeError(719),
    memory.OutOfMemoryError(10, 0),
    raised(memory.UnownedMemory, 0, 0, None),
    RuntimeError("of a room"),
    MemoryError("of the host"),
):
    print(as_trouble(error))
"""


@pytest.mark.thorough  # it starts another Python
def test_modules_and_frames_are_those_of_cupy_itself(python):
    done = python("-c", REAL, check=False)
    if "CuPy is not installed" in done.stderr:
        pytest.skip("CuPy is not installed")
    assert done.stdout.splitlines() == [
        "CUDARuntimeError: cudaErrorLaunchFailure: unspecified launch failure",
        "not enough device memory: Out of memory allocating 10 bytes (allocated so far: 0 bytes).",
        "RuntimeError: UnownedMemory requires explicit device ID for a null pointer.",
        "None",
        "None",
    ], done.stderr
