"""Which calls are taken, and what a user is told of those that are not."""

import re
from pathlib import Path

import cupy as cp
import numpy as np
import pytest
from skimage import filters

from skimage_gpu_backend import interface
from skimage_gpu_backend.catalog import CATALOG, COMPLEX
from skimage_gpu_backend.reasons import with_values

ROOT = Path(__file__).parent.parent
IMAGE = np.zeros((512, 512), np.float32)


@pytest.fixture
def selected(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    return monkeypatch


def gaussian(*args, **kwargs):
    return interface.gpu.decide("skimage.filters:gaussian", args, kwargs)


def test_numpy_is_declined_until_the_backend_is_selected(monkeypatch):
    assert gaussian(IMAGE).reason == "the gpu backend is not selected"
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    assert gaussian(IMAGE)


def test_small_images_are_declined_with_both_sizes(selected):
    """As the documents show it; without a table of this machine the shipped one decides."""
    reason = gaussian(np.zeros((88, 88), np.float32)).reason
    assert re.fullmatch(r"image is 31 kB; gaussian pays off on the GPU from \d+(\.\d)? kB", reason)
    for page in ("README.md", "docs/sizes.md", "docs/fallbacks.md", "docs/tour.md"):
        assert f"gpu: {reason}" in (ROOT / page).read_text(), page


def test_least_size_can_be_set(selected):
    selected.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    assert gaussian(np.zeros((2, 2)))
    for least, told in (("2000000", "2 MB"), ("999999", "1 MB"), ("1500000000", "1.5 GB")):
        selected.setenv("SKIMAGE_BACKENDS_MIN_SIZE", least)
        assert gaussian(np.zeros((8, 8))).reason.endswith(f"; SKIMAGE_BACKENDS_MIN_SIZE is {told}")


def test_sizes_of_all_images_count(selected):
    selected.setenv("SKIMAGE_BACKENDS_MIN_SIZE", str(2 * IMAGE.nbytes))
    assert interface.gpu.decide("skimage.metrics:mean_squared_error", (IMAGE, IMAGE), {})


def test_conversion_can_be_switched_off(selected):
    selected.setenv("SKIMAGE_GPU_CONVERT", "0")
    assert gaussian(IMAGE).reason == "conversion of NumPy arrays is switched off"


def test_cupy_is_taken_selected_or_not():
    assert gaussian(cp.zeros((4, 4)))


def test_cucim_backend_takes_only_where_it_is_named(monkeypatch):
    name = "skimage.metrics:mean_squared_error"
    assert "named" in interface.cucim.decide(name, (cp.zeros((4, 4)),), {}).reason
    monkeypatch.setenv("SKIMAGE_BACKENDS", "True")
    assert "named" in interface.cucim.decide(name, (IMAGE,), {}).reason


@pytest.mark.parametrize("dtype", [np.longdouble, object, "M8[s]"])
def test_dtypes_that_no_gpu_has_are_declined_by_name(selected, dtype):
    reason = gaussian(np.zeros((512, 512), dtype)).reason
    assert reason.startswith(f"image has dtype {np.dtype(dtype)}")


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("skimage.segmentation:morphological_chan_vese", "init_level_set"),
        ("skimage.segmentation:chan_vese", "init_level_set"),
        ("skimage.feature:canny", "mask"),
    ],
)
def test_nor_are_arrays_beside_the_image_taken_with_such_dtypes(selected, name, parameter):
    selected.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    beside = np.ones(IMAGE.shape, np.longdouble)
    args = (IMAGE, 3) if "morph" in name else (IMAGE,)
    decision = interface.gpu.decide(name, args, {parameter: beside})
    assert not decision
    assert decision.reason.startswith(f"{parameter} ")
    assert "astype" in decision.reason


def test_arguments_that_scikit_image_refuses_are_left_to_it(selected):
    for wrong in ({"sigma": -1}, {"sigma": (1, 2, 3)}, {"nonsense": 1}):
        decision = gaussian(IMAGE, **wrong)
        assert not decision
        assert decision.invalid, wrong
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            filters.gaussian(IMAGE, **wrong)


def test_complex_images_are_declined_by_name(selected):
    selected.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    for name in (name for name, row in CATALOG.items() if row.images and name not in COMPLEX):
        first = CATALOG[name].images[0]
        decision = interface.gpu.decide(name, (), {first: IMAGE[:2] + 1j})
        assert decision.reason.startswith(f"{first} has dtype complex64")
        assert not decision.invalid  # some functions take them


def test_functions_without_an_op_say_so(selected):
    decision = interface.gpu.decide("skimage.draw:line", (0, 0, 1, 1), {})
    assert decision.reason == "no kernel for this function"


def test_a_dtype_is_told_by_its_name():
    call = "skimage.transform:integral_image", (np.zeros((3, 3)),), {"dtype": np.float16}
    assert with_values("dtype is odd; give one", *call) == "dtype=float16 is odd; give one"
