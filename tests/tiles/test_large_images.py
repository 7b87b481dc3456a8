"""Images that do not fit on the device run on it anyway, and what can go wrong on the way."""

from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from scipy import ndimage as ndi
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import profile, use_backends
from skimage_gpu_backend.adapt import host_copy
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.tiles import start

from .device import MEGABYTE, on_the_device, on_the_simulator, pieces

pytestmark = on_the_simulator


@pytest.mark.parametrize(
    "call",
    [
        lambda v: on_the_device(ski.filters.gaussian, v, 2),
        lambda v: on_the_device(ski.filters.gaussian, v, 2, mode=("wrap", "mirror", "nearest")),
        lambda v: on_the_device(ski.filters.sobel, v, v > 0.1),
        lambda v: on_the_device(ski.filters.median, v, np.ones((3, 3, 3))),
        lambda v: on_the_device(ski.filters.unsharp_mask, v - 0.1),
        lambda v: on_the_device(ski.exposure.equalize_hist, v),
        lambda v: on_the_device(ski.feature.hessian_matrix, v[:40], use_gaussian_derivatives=False),
    ],
    ids=["gaussian", "wraps", "mask", "median", "unsharp", "equalized", "several results"],
)
def test_a_volume_larger_than_the_device_gives_the_same_result(memory, volume, call):
    expected = call(volume)
    with memory(2 * MEGABYTE):
        result = call(volume)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.thorough
