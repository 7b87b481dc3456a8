"""Small objects and holes are those of scikit-image, and what is told of them too."""

import warnings

import numpy as np
import pytest
from scipy import ndimage
from skimage.morphology import remove_small_holes, remove_small_objects

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS, meander, noise

RNG = np.random.default_rng(17)
BOTH = remove_small_objects, remove_small_holes
OLD = {remove_small_objects: "min_size", remove_small_holes: "area_threshold"}
pytestmark = pytest.mark.filterwarnings("ignore:Any labeled images:UserWarning")


def told(run, *args, **kwargs):
    """Result of a call, and what is warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = run(*args, **kwargs)
    return result, [(each.category, str(each.message)) for each in seen]


def same(run, function, image, *args, **kwargs):
    expected, words = told(function, image, *args, **kwargs)
    result, ours = told(run, function, image, *args, **kwargs)
    assert ours == words
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.thorough
@pytest.mark.parametrize("function", BOTH)
def test_masks_of_any_number_of_axes_and_connectivity(gpu_of_each_kind, function):
    for shape in ((90,), (40, 70), (1, 33), (12, 13, 40), (5, 6, 7, 8)):
        mask = RNG.random(shape) < 0.45
        for connectivity in (0, 1, 2, 3, 9, 1.5):
            for size in (1, 5, 30):
                kept = same(
                    gpu_of_each_kind, function, mask, connectivity=connectivity, max_size=size
                )
        assert (kept != mask).any()
    same(gpu_of_each_kind, function, mask)


@pytest.mark.parametrize("function", BOTH)
def test_sizes_of_any_type(gpu, function):
    mask = RNG.random((50, 60)) < 0.5
    for size in (0, 0.0, 4, 4.7, -1, -0.5, np.float32(6), np.nan, np.inf, -np.inf, True, 10**30):
        same(gpu, function, mask, max_size=size)
    reason = gpu.declined(function, mask, max_size=None)
    assert reason.startswith("max_size")


@pytest.mark.parametrize("function", BOTH)
def test_old_parameters_are_told_of_as_by_scikit_image(gpu_of_each_kind, function):
    image = np.zeros((20, 30), bool)
    for side in range(1, 6):
        image[2 : 2 + side, 5 * side - 4 : 6 * side - 4] = True
    for given in (image, ~image):
        for size in (0, 1, 4, 4.5, 9, 17):
            same(gpu_of_each_kind, function, given, size)
            same(gpu_of_each_kind, function, given, **{OLD[function]: size})


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", INTEGERS)
def test_labels(gpu_of_each_kind, dtype):
    labels = np.minimum(
        ndimage.label(RNG.random((60, 70)) < 0.55)[0], min(np.iinfo(dtype).max, 10**6)
    )
    labels = labels.astype(dtype)
    for size in (0, 3, 20, 64, 5000):
        same(gpu_of_each_kind, remove_small_objects, labels, max_size=size)
        same(gpu_of_each_kind, remove_small_holes, labels, max_size=size)
    same(gpu_of_each_kind, remove_small_objects, labels, connectivity="any")
    volume = RNG.choice(
        [0, 1, 5, 100, np.iinfo(dtype).max if labels.itemsize < 3 else 10**6], (9, 8, 7)
    )
    same(gpu_of_each_kind, remove_small_objects, volume.astype(dtype), max_size=101)
    one = (labels > 0).astype(dtype)
    for size in (5, 0.5):
        same(gpu_of_each_kind, remove_small_objects, one, max_size=size)  # told to give a mask
    same(gpu_of_each_kind, remove_small_objects, one * 0, max_size=5)


def test_labels_that_are_refused_are_refused_in_scikit_image_s_words(gpu):
    labels = np.array([[1, -2, 3]])
    with pytest.raises(ValueError, match="Negative value labels"):
        gpu(remove_small_objects, labels)
    same(gpu, remove_small_objects, labels, max_size=0)
    same(gpu, remove_small_holes, labels)
    large = labels.astype("uint64")
    with pytest.raises(ValueError, match="Negative value labels"):
        gpu(remove_small_objects, large)
    same(gpu, remove_small_objects, large, max_size=0)
    same(gpu, remove_small_holes, large)
    with pytest.raises(Declined, match="memory"):
        gpu(remove_small_objects, large // 4)
    assert gpu.invalid(remove_small_objects, labels / 2)


@pytest.mark.parametrize("function", BOTH)
def test_results_stand_in_out(gpu, function):
    import cupy as cp

    mask = RNG.random((30, 40)) < 0.5
    expected = function(mask, max_size=9)
    for out in (np.zeros_like(mask), mask.copy(), np.asfortranarray(mask)):
        assert gpu(function, mask, max_size=9, out=out) is out
        np.testing.assert_array_equal(out, expected)
    on_device = cp.asarray(mask)
    for out in (cp.zeros_like(on_device), on_device):
        assert gpu(function, on_device, max_size=9, out=out) is out
        np.testing.assert_array_equal(out.get(), expected)
    for out in (np.zeros((30, 40), int), np.zeros((3, 30, 40), bool)):
        assert "out" in gpu.declined(function, mask, out=out)
    out = mask.copy()
    out.flags.writeable = False
    assert gpu.invalid(function, mask, out=out)
    assert gpu.invalid(function, mask, 4, max_size=64)
    assert gpu.invalid(function, mask, max_size=64, **{OLD[function]: 4})


@pytest.mark.thorough
@pytest.mark.parametrize("function", BOTH)
def test_one_long_object_and_layouts(gpu_of_each_kind, function):
    path = meander(60, 130)
    for size in (path.sum(), path.sum() - 1):
        same(gpu_of_each_kind, function, path, max_size=size)
        same(gpu_of_each_kind, function, ~path, max_size=size)
    mask = noise(RNG, (40, 50), "bool")
    for layout in (mask.T, mask[::-1, ::2], np.asfortranarray(mask)):
        same(gpu_of_each_kind, function, layout, max_size=4)


def test_launches_are_as_many_whatever_the_image_shows(gpu, counting):
    import cupy as cp

    for density in (0.0, 0.3, 0.6):
        mask = cp.asarray(RNG.random((200, 300)) < density)
        with counting() as counts:
            gpu(remove_small_objects, mask)
        assert counts.launches == 4
        with counting() as counts:
            gpu(remove_small_holes, mask)
        assert counts.launches == 4
    seen = set()
    for count in (3, 300, 30_000):
        labels = cp.asarray(RNG.integers(0, count, (300, 400)))
        with counting() as counts:
            gpu(remove_small_objects, labels, max_size=3)
        seen.add(counts.launches)
        assert counts.bytes_to_host < 100
    assert len(seen) == 1
