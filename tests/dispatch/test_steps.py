"""Methods whose steps are dispatched: scikit-image's code, images that stay on the device."""

import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import methods, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.upstream import upstream

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
    method = f"skimage.feature:{name.split()[0]}.{DETECTORS[name][1]}"
    assert {call.source for call in calls} == (
        {"kernel"} if method in methods.IN_ROOMS else {None, "kernel"}
    )
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


@pytest.mark.parametrize("name", ["ORB", "CENSURE", "BRIEF"])
@pytest.mark.parametrize("as_float", [False, True], ids=["uint8", "float64"])
def test_an_image_is_copied_once_and_stays_on_the_device(however_small, counting, name, as_float):
    image = PHOTOS["camera"].copy()
    image = ski.util.img_as_float(image) if as_float else image
    with use_backends("gpu"):
        kept(name, image)
        with counting() as counts:
            kept(name, image)
    # keypoints and places beside it; with float images each step had it copied: 4 times, 6, once
    few = 150_000
    assert image.nbytes <= counts.bytes_to_device <= image.nbytes + few
    if name != "ORB":  # descriptors and keypoints; of ORB the host reads responses
        assert counts.bytes_to_host <= few


def test_an_image_of_the_device_does_not_cross(however_small, counting):
    image = cp.asarray(ski.util.img_as_float(PHOTOS["camera"]))
    with counting() as counts:
        kept("BRIEF", image)
    assert max(counts.bytes_to_host, counts.bytes_to_device) <= 0.1 * image.nbytes


def test_an_image_that_no_step_takes_is_not_copied(enabled, counting, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "1000000")
    with use_backends("gpu"), counting() as counts:
        kept("BRIEF", PHOTOS["camera"])
    assert (counts.to_device, counts.launches) == (0, 0)


def test_the_callers_image_is_as_it_was_and_read_only_stays_read_only(however_small):
    image = ski.util.img_as_float(PHOTOS["camera"])
    image.flags.writeable = False
    before = image.copy()
    with pytest.raises(ValueError, match="read-only"):
        kept("ORB", image)
    with use_backends("gpu"), pytest.raises(ValueError, match="read-only"):
        kept("ORB", image)
    np.testing.assert_array_equal(image, before)


@pytest.mark.parametrize("layout", ["F", "repeated"])
def test_read_only_images_that_scikit_image_copies_are_taken(however_small, layout):
    image = ski.util.img_as_float(PHOTOS["camera"])
    image = image.copy("F") if layout == "F" else np.broadcast_to(image[:1], image.shape)
    image.flags.writeable = False
    expected = extracted(image)
    with use_backends("gpu"):
        np.testing.assert_array_equal(extracted(image), expected)


def extracted(image):
    made = ski.feature.ORB()
    made.extract(image, AT.astype(float), np.ones(len(AT)), np.zeros(len(AT)))
    return made.descriptors


def test_private_loops_are_answered_inside_of_methods_alone(enabled, monkeypatch):
    orb, orb_cy = upstream("feature.orb"), upstream("feature.orb_cy")
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    image, at = ski.util.img_as_float(PHOTOS["camera"]), AT[:1]
    with use_backends("gpu"), observe() as calls:
        orb._orb_loop(image, at, np.zeros(1))
        kept("ORB", image)
    names = [call.name for call in calls]
    assert names[0] == "skimage.feature:ORB.detect_and_extract"
    loops = {call.source for call in calls if call.name == "skimage.feature.orb:_orb_loop"}
    assert "kernel" in loops
    assert orb._orb_loop.__wrapped__ is orb_cy._orb_loop
    skimage_gpu_backend.disable()
    assert orb._orb_loop is orb_cy._orb_loop


def test_an_override_of_a_users_class_is_kept(however_small):
    class Mine(ski.feature.ORB):
        def _extract_octave(self, image, keypoints, orientations):
            descriptors, mask = super()._extract_octave(image, keypoints, orientations)
            return 1 - descriptors, mask

    expected = kept("ORB", PHOTOS["camera"])["descriptors"]
    mine = Mine(n_keypoints=100)
    with use_backends("gpu"):
        mine.detect_and_extract(PHOTOS["camera"])
    np.testing.assert_array_equal(mine.descriptors, ~expected)


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
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "1000000")

    def told(image):
        with use_backends("gpu"), warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(2):
                kept("ORB.detect", image)
        return [(str(each.message), each.filename) for each in found]

    ((text, place),) = told(PHOTOS["camera"][:30, :30])
    assert "'skimage.feature:ORB.detect' was not dispatched" in text
    assert "SKIMAGE_BACKENDS_MIN_SIZE is 1 MB" in text
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
