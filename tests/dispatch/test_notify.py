"""What the user is told, where, and how often."""

import contextlib
import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.upstream import need_cucim

pytestmark = pytest.mark.usefixtures("enabled")
IMAGE = np.eye(8)


@pytest.fixture
def zebra(install):
    install("zebra", ["skimage.filters:sobel"])
    with use_backends("zebra"):
        yield


def told_by(call, times=1):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(times):
            call()
    told = [w for w in told if w.category is not ski.util.PendingSkimage2Change]
    assert all(w.category is DispatchNotification and w.filename == __file__ for w in told)
    return [str(w.message) for w in told]


def taken():
    ski.filters.sobel(IMAGE)


def not_taken():
    ski.filters.sobel(IMAGE, mode="mirror")


def not_listed():
    ski.filters.prewitt(IMAGE)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(None, (0, 1, 1)), ("fallback", (0, 1, 1)), ("ALL", (3, 3, 3)), ("none", (0, 0, 0))],
)
def test_each_mode_tells_what_it_should(mode, expected, zebra, monkeypatch):
    if mode:
        monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", mode)
    calls = (taken, not_taken, not_listed)
    assert tuple(len(told_by(call, times=3)) for call in calls) == expected


def test_texts_begin_as_upstream_s(zebra, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    (text,) = told_by(taken)
    assert text == (
        "Call to 'skimage.filters:sobel' was dispatched to the 'zebra' backend."
        " Set SKIMAGE_NO_DISPATCHING=1 to disable this."
    )
    (text,) = told_by(not_taken)
    assert text.startswith("Call to 'skimage.filters:sobel' was not dispatched: zebra: declined")
    (text,) = told_by(not_listed)
    assert "'skimage.filters:prewitt' was not dispatched: zebra: does not implement it" in text


def test_every_backend_that_was_asked_gives_its_reason(zebra, install):
    install("yak", ["skimage.filters:prewitt"], "def can_has(*args, **kwargs): return False")
    with use_backends("zebra", "yak"):
        (text,) = told_by(not_listed)
    assert "zebra: does not implement it. yak: declined the call" in text


def test_going_to_the_next_backend_is_told_with_the_reason(zebra, install):
    install("yak", ["skimage.filters:prewitt"])
    with use_backends("zebra", "yak"):
        (text,) = told_by(not_listed, times=2)
    assert "dispatched to the 'yak' backend (zebra: does not implement it)" in text


def test_a_reason_with_sizes_in_it_is_told_once():
    def both():
        ski.color.rgb2lab(np.zeros((4, 4, 3)))
        ski.color.rgb2lab(np.zeros((5, 5, 3)))

    with use_backends("gpu"):
        (text,) = told_by(both)
    assert "gpu: image is 384 bytes; rgb2lab pays off on the GPU from " in text


def test_a_reason_has_the_arguments_of_the_call_in_it_and_is_told_once(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")

    def both():
        for axis in (-1.0, 0.0):
            with contextlib.suppress(TypeError):
                ski.color.deltaE_cie76(np.eye(3), np.eye(3), channel_axis=axis)

    with use_backends("gpu"):
        (text,) = told_by(both)
    assert "gpu: channel_axis=-1.0 is not an integer; give one. Set" in text


def test_a_reason_that_the_data_gives_has_the_arguments_too(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    odd = np.where(IMAGE > 0, np.inf, IMAGE)

    def pair():
        ski.metrics.structural_similarity(odd, odd, data_range=1)

    with use_backends("gpu"), np.errstate(invalid="ignore"):
        (text,) = told_by(pair)
    assert "gpu: im1 and im2 have NaN" in text


def test_backends_that_decline_for_one_reason_are_told_together(monkeypatch):
    need_cucim()
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")

    def in_extended_precision():
        ski.filters.median(IMAGE.astype(np.longdouble), np.ones((1, 1)))

    with use_backends("gpu", "cucim"):
        (text,) = told_by(in_extended_precision)
    assert "gpu and cucim: image has dtype" in text


def test_images_that_no_size_would_bring_to_the_gpu_are_told_to_nobody():
    with use_backends("gpu"):
        assert told_by(lambda: ski.exposure.rescale_intensity(IMAGE, (0, 2))) == []
        assert told_by(lambda: ski.util.img_as_float32(IMAGE)) == []


@pytest.mark.parametrize("kind", [np.zeros, cp.zeros])
@pytest.mark.parametrize("least", ["0", None])
def test_nobody_hears_of_empty_images(kind, least, monkeypatch):
    if least:
        monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", least)

    def on_nothing():
        ski.filters.median(kind((0, 3)))
        ski.transform.integral_image(kind((0, 3)))
        ski.morphology.dilation(kind((0, 3)))

    with use_backends("gpu"), observe() as calls:
        assert told_by(on_nothing) == []
    assert len(calls) == 3
    assert not any(call.backend for call in calls)


def test_the_numbers_of_a_long_list_are_not_told(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")

    def with_lists():
        with contextlib.suppress(AttributeError):
            ski.measure.regionprops(IMAGE.astype(int), [[0.123] * 40] * 40)
        with contextlib.suppress(ValueError):
            ski.segmentation.watershed(IMAGE, list(range(10**9, 10**9 + 40)))

    with use_backends("gpu"):
        texts = told_by(with_lists)
    assert "gpu: intensity_image=<list of 40 items> is not an array; give" in texts[0]
    assert "gpu: markers=<list of 40 items> are neither an array nor" in texts[1]


def test_nothing_selected_tells_nothing():
    assert told_by(taken) == []


def test_a_call_without_a_line_of_the_user_is_told_somewhere(zebra):
    """Out of ``exec`` with bare globals there is no module name."""
    code = compile("sobel(image, mode='mirror')", "bare", "exec")
    with pytest.warns(DispatchNotification) as told:
        exec(code, {"sobel": ski.filters.sobel, "image": IMAGE})
    assert told[0].filename == "bare"
