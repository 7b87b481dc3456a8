"""What a call warns of is told once: where the graph is built if that tells, else of one chunk."""

import re
import warnings

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.lazy import once

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
IMAGE = rng.random((60, 50))
BYTES = (IMAGE * 200).astype(np.uint8)
ODD_LAB = rng.random((60, 50, 3)) * (20, 400, 400)
AT_ONCE = {  # known from dtypes and arguments
    "rank": (lambda i: ski.filters.rank.mean(i, np.ones((3, 3))), IMAGE),
    "hessian": (ski.feature.hessian_matrix, IMAGE),
    "alpha": (lambda i: ski.color.gray2rgba(i, alpha=0.5), BYTES),
}
OF_VALUES = {
    "lab": (ski.color.lab2rgb, ODD_LAB),
    "ubyte": (ski.util.img_as_ubyte, BYTES.astype(np.int16)),
    "nan": (ski.exposure.rescale_intensity, np.where(IMAGE > 0.99, np.nan, IMAGE)),
    "bins": (lambda i: ski.filters.rank.mean(i, np.ones((3, 3))), BYTES * np.uint16(300)),
    "height": (lambda i: ski.morphology.h_maxima(i, 0.5), BYTES),
    "labels": (ski.morphology.remove_small_objects, (IMAGE > 0.5).astype(int)),
}


@pytest.fixture(autouse=True)
def place(place, monkeypatch):
    monkeypatch.setattr(once, "_told", {})


def texts(told):
    return [re.sub(r"\d+", "0", str(each.message)) for each in told]


def heard(function, image, scheduler):
    """What scikit-image warns of, and what while the graph is built, and when it is computed."""
    found = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        function(image)
        found.append(texts(told))
        told.clear()
        with use_backends("gpu"):
            lazy = function(da.from_array(image, (20, 17, *image.shape[2:])))
        found.append(texts(told))
        told.clear()
        dask.compute(lazy, scheduler=scheduler)
        found.append(texts(told))
    return found


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("name", AT_ONCE)
def test_what_types_tell_is_told_when_the_graph_is_built(name, scheduler):
    expected, built, computed = heard(*AT_ONCE[name], scheduler)
    assert len(expected) == 1
    assert (built, computed) == (expected, [])


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("name", OF_VALUES)
def test_what_values_tell_is_told_of_one_chunk(name, scheduler):
    expected, built, computed = heard(*OF_VALUES[name], scheduler)
    assert len(expected) == 1
    assert (built, computed) == ([], expected)


def test_a_warning_points_at_the_line_that_builds_the_graph():
    image = da.from_array(IMAGE, 20)
    with use_backends("gpu"), pytest.warns(FutureWarning, match="use_gaussian") as told:
        ski.feature.hessian_matrix(image)
    assert told[0].filename == __file__


def test_another_call_is_told_again_and_the_same_one_is_not():
    image = da.from_array(ODD_LAB, (20, 17, 3))
    with warnings.catch_warnings(record=True) as told, use_backends("gpu"):
        warnings.simplefilter("always")
        for count, each in ((1, image), (1, image), (2, image + 1)):
            ski.color.lab2rgb(each).compute(scheduler="synchronous")
            assert len(told) == count


def test_warnings_that_are_errors_end_the_computation():
    image = da.from_array(BYTES.astype(np.int16), 20)
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        lazy = ski.util.img_as_ubyte(image)
        with pytest.raises(UserWarning, match="Downcasting"):
            lazy.compute(scheduler="synchronous")
        with pytest.raises(UserWarning, match="precision loss"):
            ski.filters.rank.mean(da.from_array(IMAGE, 20), np.ones((3, 3)))


def test_nothing_is_left_behind(monkeypatch):
    shown = []

    def show(message, *place, **more):
        shown.append(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        with once.once("a"):
            warnings.warn("7 lines", stacklevel=1)
            warnings.warn("8 lines", stacklevel=1)
            with once.once("b"):
                warnings.warn("9 lines", stacklevel=1)
            warnings.warn("others", stacklevel=1)
        assert warnings.showwarning is show
        with once.once("a", ("unknown",)):
            warnings.warn("6 lines", stacklevel=1)
        warnings.warn("5 lines", stacklevel=1)
    assert shown == ["7 lines", "9 lines", "others", "5 lines"]


def test_few_calls_are_remembered(monkeypatch):
    monkeypatch.setattr(once, "_MOST", 3)
    for call in "abcde":
        with once.once(call):
            pass
    assert list(once._told) == ["c", "d", "e"]
