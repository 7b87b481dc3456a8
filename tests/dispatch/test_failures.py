"""A mistake of this package does not end a user's program: scikit-image runs the call."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import functions, interface, use_backends
from skimage_gpu_backend.device.launches import Launches
from skimage_gpu_backend.plan import Plan

pytestmark = pytest.mark.usefixtures("enabled")
IMAGE = np.random.default_rng(0).random((50, 60)).astype(np.float32)


@pytest.fixture(autouse=True)
def _every_size(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


def of_the_package(source, **names):
    """The function `made` of a source, as if a module of the package defined it."""
    names["__name__"] = "skimage_gpu_backend.functions.mistaken"
    exec(source, names)
    return names["made"]


fails = of_the_package("def made(*args, **kwargs): raise AttributeError('a mistake')")


@pytest.fixture(params=["decide", "plan", "run", "launch"])
def mistake(request, monkeypatch):
    """A mistake at one step of a call, which is in the reason."""
    if request.param == "decide":
        monkeypatch.setattr(interface, "decide", fails)
    elif request.param == "plan":
        monkeypatch.setattr(functions, "find", lambda name: fails)
    elif request.param == "run":
        monkeypatch.setattr(functions, "plan", lambda *call: Plan(fails))
    else:
        monkeypatch.setattr(Launches, "__call__", fails)
    return "a mistake"


@pytest.mark.parametrize("kind", [np.asarray, cp.asarray])
def test_scikit_image_runs_the_call_with_a_notification(mistake, mistakes, kind):
    expected = ski.filters.sobel(IMAGE)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match=mistake) as told:
        result = ski.filters.sobel(kind(IMAGE))
        ski.filters.sobel(kind(IMAGE))
    assert type(result) is type(kind(IMAGE))
    np.testing.assert_array_equal(cp.asnumpy(result), expected)
    assert len(told) == 1
    assert mistakes
    mistakes.clear()


@pytest.mark.parametrize("kind", [np.array, cp.array])
def test_a_mistake_leaves_out_to_scikit_image(mistakes, monkeypatch, kind):
    halfway = of_the_package(
        "def made(image, out):\n out[:20] = 7\n raise AttributeError('a mistake')"
    )
    monkeypatch.setattr(functions, "plan", lambda *call: Plan(halfway))
    out = kind(np.zeros_like(IMAGE))
    with use_backends("gpu"), pytest.warns(DispatchNotification):
        assert ski.filters.gaussian(kind(IMAGE), 2, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), ski.filters.gaussian(IMAGE, 2))
    mistakes.clear()


def test_scikit_images_own_error_is_raised_without_a_notification(recwarn, monkeypatch):
    monkeypatch.setattr(functions, "plan", lambda *call: Plan(fails))
    with use_backends("gpu"), pytest.raises(RuntimeError, match="mode"):
        ski.filters.sobel(IMAGE, mode="nonsense")
    assert not [w for w in recwarn if w.category is DispatchNotification]


class Mine(Exception):
    """The user's own."""


def raises(*args, **kwargs):
    raise Mine


def measured(region):
    raise Mine


@pytest.mark.parametrize(
    "call",
    [
        lambda kind: ski.transform.warp(kind(IMAGE), raises),
        lambda kind: ski.restoration.cycle_spin(kind(IMAGE), raises, 1),
        lambda kind: ski.restoration.denoise_invariant(kind(IMAGE), raises),
        lambda kind: ski.measure.ransac(
            kind(IMAGE[:, :2]), ski.measure.LineModelND, 2, 1, is_data_valid=raises
        ),
        lambda kind: ski.measure.ransac(
            kind(IMAGE[:, :2]), ski.measure.LineModelND, 2, 1, is_model_valid=raises
        ),
        lambda kind: ski.segmentation.morphological_chan_vese(kind(IMAGE), 2, iter_callback=raises),
        lambda kind: ski.filters.filter_forward(kind(IMAGE), raises),
        lambda kind: ski.measure.regionprops_table(
            kind(np.ones((9, 9), int)), properties=("measured",), extra_properties=[measured]
        ),
        lambda kind: (
            ski.measure.regionprops(kind(np.ones((9, 9), int)), extra_properties=[measured])[
                0
            ].measured
        ),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, cp.asarray])
def test_an_exception_of_a_users_function_is_the_users(call, kind, recwarn):
    with use_backends("gpu"), pytest.raises(Mine):
        call(kind)
    assert not [w for w in recwarn if "failed" in str(w.message)]


def test_a_users_function_that_raises_is_called_once(however_small):
    calls = []

    def once(coordinates):
        calls.append(1)
        raise Mine

    with use_backends("gpu"), pytest.raises(Mine):
        ski.transform.warp(IMAGE, once)
    assert len(calls) == 1


def test_arrays_of_two_kinds_are_still_refused():
    with use_backends("gpu"), pytest.raises(TypeError, match="give arrays of one kind"):
        ski.metrics.mean_squared_error(IMAGE, cp.asarray(IMAGE))


def test_a_generator_goes_on_after_a_mistake(mistakes, monkeypatch):
    expected = list(ski.transform.pyramid_gaussian(IMAGE, max_layer=3))
    plan = functions.plan

    def broken(*call):
        run = of_the_package(
            "def made(**arrays):\n"
            " for number, level in enumerate(levels(**arrays)):\n"
            "  if number == 2:\n   raise AttributeError('a mistake')\n"
            "  yield level",
            levels=plan(*call).run,
        )
        return Plan(run)

    monkeypatch.setattr(functions, "plan", broken)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="a mistake"):
        levels = list(ski.transform.pyramid_gaussian(IMAGE, max_layer=3))
    assert len(levels) == len(expected)
    for level, wanted in zip(levels, expected, strict=True):
        np.testing.assert_allclose(level, wanted, rtol=1e-5, atol=1e-6)
    mistakes.clear()


def test_keyboard_interrupts_are_not_caught(monkeypatch):
    def interrupted(**arrays):
        raise KeyboardInterrupt

    monkeypatch.setattr(functions, "plan", lambda *call: Plan(interrupted))
    with use_backends("gpu"), pytest.raises(KeyboardInterrupt):
        ski.filters.sobel(IMAGE)


def test_another_dispatcher_gets_scikit_images_result_too(mistakes, monkeypatch):
    monkeypatch.setattr(functions, "plan", lambda *call: Plan(fails))
    expected = ski.filters.sobel(IMAGE)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="a mistake"):
        result = interface.gpu.get_implementation("skimage.filters:sobel")(IMAGE)
    np.testing.assert_array_equal(result, expected)


def test_the_traceback_is_logged(mistakes, monkeypatch):
    monkeypatch.setattr(functions, "plan", lambda *call: Plan(fails))
    with use_backends("gpu"), pytest.warns(DispatchNotification):
        ski.filters.sobel(IMAGE)
    (logged,) = mistakes
    assert "skimage.filters:sobel failed" in logged
    assert "AttributeError: a mistake" in logged
    mistakes.clear()
