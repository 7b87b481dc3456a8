"""Methods whose steps are dispatched: scikit-image's code, images that stay on the device."""

import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import methods, use_backends
from skimage_gpu_backend.dispatch.observe import observe

PHOTOS = {
    "camera": ski.data.camera()[100:300, 150:390],
    "coins": ski.data.coins()[:200, :220].astype(np.float32) / 255,
    "text": ski.data.text()[:, :230],
}
AT = np.array([[60, 60], [50, 90], [3, 2], [100, 120]])
DETECTORS = {
    "ORB": (lambda: ski.feature.ORB(n_keypoints=100), "detect_and_extract"),
    "ORB.detect": (lambda: ski.feature.ORB(downscale=1.5, fast_n=12), "detect"),
    "SIFT": (ski.feature.SIFT, "detect_and_extract"),
    "CENSURE": (ski.feature.CENSURE, "detect"),
    "CENSURE of stars": (lambda: ski.feature.CENSURE(mode="STAR"), "detect"),
    "BRIEF": (lambda: ski.feature.BRIEF(patch_size=21), "extract", AT),
}


def kept(name, image):
    """What an object keeps."""
    make, method, *args = DETECTORS[name]
    made = make()
    assert getattr(made, method)(image, *args) is None
    return vars(made)


@pytest.mark.parametrize("photo", PHOTOS)
@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_keypoints_and_descriptors_are_scikit_images(however_small, photo, name, move):
    expected = kept(name, PHOTOS[photo])
    with use_backends("gpu"), observe() as calls:
        found = kept(name, move(PHOTOS[photo]))
    assert {call.source for call in calls} == {None, "kernel"}
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert type(found[key]) is type(value)
        if isinstance(value, np.ndarray):
            assert found[key].dtype == value.dtype
            single = PHOTOS[photo].dtype == np.float32  # what is nearly 0 is divided by
            close = {"rtol": 1e-9, "atol": 1e-9}
            if single:
                close = {"rtol": 1e-4, "atol": 1 if value.dtype.char == "B" else 1e-3}
                value = value.astype(float)
            np.testing.assert_allclose(found[key].astype(float), value, **close, err_msg=key)


def test_octaves_stay_on_the_device(however_small, counting):
    image = ski.util.img_as_float(PHOTOS["camera"])
    with use_backends("gpu"):
        kept("ORB", image)
        with counting() as counts:
            kept("ORB", image)
    # the image for the pyramid, for its corners and for their strength; few numbers else
    assert counts.to_device <= 3.1 * image.nbytes
    assert counts.to_host <= 0.2 * image.nbytes


def test_the_steps_and_the_rest_are_rows_of_a_profile(however_small):
    with skimage_gpu_backend.profile() as profile, use_backends("gpu"):
        kept("ORB", PHOTOS["camera"])
    found = profile.to_dict()
    rows = {(row["function"], row["ran by"]): row for row in found["functions"]}
    assert rows[("feature.corner_harris", "kernel")]["calls"] > 1
    rest = rows[("feature.ORB.detect_and_extract", "scikit-image")]
    seconds = found["totals"]["seconds in scikit-image"]
    assert 0 < rest["seconds"] < seconds < found["totals"]["seconds"]
    (why,) = (each for each in found["fallbacks"] if each["function"].endswith("extract"))
    assert "told by itself" in why["reason"]


def test_an_image_too_small_for_all_steps_is_told_once_of_the_method(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "1000000")

    def told(image):
        with use_backends("gpu"), warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(2):
                kept("ORB.detect", image)
        return [(str(each.message), each.filename) for each in found]

    ((text, place),) = told(PHOTOS["camera"][:30, :30])
    assert "'skimage.feature:ORB.detect' was not dispatched" in text
    assert "SKIMAGE_GPU_MIN_SIZE is 1 MB" in text
    assert place == __file__


def test_nothing_is_dispatched_inside_where_nothing_is_selected(enabled):
    with observe() as calls:
        kept("ORB", PHOTOS["camera"])
    assert [call.name for call in calls] == ["skimage.feature:ORB.detect_and_extract"]
    with observe() as calls:  # arrays on the device select the backend themselves
        kept("ORB", cp.asarray(PHOTOS["camera"]))
    assert "kernel" in {call.source for call in calls}


def test_errors_are_scikit_images(however_small):
    with use_backends("gpu"), pytest.raises(ValueError, match="must be a 2-dimensional array"):
        ski.feature.ORB().detect(np.ones(3))
    with use_backends("gpu"), pytest.raises(RuntimeError, match="found no features"):
        ski.feature.ORB().detect_and_extract(np.zeros((60, 60)))


def test_the_table_names_modules_that_there_are():
    names = {name.rpartition(".")[0].partition(":")[2] for name in methods.BY_STEPS}
    assert {getattr(ski.feature, name).__module__ for name in names} == set(methods.STEPS_OF)
