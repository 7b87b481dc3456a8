"""Results that are the caller's arrays, or views of them, are so on the device too."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends

IMAGE = np.arange(48.0).reshape(6, 8)


@pytest.fixture(autouse=True)
def _sizes_do_not_matter(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")


@pytest.mark.parametrize(
    "call",
    [
        lambda image: ski.util.view_as_windows(image, 3),
        lambda image: ski.util.view_as_blocks(image, (2, 2)),
        lambda image: ski.util.crop(image, 1),
    ],
    ids=["view_as_windows", "view_as_blocks", "crop"],
)
@pytest.mark.parametrize("layout", ["C", "F", "reversed"])
def test_writing_into_a_view_changes_the_image(call, layout):
    image = cp.asarray(IMAGE)
    if layout == "F":
        image = cp.asarray(IMAGE, order="F")
    elif layout == "reversed":
        image = cp.asarray(IMAGE)[::-1, ::-1]
    with use_backends("gpu"):
        view = call(image)
    view[...] = 0
    assert image[2, 3] == 0


@pytest.mark.parametrize("function", ["img_as_float", "img_as_float64"])
@pytest.mark.parametrize("strided", [False, True])
def test_image_of_the_wanted_dtype_comes_back_itself(function, strided):
    image = cp.asarray(IMAGE)
    image = image.T if strided else image
    with use_backends("gpu"):
        assert getattr(ski.util, function)(image) is image
        assert getattr(ski.util, function)(IMAGE) is IMAGE


def test_forced_copy_is_another_array():
    image = cp.asarray(IMAGE)
    with use_backends("gpu"):
        copy = ski.util.img_as_float(image, force_copy=True)
    assert copy is not image
    copy[...] = 0
    assert image[2, 3] != 0


def test_out_of_any_layout_gets_the_result():
    labels = cp.asarray([[1, 2, 0], [2, 1, 1]])
    keys, values = cp.asarray([1, 2]), cp.asarray([10.0, 20.0])
    out = cp.full((2, 3), -1.0)
    with use_backends("gpu"):
        assert ski.util.map_array(labels, keys, values, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), [[10, 20, 0], [20, 10, 10]])
