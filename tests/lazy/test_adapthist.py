"""equalize_adapthist of Dask arrays is that of the whole image: tiles cross the chunks."""

import warnings

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
RNG = np.random.default_rng(0)
PLANE = RNG.random((83, 70)) ** 3
COLORS = (RNG.random((41, 50, 4)) * 255).astype(np.uint8)


def lazy(image):
    """In uneven chunks, the last of one element."""
    chunks = tuple((n // 3, n - n // 3 - 1, 1) for n in image.shape)
    return da.from_array(image, chunks)


def check(image, **options):
    with use_backends("gpu"), observe() as calls:
        found = ski.exposure.equalize_adapthist(lazy(image), **options)
    assert isinstance(found, da.Array)
    assert [call.source for call in calls] == ["dask"]
    expected = ski.exposure.equalize_adapthist(image, **options)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    found = found.compute(scheduler="synchronous")
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "image",
    [
        PLANE,
        PLANE.astype(np.float32) - 0.5,
        (PLANE * 255).astype(np.uint8),
        (PLANE * 60000 - 30000).astype(np.int16),
        PLANE > 0.5,
        RNG.random((20, 19, 23)),
        RNG.random((9, 8, 7, 6)).astype(np.float32),
        RNG.random(500),
        COLORS,
        COLORS[..., :3] / np.float32(255),
        np.full((30, 25), 0.25),
    ],
    ids=["f8", "f4", "u1", "i2", "b1", "3", "4", "1", "rgba", "rgb f4", "one value"],
)
def test_results_are_equal(place, image):
    check(image)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel_size": 7},  # tiles smaller than chunks
        {"kernel_size": (100, 13)},  # a tile larger than the image
        {"kernel_size": (300, 1)},  # the image mirrored more than once
        {"clip_limit": 0},
        {"clip_limit": 0.9, "nbins": 31},
        {"nbins": 40_000 // 4},
    ],
    ids=str,
)
def test_tiles_limits_and_bins(place, options):
    check(PLANE, **options)


def test_nothing_is_computed_early_and_chunks_stay_on_the_device(however_small):
    import cupy as cp

    built = []

    def on_device(block):
        assert built, "computed before somebody asked for it"
        return cp.asarray(block)

    image = lazy(PLANE).map_blocks(on_device, meta=cp.empty((0, 0)))
    with use_backends("gpu"), observe() as calls:
        result = ski.exposure.equalize_adapthist(image)
        built.append(True)
        found = result.compute(scheduler="synchronous")
    assert isinstance(found, cp.ndarray)
    assert {call.source for call in calls} == {"dask", "kernel"}
    np.testing.assert_array_equal(found.get(), ski.exposure.equalize_adapthist(PLANE))


def test_floats_beyond_1_are_refused_as_scikit_image_does(place):
    for image in (PLANE * 3, np.dstack([PLANE] * 3) - 3):
        with pytest.raises(ValueError) as expected:
            ski.exposure.equalize_adapthist(image)
        with use_backends("gpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ski.exposure.equalize_adapthist(lazy(image))
            with pytest.raises(ValueError) as error:
                found.compute(scheduler="synchronous")
        assert str(error.value) == str(expected.value)
