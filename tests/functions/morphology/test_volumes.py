"""A volume of 256 x 256 x 256 voxels through every function that takes volumes.

Max-trees, what is filtered by them, and hulls get an eighth of it: for all of it scikit-image alone
takes more than five minutes each, some 20 s for a million voxels of a tree, and a tenth of a second
for a million voxels and each side of a hull. `reconstruction` itself is in test_reconstruction.
"""

from functools import partial

import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import morphology

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("one_at_a_time")]

SIDE = 256
FLAT = ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
ISOTROPIC = [f"isotropic_{name}" for name in FLAT[:4]]
CALLS = {
    **{name: {"footprint": morphology.ball(2)} for name in FLAT},
    **{name: {"radius": 3} for name in ISOTROPIC},
    **{name: {} for name in ("local_maxima", "local_minima")},
    "flood": {"seed_point": (SIDE // 2,) * 3, "tolerance": 25},
    "flood_fill": {"seed_point": (SIDE // 2,) * 3, "new_value": 255, "tolerance": 25},
    "remove_small_objects": {"max_size": 500},
    "remove_small_holes": {"max_size": 500},
    **{name: {"h": 30} for name in ("h_maxima", "h_minima")},
    "convex_hull_image": {},
    **{name: {"area_threshold": 500} for name in ("area_opening", "area_closing")},
    **{name: {"diameter_threshold": 9} for name in ("diameter_opening", "diameter_closing")},
    "max_tree_local_maxima": {},
}
SLOW = ("area_", "diameter_", "max_tree", "convex")


@pytest.fixture(scope="module")
def volume():
    """Grey hills, a dozen voxels wide, of 8 bits."""
    hills = np.random.default_rng(6).random((SIDE,) * 3, np.float32)
    hills = ndi.uniform_filter(ndi.uniform_filter(hills, 5), 5)
    return ((hills - hills.min()) / np.ptp(hills) * 255).astype(np.uint8)


@pytest.mark.parametrize("name", CALLS)
def test_a_volume_of_256_voxels_a_side(gpu, volume, name):
    function = partial(getattr(morphology, name), **CALLS[name])
    image = volume > 130 if name.startswith(("isotropic", "remove")) else volume
    if name.startswith(SLOW):
        image = image[: SIDE // 2, : SIDE // 2, : SIDE // 2]
    if name == "convex_hull_image":
        image = image > 190
    expected = function(image)
    assert expected.any()
    assert not np.array_equal(expected, image)
    result = gpu(function.func, image, **function.keywords)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
