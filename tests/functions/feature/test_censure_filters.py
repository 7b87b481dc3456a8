"""CENSURE's octagons and stars on the device: SciPy's bits."""

import cupy as cp
import numpy as np
import pytest
from scipy import ndimage
from skimage import data, feature

from skimage_gpu_backend import functions, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.plan import Declined, Invalid
from tests.upstream import upstream

NAME = "skimage.feature.censure:convolve"
censure = upstream("feature.censure")
OCTAGONS = zip(censure.OCTAGON_OUTER_SHAPE, censure.OCTAGON_INNER_SHAPE, strict=True)
STARS = [[censure.STAR_SHAPE[each] for each in pair] for pair in censure.STAR_FILTER_SHAPE]
WEIGHTS = [
    *(censure._octagon_kernel(*outer, *inner) for outer, inner in OCTAGONS),
    *(censure._star_kernel(*pair) for pair in STARS[:6]),
]


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda weights: str(len(weights)))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_responses_have_scipys_bits(weights, dtype):
    image = np.random.default_rng(0).random((49, 53)).astype(dtype)
    plan = functions.plan(NAME, (image, weights), {})
    assert plan.cost[0] == 1
    found = plan.run(input=cp.asarray(image))
    np.testing.assert_array_equal(found, ndimage.convolve(image, weights), strict=True)


def test_what_is_left_to_scipy():
    image = np.zeros((9, 9))
    for wrong in ((image[0], np.ones((3, 3))), (image, np.ones((2, 3))), (image > 0, np.eye(3))):
        with pytest.raises(Invalid):
            functions.plan(NAME, wrong, {})
    with pytest.raises(Declined, match="smaller"):
        functions.plan(NAME, (image, np.ones((11, 11))), {})


@pytest.mark.parametrize("mode", ["Octagon", "STAR"])
def test_keypoints_and_scales_of_a_photograph(however_small, counting, mode):
    image = data.coins()[:140, :160] / 255
    weak = np.float64(0.05)  # of which the method's room leaves the object to steps
    found, expected = (feature.CENSURE(mode=mode, non_max_threshold=weak) for _ in range(2))
    expected.detect(image)
    with use_backends("gpu"), counting() as counts, observe() as calls:
        found.detect(image)
    names = [call.name for call in calls if call.source]
    assert names.count(NAME) == 7  # scales
    assert counts.bytes_to_device <= image.nbytes + 300_000  # once; the rest are weights
    assert len(expected.keypoints) > 10
    np.testing.assert_array_equal(found.keypoints, expected.keypoints, strict=True)
    np.testing.assert_array_equal(found.scales, expected.scales, strict=True)
