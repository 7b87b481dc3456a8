"""Indices above 2^31 in the kernels of features and metrics; see test_large.py."""

import numpy as np
import pytest
from skimage import feature, filters, metrics

from .large_images import BAND, BANDS, COLUMNS, ROWS, fits, large, rows_of

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("one_at_a_time")]

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
PLACES = [(0, 1), (ROWS // 2, 7), (2**31 // COLUMNS, 5), (ROWS - 1, COLUMNS - 1)]


def test_what_counts_in_32_bits_declines_larger_images(gpu):
    """feature/canny.cu, filters/hysteresis.cu, feature/cooccurrence.cu, metrics/hausdorff.cu"""
    image = np.broadcast_to(np.uint8(0), (ROWS, COLUMNS))
    assert "pixels" in gpu.declined(feature.canny, image)
    assert "pixels" in gpu.declined(filters.apply_hysteresis_threshold, image, 1, 2)
    assert "large" in gpu.declined(feature.graycomatrix, image, [1], [0])
    assert "diagonal" in gpu.declined(metrics.hausdorff_distance, image, image)


@pytest.mark.parametrize("footprint", [None, CROSS], ids=["peaks.cu", "peaks_labels.cu"])
def test_peaks_of_a_large_image(gpu, footprint):
    import cupy as cp

    fits(3.2 * ROWS * COLUMNS)
    image = cp.zeros((ROWS, COLUMNS), "uint8")
    for value, place in enumerate(PLACES, 1):
        image[place] = value
    found = gpu(feature.peak_local_max, image, exclude_border=False, footprint=footprint)
    np.testing.assert_array_equal(found.get(), PLACES[::-1])


def test_labelled_peaks_of_a_large_image(gpu):
    """feature/peaks_labels.cu"""
    import cupy as cp

    fits(9.3 * ROWS * COLUMNS)
    image = cp.zeros((ROWS, COLUMNS), "uint8")
    labels = cp.zeros((ROWS, COLUMNS), "int64")
    for value, place in enumerate(PLACES, 1):
        image[place] = labels[place] = value
    found = gpu(feature.peak_local_max, image, exclude_border=False, labels=labels)
    np.testing.assert_array_equal(found.get(), PLACES)


def test_windows_at_the_end_of_a_large_image(gpu):
    """feature/corner_subpix.cu, feature/haar.cu"""
    import cupy as cp

    fits(1.1 * ROWS * COLUMNS)
    image, side = cp.zeros((ROWS, COLUMNS), "uint8"), 20
    last = np.random.default_rng(3).integers(0, 256, (side, side), np.uint8)
    image[-side:, -side:] = cp.asarray(last)
    start = ROWS - side, COLUMNS - side
    found = gpu(feature.haar_like_feature, image, *start, side, side, "type-4")
    np.testing.assert_array_equal(
        found.get(), feature.haar_like_feature(last, 0, 0, side, side, "type-4")
    )
    corners = np.array([[9, 10], [18, 18], [12, 9]])
    found = gpu(feature.corner_subpix, image, cp.asarray(corners + start), 5, 0.6)
    expected = feature.corner_subpix(last, corners, 5, 0.6)
    assert np.isfinite(expected).any()
    np.testing.assert_allclose(found.get() - start, expected, rtol=0, atol=1e-9)


def test_tensors_of_a_large_image(gpu):
    """feature/structure_tensor.cu"""
    image, bands = large((ROWS, COLUMNS), "float16", 12)
    result = gpu(feature.structure_tensor, image)
    expected = feature.structure_tensor(rows_of(bands, ROWS - 100))
    for ours, theirs in zip(result, expected, strict=True):
        bound = 1e-5 * np.ptp(theirs)
        np.testing.assert_allclose(ours[-BAND:].get(), theirs[-BAND:], rtol=0, atol=bound)


def _noise_at_the_end(shape, side):
    """An image on the device that is 0 but for its last corner, and the part around this."""
    import cupy as cp

    corner = np.random.default_rng(3).random((side,) * len(shape)).astype("float16")
    corner = np.pad(corner, [(side, 0)] * len(shape))
    image = cp.zeros(shape, "float16")
    image[tuple(slice(-2 * side, None) for _ in shape)] = cp.asarray(corner)
    return image, corner


@pytest.mark.parametrize(
    ("function", "shape", "side", "arguments", "elements"),
    [
        (feature.structure_tensor, (400, 950, 950), 20, {"sigma": (1, 0, 0)}, 6),
        (
            feature.hessian_matrix,
            (128, 128, 114, 116),
            12,
            {"sigma": (0, 0, 0, 1), "use_gaussian_derivatives": False},
            10,
        ),
    ],
    ids=["tensor_3d.cu", "hessian_nd.cu"],
)
def test_matrices_of_a_volume_that_are_large(gpu, function, shape, side, arguments, elements):
    """The elements of all matrices together are, not the image itself."""
    size = int(np.prod(shape))
    assert elements * size > 2**31
    fits((2 + 4 + 4 * elements) * size)
    image, corner = _noise_at_the_end(shape, side)
    result = gpu(function, image, **arguments)
    assert len(result) == elements
    inner = (slice(side // 2, None),) * len(shape)
    for ours, theirs in zip(result, function(corner, **arguments), strict=True):
        found = ours[tuple(slice(-2 * side, None) for _ in shape)].get()
        bound = 1e-5 * np.ptp(theirs)
        np.testing.assert_allclose(found[inner], theirs[inner], rtol=0, atol=bound)


def test_determinants_of_a_large_image_of_four_axes(gpu):
    """feature/hessian_nd.cu: the image itself is large."""
    shape, side = (216, 216, 216, 216), 12
    size = int(np.prod(shape))
    assert size > 2**31
    fits((2 + 4 + 4 + 4) * size)
    image, corner = _noise_at_the_end(shape, side)
    result = gpu(feature.hessian_matrix_det, image)
    expected = feature.hessian_matrix_det(corner)
    found = result[tuple(slice(-2 * side, None) for _ in shape)].get()
    inner = (slice(side // 2, None),) * 4
    bound = 1e-5 * np.ptp(expected)
    np.testing.assert_allclose(found[inner], expected[inner], rtol=0, atol=bound)


def test_oriented_gradients_of_a_large_image(gpu):
    """feature/hog.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    way = {"pixels_per_cell": (10, 16), "cells_per_block": (1, 1), "feature_vector": False}
    result = gpu(feature.hog, image, **way)
    expected = feature.hog(rows_of(bands, ROWS - 100), **way)[5:]
    np.testing.assert_allclose(result[-5:].get(), expected, rtol=1e-10)


def test_daisy_with_large_maps(gpu):
    """feature/daisy.cu: 8 rings of an image that is not so large itself."""
    import cupy as cp

    shape, rings = (16_384, 16_512), 8
    size = shape[0] * shape[1]
    assert rings * size > 2**31
    fits(4 * (2 + rings) * size)
    image, corner = cp.zeros(shape, "float32"), np.zeros((120, 248), "float32")
    corner[...] = np.random.default_rng(3).random(corner.shape)
    image[-120:, -248:] = cp.asarray(corner)
    way = {"radius": 8, "rings": rings, "histograms": 2, "orientations": 1, "normalization": "off"}
    result = gpu(feature.daisy, image, step=shape[0] - 17, **way)
    assert result.shape[:2] == (2, 2)
    expected = feature.daisy(corner, step=1, **way)[120 - 17, 16_375 - 16_264 - 8]
    np.testing.assert_allclose(result[1, 1].get(), expected, rtol=1e-5)


def test_blobs_in_a_large_scale_space(gpu):
    """feature/scales.cu: 8 scales of an image that is not so large itself."""
    import cupy as cp

    shape, scales, side = (11_640, 11_600), 8, 48
    size = shape[0] * shape[1]
    assert 2 * scales * size > 2**31
    fits((2 + 4 * 2 * scales + 4 * scales) * size)
    image, expected = cp.zeros(shape, "float16"), []
    way = {"min_sigma": 1, "max_sigma": 2, "num_sigma": scales, "threshold": 0.1}
    squares = np.add.outer((np.arange(side) - 20) ** 2, (np.arange(side) - 25) ** 2)
    for height, share in ((1, 0), (0.8, 0.5), (0.6, 1)):
        corner = [int(share * (length - side)) for length in shape]
        blob = (height * np.exp(-squares / (2 * 1.6**2))).astype("float16")
        image[corner[0] : corner[0] + side, corner[1] : corner[1] + side] = cp.asarray(blob)
        expected.append(feature.blob_log(blob, **way) + np.array([*corner, 0]))
    result = gpu(feature.blob_log, image, **way)
    np.testing.assert_allclose(result.get(), np.concatenate(expected))


def test_similarity_of_large_images(gpu):
    """metrics/similarity.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    other = image.copy()
    other[BANDS[-1]] //= 2
    changed = rows_of(bands, ROWS - 100)
    changed[-BAND:] //= 2
    _, full = metrics.structural_similarity(rows_of(bands, ROWS - 100), changed, full=True)
    lost = (1 - full)[20:-3, 3:-3].sum()  # without windows that leave the image
    result = gpu(metrics.structural_similarity, image, other)
    np.testing.assert_allclose(1 - result, lost / ((ROWS - 6) * (COLUMNS - 6)), rtol=1e-6)


def test_mutual_information_of_large_images(gpu):
    """metrics/joint_histogram.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    other = image.copy()
    other[BANDS[-1]] //= 2
    second = [*bands[:-1], bands[-1] // 2]
    counts = np.histogram2d(np.ravel(bands), np.ravel(second), 100)[0]
    counts[0, 0] += image.size - counts.sum()

    def entropy(count):
        share = count[count > 0] / image.size
        return -(share * np.log(share)).sum()

    expected = (entropy(counts.sum(0)) + entropy(counts.sum(1))) / entropy(counts)
    result = gpu(metrics.normalized_mutual_information, image, other)
    np.testing.assert_allclose(result, expected, rtol=1e-10)


def test_li_threshold_of_a_large_image(gpu):
    """filters/li.cu: the first iteration."""
    image, bands = large((ROWS, COLUMNS), "float32", 0)
    values = np.ravel(bands).astype(float)
    above = values[values > 99].mean()
    below = values[values <= 99].sum() / (image.size - (values > 99).sum())
    expected = (below - above) / (np.log(below) - np.log(above))
    result = gpu(filters.threshold_li, image, initial_guess=99.0, tolerance=1e9)
    np.testing.assert_allclose(result, expected, rtol=1e-5)
