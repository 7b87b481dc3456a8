"""The backend ``cpu``: memory, layouts and faults of its calls."""

from types import FunctionType

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.devices.cpu.kernels import Kernel
from skimage_gpu_backend.dispatch.observe import observe
from tests.differential.check import WRITE, by_position, inside, made
from tests.differential.sweeps import SWEEPS

pytestmark = pytest.mark.usefixtures("however_small")

IMAGE = np.random.default_rng(0).random((30, 41))


def on_cpu(function, *args, **kwargs):
    """Result of a call that the backend runs."""
    with use_backends("cpu"), observe() as calls:
        result = function(*args, **kwargs)
    assert [call.backend for call in calls] == ["cpu"], calls[0].declined
    return result


def arrays_in(value):
    return inside([value], np.ndarray)


def _is_taken(sweep):
    """Whether the CPU takes the standard call, which leaves its arguments as they are."""
    is_for_numpy = bool(CATALOG[sweep.name].images) and "numpy" in sweep.kinds
    return is_for_numpy and sweep.name not in WRITE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS if _is_taken(s)])
def test_results_share_no_memory(sweep):
    """Neither with the call's arguments, unless scikit-image returns these, nor with each other."""
    name = sweep.name
    args, kwargs = by_position(name, arguments := made(sweep.call))
    with use_backends("cpu"):
        results = [interface.cpu.decide(name, args, kwargs).run() for _ in range(2)]
    given = arrays_in(arguments)
    for first, second in zip(*map(arrays_in, results), strict=True):
        if not any(first is each for each in given):
            assert not any(np.may_share_memory(first, each) for each in (*given, second))
    for after, before in zip(given, arrays_in(made(sweep.call)), strict=True):
        np.testing.assert_array_equal(after, before, err_msg="an argument was changed")


@pytest.mark.parametrize(
    "layout", ["strided", "backwards", "Fortran", "other byte order", "unaligned", "read-only"]
)
def test_images_of_any_layout_are_read(layout):
    given = {
        "strided": np.repeat(np.repeat(IMAGE, 2, 0), 3, 1)[::2, ::3],
        "backwards": IMAGE[::-1, ::-1].copy()[::-1, ::-1],
        "Fortran": np.asfortranarray(IMAGE),
        "other byte order": IMAGE.astype(IMAGE.dtype.newbyteorder()),
        "unaligned": _unaligned(IMAGE),
        "read-only": IMAGE.copy(),
    }[layout]
    given.flags.writeable = False
    for function in (ski.filters.gaussian, ski.filters.median, ski.transform.integral_image):
        expected = function(IMAGE)
        for _ in range(3):
            np.testing.assert_allclose(on_cpu(function, given), expected, rtol=0, atol=1e-10)


def _unaligned(image):
    memory = np.zeros(image.nbytes + 1, np.uint8)
    array = np.frombuffer(memory[1:].data, image.dtype).reshape(image.shape)
    array[...] = image
    return array


@pytest.mark.parametrize("function", [ski.filters.gaussian, ski.morphology.erosion])
@pytest.mark.parametrize("overlap", ["itself", "partly"])
def test_out_may_overlap_the_image(function, overlap):
    memory = np.random.default_rng(0).random((31, 41))
    image, out = memory[:-1], memory[:-1] if overlap == "itself" else memory[1:]
    expected = function(image.copy())
    assert on_cpu(function, image, out=out) is out
    np.testing.assert_allclose(out, expected, atol=1e-12)


def as_ours(function):
    """The function as one of the package: what its frame raises is no error of the user's."""
    named = {**function.__globals__, "__name__": Kernel.__module__}
    return FunctionType(function.__code__, named, closure=function.__closure__)


@pytest.fixture
def fails_at():
    """Have a launch fail, counted from 0; returns the list of kernels that were launched."""

    def fails_at(number):
        monkeypatch.undo()
        launched, launch = [], Kernel.__call__

        def failing(self, *args):
            launched.append(self)
            if len(launched) > number:
                raise RuntimeError
            return launch(self, *args)

        monkeypatch.setattr(Kernel, "__call__", as_ours(failing))
        return launched

    with pytest.MonkeyPatch.context() as monkeypatch:
        yield fails_at


WRITING = {
    "gaussian": (lambda a: ski.filters.gaussian(a, 2, out=a), IMAGE),
    "opening": (lambda a: ski.morphology.opening(a, out=a), IMAGE),
    "remove_small_objects": (
        lambda a: ski.morphology.remove_small_objects(a, max_size=9, out=a),
        IMAGE > 0.6,
    ),
}


@pytest.mark.parametrize("name", WRITING)
def test_what_fails_halfway_leaves_arrays_to_scikit_image(name, fails_at, mistakes):
    """Wherever a call that writes into an array fails, scikit-image finds the array as it was."""
    function, values = WRITING[name]
    expected = values.copy()
    with use_backends():
        function(expected)
    for number in range(99):
        given = values.copy()
        launched = fails_at(number)
        with use_backends("cpu"):
            function(given)
        np.testing.assert_allclose(given, expected, atol=1e-12, err_msg=f"launch {number}")
        if len(launched) <= number:
            break
    assert number == len(mistakes) > 0
    mistakes.clear()


def test_a_fault_while_results_are_written_is_scikit_images_too(monkeypatch, mistakes):
    given, expected = IMAGE.copy(), ski.filters.gaussian(IMAGE, 2)
    real = np.copyto

    def fails(*args, **kwargs):
        monkeypatch.setattr(np, "copyto", real)
        raise RuntimeError

    monkeypatch.setattr(np, "copyto", as_ours(fails))
    with use_backends("cpu"):
        ski.filters.gaussian(given, 2, out=given)
    np.testing.assert_allclose(given, expected, atol=1e-12)
    assert len(mistakes) == 1
    mistakes.clear()
