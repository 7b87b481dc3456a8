"""Who runs a call: a backend, the next one, or scikit-image itself."""

import _thread
import queue
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch import registry
from skimage_gpu_backend.trouble import DeviceTrouble

from .conftest import install_backend

pytestmark = pytest.mark.usefixtures("enabled")
IMAGE = np.eye(8)
SOBEL = "skimage.filters:sobel"


@pytest.fixture
def install_pair(install):
    install("first", [SOBEL])
    install("second", [SOBEL, "skimage.filters:scharr"])


class Answers:
    """Stands for a backend of ours that answers as told and records what it was asked."""

    trouble = DeviceTrouble
    reason = "told to"
    key = "told to"
    invalid = False

    def __init__(self, accepts=False, invalid=False, run=None):
        self.accepts, self.invalid, self._run = accepts, invalid, run
        self.asked = []

    def decide(self, name, args, kwargs, selected):
        self.asked.append((name, args, kwargs))
        return self

    def __bool__(self):
        return self.accepts

    def run(self):
        return self._run()


@pytest.fixture
def stand_in(monkeypatch):
    """Put an object in the place of the ``gpu`` backend."""

    def stand_in(backend):
        monkeypatch.setattr(registry, "backend", lambda name: backend)
        return backend

    return stand_in


@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
def test_backends_are_asked_in_the_users_order(order, install_pair):
    with use_backends(*order):
        assert ski.filters.sobel(IMAGE) == f"{order[0]} ran sobel"


def test_variables_give_the_order_too(install_pair, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "second, first")
    assert ski.filters.sobel(IMAGE) == "second ran sobel"
    monkeypatch.setenv("SKIMAGE_BACKENDS", "first, second")
    assert ski.filters.sobel(IMAGE) == "first ran sobel"
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")
    np.testing.assert_array_equal(ski.filters.sobel(IMAGE), ski.filters.sobel(IMAGE.copy()))


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_a_backend_of_another_package_and_gpu_follow_each_other(install, stand_in, monkeypatch):
    install("zebra", [SOBEL])
    find = registry.backend
    ours = Answers(accepts=True, run=lambda: "gpu ran sobel")
    monkeypatch.setattr(registry, "backend", lambda name: ours if name == "gpu" else find(name))
    with use_backends("gpu", "zebra"):
        assert ski.filters.sobel(IMAGE) == "gpu ran sobel"
        ours.accepts = False
        assert ski.filters.sobel(IMAGE) == "zebra ran sobel"
    ours.accepts = True
    with use_backends("zebra", "gpu"):
        assert ski.filters.sobel(IMAGE) == "zebra ran sobel"
        assert ski.filters.sobel(IMAGE, mode="mirror") == "gpu ran sobel"


def test_the_caller_s_own_arguments_arrive(stand_in):
    backend = stand_in(Answers())
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ski.filters.sobel(IMAGE, None, axis=0)
    ((name, args, kwargs),) = backend.asked
    assert name == SOBEL
    assert args[0] is IMAGE
    assert args[1:] == (None,)
    assert kwargs == {"axis": 0}


def test_with_all_declined_scikit_image_runs(install_pair):
    expected = ski.filters.sobel(IMAGE, mode="mirror")
    with use_backends("first", "second"), pytest.warns(DispatchNotification):
        np.testing.assert_array_equal(ski.filters.sobel(IMAGE, mode="mirror"), expected)


def test_a_function_that_returns_none_is_run_once(stand_in):
    stand_in(Answers(accepts=True, run=lambda: None))
    with use_backends("gpu"):
        assert ski.filters.sobel(IMAGE) is None


BROKEN = {
    "can_has": "def can_has(name, *args, **kwargs): raise OSError('disk on fire')",
    "get_implementation": "def get_implementation(name): raise OSError('disk on fire')",
    "info": "def info(): raise OSError('disk on fire')",
    "import": "raise OSError('disk on fire')",
}


@pytest.mark.parametrize("more", BROKEN.values(), ids=BROKEN)
def test_a_backend_that_raises_while_deciding_is_passed_over_by_name(more, install):
    install("broken", [SOBEL], more)
    install("zebra", [SOBEL])
    with use_backends("broken", "zebra"), pytest.warns(DispatchNotification) as told:
        assert ski.filters.sobel(IMAGE) == "zebra ran sobel"
        assert ski.filters.sobel(IMAGE) == "zebra ran sobel"
    assert len(told) == 1
    assert "broken: it failed to decide: OSError: disk on fire" in str(told[0].message)


def test_a_backend_without_info_is_passed_over_by_name(install, tmp_path):
    install("zebra", [SOBEL])
    points = tmp_path / "others" / "backend_zebra-1.0.dist-info" / "entry_points.txt"
    points.write_text("[skimage_backends]\nzebra = backend_zebra\n")
    registry._entry_points.cache_clear()
    with use_backends("zebra"), pytest.warns(DispatchNotification, match="no entry point"):
        assert ski.filters.sobel(IMAGE).shape == IMAGE.shape


def test_an_implementation_s_own_error_reaches_the_user(install):
    more = """
    def get_implementation(name):
        def implementation(*args, **kwargs):
            raise RuntimeError("no such animal")
        return implementation
    """
    install("zebra", [SOBEL], more)
    with use_backends("zebra"), pytest.raises(RuntimeError, match="no such animal"):
        ski.filters.sobel(IMAGE)
    assert ski.filters.sobel(IMAGE).shape == IMAGE.shape