def test_a_result_that_was_to_stay_on_the_device_and_is_too_large_is_told(
    memory, volume, monkeypatch
):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    told = pytest.warns(DispatchNotification, match="they do not fit into the device's memory")
    with memory(2 * MEGABYTE), use_backends("gpu", output="resident"), told:
        result = ski.filters.gaussian(volume, 2)
    np.testing.assert_array_equal(result, on_the_device(ski.filters.gaussian, volume, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["erosion", "dilation", "opening", "closing"])
@pytest.mark.parametrize("share", [0.5, 1e-5, 1 - 1e-5])
def test_distances_in_a_volume_larger_than_the_device(memory, volume, name, share):
    """Where most tiles have no background, or no object, too."""
    image = ndi.uniform_filter(volume, 9) < share if share == 0.5 else volume < share
    function = getattr(ski.morphology, f"isotropic_{name}")
    nothing_left = (name, share) in (("opening", 1e-5), ("closing", 1 - 1e-5))
    radius = 0.5 if nothing_left else 2
    expected = function(image, radius)
    with memory(2 * MEGABYTE):
        np.testing.assert_array_equal(on_the_device(function, image, radius), expected)


@pytest.mark.thorough
def test_distances_from_nothing_are_left_to_scikit_image(memory, volume):
    """Nothing is left between the steps, though parts that lack their surroundings have it."""
    image = volume < 0.5
    with memory(2 * MEGABYTE), use_backends("gpu"), observe() as calls:
        result = ski.morphology.isotropic_opening(image, 2)
    ((_, reason, _),) = calls[0].declined
    assert "SciPy measures" in reason
    np.testing.assert_array_equal(result, ski.morphology.isotropic_opening(image, 2))


def test_a_file_larger_than_the_device_is_filtered_into_another_file(memory, volume, tmp_path):
    scan = np.memmap(tmp_path / "scan", volume.dtype, "w+", shape=volume.shape)
    scan[...] = volume
    smooth = np.memmap(tmp_path / "smooth", volume.dtype, "w+", shape=volume.shape)
    with memory(2 * MEGABYTE):
        assert on_the_device(ski.filters.gaussian, scan, 2, out=smooth) is smooth
    np.testing.assert_array_equal(smooth, on_the_device(ski.filters.gaussian, volume, 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda v: on_the_device(ski.util.img_as_ubyte, v),
        lambda v: on_the_device(ski.filters.rank.equalize, v, np.ones((3, 5))),
        lambda v: on_the_device(ski.filters.unsharp_mask, v.astype(np.int16) - 3, 2),
        lambda v: on_the_device(ski.exposure.rescale_intensity, v),
        lambda v: on_the_device(ski.exposure.equalize_hist, v.astype(float)),
    ],
    ids=["scaled by the largest", "scale ends there", "clipped at 0", "own range", "histogram"],
)
def test_what_all_of_the_image_decides_holds_for_each_tile(memory, call):
    ramp = np.add.outer(np.arange(501), np.arange(300) % 7).astype(np.uint16)
    expected = call(ramp)
    with memory(200_000):
        np.testing.assert_array_equal(call(ramp), expected)


def test_an_image_of_few_long_rows_is_cut_along_them_too(memory):
    image = np.random.default_rng(1).random((3, 700_001))
    expected = on_the_device(ski.filters.sobel, image)
    with memory(2 * MEGABYTE):
        result = on_the_device(ski.filters.sobel, image)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.thorough
def test_out_that_is_the_image_is_right_in_tiles(memory, volume):
    expected = on_the_device(ski.filters.gaussian, volume, 1)
    given = volume.copy()
    with memory(2 * MEGABYTE):
        assert on_the_device(ski.filters.gaussian, given, 1, out=given) is given
    np.testing.assert_array_equal(given, expected)


def test_a_device_array_runs_in_tiles_where_its_op_needs_more_than_there_is(memory, volume):
    given = cp.asarray(volume)
    expected = on_the_device(ski.filters.gaussian, given, 2).get()
    with memory(volume.nbytes + 2 * MEGABYTE):  # the result, but no array beside it
        result = on_the_device(ski.filters.gaussian, given, 2)
    assert type(result) is cp.ndarray
    np.testing.assert_array_equal(result.get(), expected)


def test_a_function_that_looks_at_all_of_the_image_falls_back(memory):
    image = ski.data.coins() / 255
    with memory(image.nbytes // 2), use_backends("gpu"), observe() as calls:
        result = ski.transform.integral_image(image)
    assert calls[0].backend is None
    assert "not enough device memory" in calls[0].declined[0][1]
    np.testing.assert_array_equal(result, ski.transform.integral_image(image))


def test_where_not_even_one_row_fits_the_call_falls_back_and_out_is_whole(memory):
    image = np.random.default_rng(2).random((40, 50))
    expected = ski.filters.gaussian(image, 3)
    out = np.full(image.shape, np.nan)
    with memory(1000), use_backends("gpu"), observe() as calls:
        ski.filters.gaussian(image, 3, out=out)
    assert calls[0].backend is None
    np.testing.assert_array_equal(out, expected)


@pytest.mark.thorough
def test_memory_that_runs_out_in_the_middle_starts_the_call_over_in_smaller_tiles(
    memory, volume, monkeypatch
):
    expected = on_the_device(ski.filters.gaussian, volume, 2)
    # somebody else takes the memory between plan and call
    monkeypatch.setattr(start, "available", lambda: 10**9)
    out = np.full_like(volume, np.nan)
    with memory(MEGABYTE):
        result = on_the_device(ski.filters.gaussian, volume, 2, out=out)
    assert result is out
    np.testing.assert_array_equal(out, expected)


def test_errors_of_values_in_any_tile_are_scikit_images(memory):
    image = np.full((900, 1000), 0.5)
    image[-1, -1] = -0.5
    refused = pytest.raises(ValueError, match="only on images with non-negative values")
    with memory(3 * MEGABYTE), use_backends("gpu"), refused:
        ski.exposure.adjust_gamma(image, 2)


def test_a_warning_is_given_once_and_counts_are_added_up(memory):
    lab = np.zeros((300, 1000, 3))
    lab[::50, :, 2] = 200
    with pytest.warns(UserWarning, match="negative Z values") as expected:
        ski.color.lab2rgb(lab)
    given = pytest.warns(UserWarning, match="negative Z values")
    with memory(3 * MEGABYTE), use_backends("gpu"), observe() as calls, given as told:
        ski.color.lab2rgb(lab)
    assert calls[0].backend == "gpu"
    assert [str(w.message) for w in told] == [str(w.message) for w in expected]
    assert told[0].filename == __file__


def test_a_call_that_is_cut_when_there_is_no_room_warns_once(memory):
    image = np.random.default_rng(5).integers(0, 2**16, (300, 400)).astype(np.uint16)
    footprint = ski.morphology.disk(1)
    given = pytest.warns(UserWarning, match="large number of bins")
    with memory(400_000), use_backends("gpu"), observe() as calls, given as told:
        ski.filters.rank.threshold(image, footprint)
    assert calls[0].backend == "gpu"
    assert len(told) == 1


def test_tiles_have_the_whole_of_a_footprint_on_the_device(memory):
    image = np.random.default_rng(5).random((401, 503), np.float32)
    footprint = ski.morphology.disk(3)
    expected = ski.filters.rank.mean(image, footprint)
    arrays = cp.asarray(image), cp.asarray(footprint)
    with memory(3 * image.size // 2), use_backends("gpu"), observe() as calls:  # not two of bytes
        result = ski.filters.rank.mean(*arrays)
    assert calls[0].source == "kernel"
    np.testing.assert_array_equal(result.get(), expected)


@pytest.mark.parametrize("kind", ["numpy", "cupy"])
def test_layers_come_from_scikit_image_where_the_device_has_no_room_for_more(memory, kind):
    image = np.random.default_rng(4).random((401, 503))
    expected = list(ski.transform.pyramid_gaussian(image, max_layer=3))
    given = image if kind == "numpy" else cp.asarray(image)
    room = 50_000 + image.nbytes if kind == "numpy" else 900_000  # results, not what is between
    with memory(room), use_backends("gpu"), observe() as calls:
        layers = list(ski.transform.pyramid_gaussian(given, max_layer=3))
    assert calls[0].source == "kernel", "it began on the device"
    assert len(layers) == len(expected)
    for layer, theirs in zip(layers, expected, strict=True):
        assert type(layer) is type(given)
        np.testing.assert_allclose(cp.asnumpy(layer), theirs, atol=1e-10)


@pytest.fixture
def small_pieces(monkeypatch):
    """Images of a megabyte are large, and cross the bus in pieces of 96 kB."""
    monkeypatch.setattr(host_copy, "THREADS", 3)
    monkeypatch.setattr(host_copy, "LEAST", 4 << 10)
    with pieces(96 << 10):
        yield


@pytest.mark.parametrize(
    "call",
    [
        lambda v: on_the_device(ski.util.img_as_ubyte, v),
        lambda v: on_the_device(ski.filters.gaussian, v, 1.2),
        lambda v: on_the_device(ski.filters.gaussian, v.T, 1.2),
        lambda v: on_the_device(ski.filters.gaussian, v, 12),
        lambda v: on_the_device(ski.filters.gaussian, v.T, 12),
        lambda v: on_the_device(ski.transform.integral_image, v[:, ::-1].astype(">f4")),
    ],
    ids=["point", "halo", "halo of fortran", "wide halo", "wide halo of fortran", "whole"],
)
def test_a_large_image_that_fits_crosses_the_bus_once_each_way(
    request, counting, monkeypatch, volume, call
):
    expected = call(volume)
    request.getfixturevalue("small_pieces")
    with counting() as counts:
        result = call(volume)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    assert min(counts.to_device, counts.to_host) > 9, "it did not cross in pieces"
    assert counts.bytes_to_device == volume.nbytes
    flags = 4 * 100  # that tell of each tile whether a value is refused
    assert expected.nbytes <= counts.bytes_to_host <= expected.nbytes + flags


@pytest.mark.thorough
@pytest.mark.parametrize(
    "call",
    [
        lambda v: on_the_device(ski.filters.threshold_otsu, v),
        lambda v: on_the_device(ski.filters.unsharp_mask, v - 0.5),
        lambda v: on_the_device(ski.metrics.normalized_root_mse, v, v),
    ],
    ids=["range and histogram", "sign and edges", "the same array twice"],
)
def test_a_large_image_that_is_read_twice_crosses_once(small_pieces, counting, volume, call):
    with counting() as counts:
        call(volume)
    assert counts.to_device > 9
    assert volume.nbytes <= counts.bytes_to_device < volume.nbytes + 10_000  # edges of bins


def test_a_profile_knows_what_crossed_for_tiles(memory, volume):
    with memory(2 * MEGABYTE), use_backends("gpu"), profile() as seen:
        ski.filters.gaussian(volume, 1)
    totals = seen.to_dict()["totals"]
    assert totals["calls on the device"] == 1
    assert totals["bytes to host"] == volume.nbytes
    assert totals["bytes to device"] > volume.nbytes, "halos cross with each tile"


def test_calls_in_several_threads_do_not_mix(small_pieces, volume):
    expected = [on_the_device(ski.filters.sobel, volume + k) for k in range(4)]
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(in_tiles, ski.filters.sobel, volume + k) for k in range(4)]
    for call, result in zip(calls, expected, strict=True):
        np.testing.assert_array_equal(call.result(), result)


def in_tiles(function, image):
    with use_backends("gpu"):
        return function(image)
