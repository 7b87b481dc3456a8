"""The loops of BRIEF and ORB on the device: scikit-image's bits."""

import inspect

import cupy as cp
import numpy as np
import pytest
from skimage import data, feature

from skimage_gpu_backend import functions, use_backends
from skimage_gpu_backend.catalog import STEPS
from skimage_gpu_backend.plan import Declined, Invalid
from skimage_gpu_backend.scikit_image import signature
from tests.upstream import upstream

_brief_loop = upstream("feature.brief_cy")._brief_loop
_orb_loop = upstream("feature.orb_cy")._orb_loop

RNG = np.random.default_rng(0)
BRIEF, ORB = "skimage.feature.brief:_brief_loop", "skimage.feature.orb:_orb_loop"
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def image_of(dtype, shape=(70, 90)):
    return RNG.integers(0, 9, shape).astype(dtype) / 8  # with ties


def run(name, image, *args):
    return functions.plan(name, (image, *args), {}).run(image=cp.asarray(image))


@dtypes
@pytest.mark.parametrize("count", [1, 33, 200])
def test_orbs_pairs_at_turned_places(dtype, count):
    image = image_of(dtype)
    keypoints = np.stack([RNG.integers(20, n - 19, count) for n in image.shape], axis=1)
    keypoints[0] = 20, 71  # as near to the border as the method lets it
    angles = RNG.uniform(-np.pi, np.pi, count)
    angles[::3] = RNG.integers(-4, 5, len(angles[::3])) * np.pi / 4  # places that lie halfway
    angles = angles.astype(dtype)
    expected = _orb_loop(image, keypoints, angles)
    found = run(ORB, image, keypoints, angles)
    np.testing.assert_array_equal(found, expected, strict=True)


@dtypes
@pytest.mark.parametrize("pairs", [1, 256])
def test_briefs_pairs_also_through_the_end_of_a_row(dtype, pairs):
    image = image_of(dtype)
    keypoints = np.stack([RNG.integers(9, n - 9, 50) for n in image.shape], axis=1)
    keypoints[:2] = [[9, 9], [40, 88]]
    places = RNG.integers(-8, 9, (2, pairs, 2)).astype(np.int32)
    expected = np.zeros((50, pairs), np.uint8)
    _brief_loop(image, expected, keypoints, *places)
    found = cp.full((50, pairs), 7, cp.uint8)
    plan = functions.plan(BRIEF, (image, found, keypoints, *places), {})
    assert plan.cost[0] == 1
    plan.run(image=cp.asarray(image), out=found)
    np.testing.assert_array_equal(found.get(), expected, strict=True)


def test_no_memory_is_read_beside_the_image():
    image, far = np.ones((30, 30)), np.array([[0, 0], [29, 29], [2**60, 2**60], [-(2**40), 5]])
    assert not run(ORB, image, far, np.full(4, 0.3))[2:].any()


def test_what_the_loops_refuse_and_what_they_cannot_tell():
    image, keypoints, angles = image_of(np.float64), np.full((2, 2), 30), np.zeros(2)
    for wrong in (
        (image.astype(np.float16), keypoints, angles),
        (image.T, keypoints, angles),
        (image, keypoints.astype(np.int32), angles),
        (image, keypoints, angles.astype(np.float32)),
        (image, keypoints[:1], angles),
    ):
        with pytest.raises(Invalid):
            functions.plan(ORB, wrong, {})
    with pytest.raises(Declined, match="not finite"):
        functions.plan(ORB, (image, keypoints, angles + np.nan), {})
    with pytest.raises(Declined, match="empty"):
        functions.plan(ORB, (image, keypoints[:0], angles[:0]), {})
    places = np.zeros((4, 2), np.int32)
    for out, pos0, pos1 in (
        (np.zeros((2, 3), np.uint8), places, places),
        (np.zeros((2, 4), bool), places, places),
        (np.zeros((2, 4), np.uint8), places, places.astype(np.int64)),
        (np.zeros((2, 4), np.uint8), places, places[:3]),
    ):
        with pytest.raises(Invalid):
            functions.plan(BRIEF, (image, out, keypoints, pos0, pos1), {})


@pytest.mark.parametrize("name", STEPS)
def test_the_table_has_the_parameters_of_the_room(name):
    ours = list(inspect.signature(functions.find(name)).parameters)
    assert list(signature(name).parameters) == ours
    assert {*STEPS[name].images, *STEPS[name].beside} <= set(ours)


@pytest.mark.parametrize("mode", ["normal", "uniform"])
@pytest.mark.parametrize("size", [64, 256])
def test_descriptors_of_every_way_to_draw_places(however_small, mode, size):
    image, at = data.camera()[:100, :120], np.array([[30, 30], [50, 70], [60, 91], [0, 0]])
    made = [feature.BRIEF(size, mode=mode, rng=1) for _ in range(2)]
    made[0].extract(image, at)
    with use_backends("gpu"):
        made[1].extract(image, at)
    np.testing.assert_array_equal(made[1].descriptors, made[0].descriptors, strict=True)
    np.testing.assert_array_equal(made[1].mask, made[0].mask)