def test_an_implementation_may_call_scikit_image(install):
    more = """
    def get_implementation(name):
        from skimage.filters import sobel
        return sobel
    """
    install("zebra", [SOBEL], more)
    expected = ski.filters.sobel(IMAGE)
    with use_backends("zebra"):
        np.testing.assert_array_equal(ski.filters.sobel(IMAGE), expected)


def test_trouble_of_the_device_ends_on_scikit_image(stand_in):
    def run():
        raise DeviceTrouble("not enough device memory")

    expected = ski.filters.sobel(IMAGE)
    stand_in(Answers(accepts=True, run=run))
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="not enough device memory"):
        np.testing.assert_array_equal(ski.filters.sobel(IMAGE), expected)


def test_arguments_that_scikit_image_refuses_raise_its_error_and_tell_nothing(stand_in):
    stand_in(Answers(invalid=True))
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error", DispatchNotification)
        with pytest.raises(RuntimeError, match="boundary mode not supported"):
            ski.filters.sobel(IMAGE, mode="nonsense")


def test_scikit_image_s_own_calls_stay_on_its_side(stand_in):
    backend = stand_in(Answers())
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ski.feature.canny(IMAGE)  # calls gaussian
        ski.transform.AffineTransform().estimate(IMAGE[:, :2], IMAGE[:, :2])
        [region.area for region in ski.measure.regionprops(np.eye(8, dtype=int))]
    assert {name for name, _, _ in backend.asked} == {
        "skimage.feature:canny",
        "skimage.measure:regionprops",
        "skimage.transform:AffineTransform.estimate",
    }


def test_a_function_that_scikit_image_calls_back_stays_on_its_side(stand_in):
    backend = stand_in(Answers())
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ski.restoration.denoise_invariant(IMAGE, ski.filters.gaussian)
    assert {name for name, _, _ in backend.asked} == {"skimage.restoration:denoise_invariant"}


@pytest.mark.parametrize("run", [map, ThreadPoolExecutor(1).map], ids=["map", "threads"])
def test_calls_through_the_standard_library_are_the_user_s(run, install, monkeypatch):
    install("zebra", [SOBEL])
    monkeypatch.setenv("SKIMAGE_BACKENDS", "zebra")
    assert list(run(ski.filters.sobel, [IMAGE] * 2)) == ["zebra ran sobel"] * 2


def test_a_call_with_no_python_caller_is_the_user_s(install, monkeypatch):
    class Result(queue.SimpleQueue):
        def __array__(self, *args, **kwargs):
            self.put("scikit-image ran")
            return IMAGE

    more = """
    def get_implementation(name):
        return lambda result: result.put("zebra ran")
    """
    install("zebra", [SOBEL], more)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "zebra")
    result = Result()
    _thread.start_new_thread(ski.filters.sobel, (result,))
    assert result.get(timeout=30) == "zebra ran"


def test_threads_that_dispatch_do_not_hinder_each_other(install, monkeypatch):
    """While one thread runs a backend, another thread's calls are still dispatched."""
    more = """
    import threading
    both_inside = threading.Barrier(2)

    def get_implementation(name):
        def implementation(image):
            both_inside.wait(10)
            return "both ran"
        return implementation
    """
    install("zebra", [SOBEL], more)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "zebra")
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(ski.filters.sobel(IMAGE))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["both ran"] * 2


@pytest.mark.thorough
def test_the_two_functions_that_upstream_dispatches_are_dispatched_once(python):
    directory = python.directory / "others"
    directory.mkdir()
    install_backend(directory, "zebra", ["skimage.metrics:mean_squared_error"])
    python.path.append(str(directory))
    program = python.script(
        "import numpy as np, skimage as ski\n"
        "print(ski.metrics.mean_squared_error(np.ones(3), np.ones(3)))\n"
        "import backend_zebra; print(len(backend_zebra.calls))\n"
    )
    upstream = python(program)
    assert upstream.stdout.split("\n")[:2] == ["zebra ran mean_squared_error", "1"]
    assert upstream.stderr.count("DispatchNotification") == 1
    ours = python(program, SKIMAGE_BACKENDS="zebra", SKIMAGE_BACKENDS_NOTIFY="all")
    assert ours.stdout == upstream.stdout
    assert ours.stderr == upstream.stderr
    other = python(program, SKIMAGE_BACKENDS="False")
    assert other.stdout == "0.0\n0\n"
    assert other.stderr == ""


def test_a_later_release_s_own_dispatching_is_left_alone(monkeypatch):
    from skimage.util import _backends

    from skimage_gpu_backend import disable, enable

    disable()
    monkeypatch.setattr(_backends, "set_backends", None, raising=False)

    def plain(image):
        return "plain"

    plain.__module__ = "skimage.metrics.simple_metrics"
    plain.__name__ = plain.__qualname__ = "mean_squared_error"
    monkeypatch.setattr(_backends, "all_backends", lambda: {"zebra": {}})
    wrapper = _backends.dispatchable(plain)
    code = wrapper.__code__
    monkeypatch.setattr(ski.metrics.simple_metrics, "mean_squared_error", wrapper)
    enable()
    assert wrapper.__code__ is code
