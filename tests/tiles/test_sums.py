"""Histograms and what is made of them, of images that are larger than the device."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend.adapt.kinds import NUMPY
from skimage_gpu_backend.call import Call
from skimage_gpu_backend.tiles.pieces import in_pieces

from .device import MEGABYTE, on_the_device, on_the_simulator

pytestmark = on_the_simulator
FLOATS = np.random.default_rng(0).random((21, 161, 163)) * np.arange(163)
CALLS = {
    "skimage.filters:threshold_otsu": {},
    "skimage.filters:threshold_yen": {"nbins": 99},
    "skimage.filters:threshold_isodata": {"return_all": True},
    "skimage.filters:threshold_minimum": {},
    "skimage.filters:threshold_multiotsu": {"classes": 4, "nbins": 32},
    "skimage.filters:threshold_triangle": {},
    "skimage.filters:threshold_li": {},
    "skimage.exposure:histogram": {"normalize": True},
    "skimage.exposure:cumulative_distribution": {"nbins": 100},
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in CALLS
        for dtype in ("float64", "float32", "uint16", "int8")
        # which shows the order of floating sums, and is not cut
        if not (name.endswith(":threshold_li") and dtype.startswith("float"))
    ],
)
def test_sums_over_pieces_are_those_of_the_image(memory, name, dtype):
    module, _, function = name.rpartition(":")
    image = FLOATS.astype(dtype)
    if function == "threshold_minimum":  # two maxima
        image = np.where(FLOATS % 1 > 0.5, image // 8, image // 8 + 90).astype(dtype)
    function = getattr(getattr(ski, module.partition(".")[2]), function)
    expected = on_the_device(function, image, **CALLS[name])
    with memory(MEGABYTE // 4):
        result = on_the_device(function, image, **CALLS[name])
    assert type(result) is type(expected)
    for one, other in zip(np.atleast_1d(result), np.atleast_1d(expected), strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


def test_errors_between_images_that_do_not_fit_together(memory):
    other = FLOATS[::-1].astype(np.float32)
    expected = on_the_device(ski.metrics.peak_signal_noise_ratio, FLOATS, other, data_range=100)
    with memory(MEGABYTE):
        found = on_the_device(ski.metrics.peak_signal_noise_ratio, FLOATS, other, data_range=100)
    assert type(found) is type(expected)
    assert found == pytest.approx(expected, rel=1e-14)


def test_nan_in_one_piece_counts(memory):
    image = FLOATS.copy()
    image[-1, -1, -1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        ski.exposure.histogram(image)
    with memory(MEGABYTE), pytest.raises(ValueError, match="finite"):
        on_the_device(ski.exposure.histogram, image)


def _pipeline(scan):
    smooth = on_the_device(ski.filters.gaussian, scan, 1.5)
    edges = on_the_device(ski.filters.sobel, smooth)
    return smooth, edges, on_the_device(ski.filters.threshold_otsu, edges)


def test_a_volume_of_four_times_the_device_memory_goes_through_a_pipeline(memory):
    """Of 1 MB; every call runs on the device, and scikit-image gives the same."""
    scan = np.random.default_rng(3).normal(size=(61, 133, 137)).astype(np.float32)
    scan[20:40, 30:90, 30:90] += 3
    assert scan.nbytes > 4 * MEGABYTE
    whole = _pipeline(scan)
    with memory(MEGABYTE):
        tiled = _pipeline(scan)
    for one, other in zip(whole, tiled, strict=True):
        np.testing.assert_array_equal(one, other)
    theirs = ski.filters.gaussian(scan, 1.5)
    np.testing.assert_allclose(whole[0], theirs, atol=1e-5 * np.ptp(theirs))
    theirs = ski.filters.sobel(theirs)
    np.testing.assert_allclose(whole[1], theirs, atol=1e-5 * np.ptp(theirs))
    assert whole[2] == pytest.approx(ski.filters.threshold_otsu(theirs), rel=1e-5)


CALL = Call("skimage.filters:threshold_li", ("image",), NUMPY, {"image": FLOATS})


def test_pieces_are_small_parts_of_the_whole():
    (pieces,) = in_pieces([FLOATS], MEGABYTE, CALL)
    assert len(pieces) > 8
    assert sum(part.size for part in pieces) == pieces.size == FLOATS.size
    assert sum(float(part.sum()) for part in pieces) == pytest.approx(FLOATS.sum())
