"""Methods are rows of a profile, and what nobody watches of scikit-image is one line."""

import threading
import time

import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.profiling import outside
from skimage_gpu_backend.profiling.profile import Profile

pytestmark = pytest.mark.usefixtures("enabled")
IMAGE = ski.data.camera()[128:256, 160:320]


@pytest.fixture(autouse=True)
def untold(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")


def test_a_program_with_methods_has_their_time_and_reasons():
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        ski.filters.LPIFilter2D(lambda r, c: np.exp(-(r**2 + c**2)))(IMAGE)
        points = np.random.default_rng(0).random((9, 2))
        ski.transform.AffineTransform.from_estimate(points, points)
    found = p.to_dict()
    rows = {row["function"]: row for row in found["functions"]}
    names = ["filters.LPIFilter2D.__call__", "transform.AffineTransform.from_estimate"]
    assert sorted(rows) == sorted(names)
    for name in names:
        assert (rows[name]["calls"], rows[name]["ran by"]) == (1, "scikit-image")
        assert rows[name]["seconds"] > 0
    reasons = {row["function"]: row["reason"] for row in found["fallbacks"]}
    assert "the call pays off on the GPU from" in reasons[names[0]]
    assert reasons[names[1]].endswith("; nothing to change")
    assert found["totals"]["seconds outside of calls"] < 0.5 * found["totals"]["seconds"]
    assert found["advice"] == []
    assert names[0] in str(p)


def test_nothing_is_advised_for_methods_without_gpu_version_where_nothing_is_selected():
    with skimage_gpu_backend.profile() as p:
        ski.feature.ORB(n_keypoints=20).detect_and_extract(IMAGE)
    assert p.to_dict()["advice"] == []


def test_attributes_of_regions_are_the_line_below():
    labels = np.kron(np.arange(1, 401).reshape(20, 20), np.ones((40, 40), int))
    regions = ski.measure.regionprops(labels)
    with skimage_gpu_backend.profile() as p:
        for region in regions:
            region.area_convex  # noqa: B018
        watched = ski.filters.gaussian(np.ones((256, 256)), 20)
    assert watched.shape == (256, 256)
    assert "skimage.measure.RegionProperties.area_convex" in p.outside
    assert not any("gaussian" in name for name in p.outside)
    assert p.to_dict()["totals"]["seconds outside of calls"] == sum(p.outside.values())
    told = " ".join(str(p).split())
    assert "Outside of these calls scikit-image took about" in told
    assert "measure.RegionProperties.area_convex: it is not dispatched" in told


def test_without_time_outside_there_is_no_line():
    with skimage_gpu_backend.profile() as p:
        ski.filters.sobel(IMAGE)
        time.sleep(0.03)
    assert "Outside" not in str(p)


def test_time_outside_is_added_up_over_profiles():
    both, one = Profile(), Profile()
    one.outside = {"skimage.io.imread": 0.5}
    for _ in range(2):
        both.merge(Profile.from_plain(one.to_plain()))
    assert both.outside == {"skimage.io.imread": 1.0}


def test_the_thread_that_looks_ends_with_the_last_profile():
    def looking():
        return [each for each in threading.enumerate() if isinstance(each, outside.Sampler)]

    with skimage_gpu_backend.profile(), skimage_gpu_backend.profile():
        (sampler,) = looking()
    sampler.join(5)
    assert looking() == []
