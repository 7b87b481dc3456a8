"""Images of more than 2^31 elements: indices are wide enough in every kernel file.

A case is a line in `POINTS`, where a pixel of the result depends on pixels around it, or a test
of its own. The images are those of large_images.py, whose bands are compared with scikit-image.
Shapes that change are in test_large_transforms.py. The arithmetic of indices alone, which needs
no such image, is tested in tests/kernels/test_indices.py.
"""

from functools import partial

import numpy as np
import pytest
from skimage import (
    color,
    draw,
    exposure,
    feature,
    filters,
    measure,
    metrics,
    morphology,
    restoration,
    segmentation,
    util,
)

from .large_images import BAND, BANDS, COLOR, COLUMNS, ROWS, fits, large, run

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("one_at_a_time")]

# kernel file -> function, dtype, shape, bytes of the result for each element, rows around a
# pixel that it depends on
POINTS = {
    "util/lookup.cu": (partial(exposure.adjust_gamma, gamma=2.2), "uint8", (ROWS, COLUMNS), 1, 0),
    "util/lookup.cu search": (
        partial(util.map_array, input_vals=np.r_[7, 60_000], output_vals=np.uint8([1, 2])),
        "uint16",
        (ROWS, COLUMNS),
        1,
        0,
    ),
    "util/convert.cu": (util.img_as_ubyte, "int8", (ROWS, COLUMNS), 1, 0),
    "util/invert.cu": (util.invert, "uint8", (ROWS, COLUMNS), 1, 0),
    "exposure/adjust.cu": (exposure.adjust_log, "float16", (ROWS, COLUMNS), 2, 0),
    "exposure/rescale.cu": (exposure.rescale_intensity, "uint8", (ROWS, COLUMNS), 1, 0),
    "color/gray.cu": (color.gray2rgb, "uint8", (ROWS, COLUMNS), 3, 0),
    "color/convert.cu": (color.rgb2gray, "uint8", COLOR, 8 / 3, 0),
    "filters/edges.cu": (filters.sobel, "float16", (ROWS, COLUMNS), 4, 1),
    "filters/correlate.cu": (
        partial(filters.correlate_sparse, kernel=np.eye(3)),
        "float16",
        (ROWS, COLUMNS),
        4,
        1,
    ),
    "filters/gaussian.cu": (filters.gaussian, "float16", (ROWS, COLUMNS), 4, 4),
    "filters/windows.cu": (filters.threshold_sauvola, "float16", (ROWS, COLUMNS), 4, 7),
    "filters/ridges.cu": (partial(filters.sato, sigmas=[1]), "float16", (ROWS, COLUMNS), 28, 8),
    "restoration/nl_means_slow.cu": (
        partial(restoration.denoise_nl_means, patch_size=1, patch_distance=1, fast_mode=False),
        "float32",
        (ROWS, COLUMNS),
        8,
        1,
    ),
    "restoration/nl_means_fast.cu": (
        partial(restoration.denoise_nl_means, patch_size=1, patch_distance=1),
        "float32",
        (ROWS, COLUMNS),
        36,
        1,
    ),
    "restoration/bilateral.cu": (
        partial(restoration.denoise_bilateral, win_size=3, sigma_color=9),
        "float32",
        (ROWS, COLUMNS),
        4,
        1,
    ),
    "segmentation/gaussian_gradient.cu": (
        partial(segmentation.inverse_gaussian_gradient, sigma=1),
        "float32",
        (ROWS, COLUMNS),
        12,
        4,
    ),
    "feature/basic_features.cu": (
        partial(feature.multiscale_basic_features, sigma_min=1, sigma_max=1),
        "float32",
        (ROWS, COLUMNS),
        24,
        6,
    ),
    "feature/corner_response.cu": (feature.corner_harris, "float16", (ROWS, COLUMNS), 4, 6),
    "feature/hessian.cu": (
        partial(feature.hessian_matrix_det, approximate=False),
        "float16",
        (ROWS, COLUMNS),
        4,
        6,
    ),
    "feature/hessian_3d.cu": (feature.hessian_matrix_det, "float16", (ROWS, 232, 200), 8, 6),
    "feature/hessian_boxes.cu": (feature.hessian_matrix_det, "float16", (ROWS, COLUMNS), 16, 5),
    "feature/kitchen_rosenfeld.cu": (
        feature.corner_kitchen_rosenfeld,
        "float16",
        (ROWS, COLUMNS),
        4,
        2,
    ),
    "feature/segment_corners.cu": (feature.corner_fast, "float16", (ROWS, COLUMNS), 4, 3),
    "feature/local_binary_pattern.cu": (
        partial(feature.local_binary_pattern, P=4, R=1),
        "uint8",
        (ROWS, COLUMNS),
        8,
        1,
    ),
    "morphology/flat_tile.cu": (morphology.white_tophat, "uint8", (ROWS, COLUMNS), 1, 2),
    "morphology/flat_bits.cu": (morphology.white_tophat, "bool", (ROWS, COLUMNS), 1, 2),
    "morphology/flat_lines.cu": (
        partial(morphology.erosion, footprint=np.ones((3, 301))),
        "uint8",
        (ROWS, COLUMNS),
        2,
        1,
    ),
    "morphology/flat_runs.cu": (
        partial(morphology.dilation, footprint=np.eye(3, 301) + np.eye(3, 301)[::-1, ::-1]),
        "uint8",
        (ROWS, COLUMNS),
        1,
        1,
    ),
    "filters/median.cu": (
        partial(filters.median, footprint=np.ones((3, 3))),
        "uint8",
        (ROWS, COLUMNS),
        1,
        1,
    ),
    "filters/rank.cu": (
        partial(filters.rank.maximum, footprint=np.ones((3, 3), np.uint8)),
        "uint8",
        (ROWS, COLUMNS),
        1,
        1,
    ),
    "restoration/rolling_ball.cu": (
        partial(restoration.rolling_ball, radius=2),
        "uint8",
        (ROWS, COLUMNS),
        1,
        2,
    ),
}


@pytest.mark.parametrize("name", POINTS)
def test_bands_of_a_large_image(gpu, name):
    function, dtype, shape, result_bytes, around = POINTS[name]
    image, bands = large(shape, dtype, result_bytes)
    result = run(gpu, function, image)
    inner = slice(around, BAND - around)
    for rows, band in zip(BANDS, bands, strict=True):
        expected = function(band)
        found = result[rows].get()
        assert found.dtype == expected.dtype
        if expected.dtype.kind == "f":
            bound = 1e-5 * np.ptp(expected)
            np.testing.assert_allclose(found[inner], expected[inner], rtol=0, atol=bound)
        else:
            np.testing.assert_array_equal(found[inner], expected[inner])


def test_error_of_large_images(gpu):
    """metrics/errors.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    other = image.copy()
    other[BANDS[-1]] //= 2
    result = gpu(metrics.mean_squared_error, image, other)
    difference = bands[-1] - (bands[-1] // 2).astype(float)
    np.testing.assert_allclose(result, (difference**2).sum() / image.size, rtol=1e-12)


def test_counts_of_a_large_image(gpu):
    """exposure/histogram.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 0)
    counts = sum(np.bincount(band.ravel(), minlength=256) for band in bands)
    counts[0] += image.size - counts.sum()
    expected = filters.threshold_otsu(hist=(counts, np.arange(256)))
    assert gpu(filters.threshold_otsu, image) == expected


def test_range_of_a_large_image(gpu):
    """exposure/value_range.cu"""
    image, _ = large((ROWS, COLUMNS), "bool", 0)
    image[...] = False
    assert gpu(exposure.is_low_contrast, image) is True
    image[-1, -1] = True
    assert gpu(exposure.is_low_contrast, image) is False


def test_comparison_of_large_images(gpu):
    """util/compare.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 9)
    other = image.copy()
    other[BANDS[-1]] //= 2
    result = gpu(util.compare_images, image, other)
    for rows, band in zip(BANDS, bands, strict=True):
        expected = util.compare_images(band, band // 2 if rows is BANDS[-1] else band)
        np.testing.assert_array_equal(result[rows].get(), expected)


def test_percentiles_of_a_large_image(gpu):
    """exposure/select.cu"""
    image, bands = large((ROWS, COLUMNS), "float16", 0)
    values = np.sort(np.concatenate(bands, axis=None))
    upper = 100 * (1 - values.size / 4 / image.size)
    image /= 128  # the dtype has the range of -1 to 1
    spread = values[-values.size // 4] / 256
    told = {"lower_percentile": 0, "upper_percentile": upper}
    assert not gpu(exposure.is_low_contrast, image, spread - 0.01, **told)
    assert gpu(exposure.is_low_contrast, image, spread + 0.01, **told)


def test_noise_of_a_large_image(gpu):
    """restoration/wavelets.cu"""
    image, bands = large((ROWS, COLUMNS), "float16", 2)
    apart = np.zeros((BAND, COLUMNS), "float16")  # whose details do not count
    expected = np.concatenate([rows for band in bands for rows in (band, apart)][:-1])
    assert gpu(restoration.estimate_sigma, image) == restoration.estimate_sigma(expected)


def test_the_surface_of_a_large_volume(gpu):
    """measure/marching_cubes.cu: two bodies, of which one lies at the end"""
    import cupy as cp

    shape, side = (2200, 1000, 1000), 24
    fits(9 * np.prod(shape))
    body = np.zeros((side, side, side), "uint8")
    body[2:-2, 2:-2, 2:-2] = np.random.default_rng(5).integers(0, 2, (side - 4,) * 3)
    volume = cp.zeros(shape, "uint8")
    volume[:side, :side, :side] = volume[-side:, -side:, -side:] = cp.asarray(body)
    vertices, faces, normals, values = measure.marching_cubes(body, 0.5)
    found = [cp.asnumpy(each) for each in gpu(measure.marching_cubes, volume, 0.5)]
    ends = np.array(shape, "float32") - side  # vertices lie halfway, which floats can tell
    np.testing.assert_array_equal(found[0], np.concatenate([vertices, vertices + ends]))
    np.testing.assert_array_equal(found[1], np.concatenate([faces, faces + len(vertices)]))
    np.testing.assert_allclose(found[2], np.tile(normals, (2, 1)), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found[3], np.tile(values, 2))


def test_eigenvalues_of_many_matrices(gpu):
    """feature/eigenvalues.cu"""
    image, bands = large((ROWS, COLUMNS), "float16", 4)
    found = gpu(feature.hessian_matrix_eigvals, [image] * 3)
    for rows, band in zip(BANDS, bands, strict=True):
        expected = feature.hessian_matrix_eigvals([band] * 3)
        np.testing.assert_array_equal(found[:, rows].get(), expected)


def test_polygon_in_a_large_grid(gpu):
    """measure/points_in_poly.cu"""
    import cupy as cp

    fits(ROWS * COLUMNS)
    corners = np.array([[ROWS - 5, 3], [ROWS - 5, COLUMNS - 2], [ROWS - 1, 9]])
    inside = gpu(measure.grid_points_in_poly, (ROWS, COLUMNS), cp.asarray(corners))
    assert not inside[: ROWS - 5].any()
    expected = measure.grid_points_in_poly((5, COLUMNS), corners - [ROWS - 5, 0])
    np.testing.assert_array_equal(inside[ROWS - 5 :].get(), expected)


def test_line_across_a_large_image(gpu):
    """measure/profile.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 0)
    for rows, band in zip(BANDS, bands, strict=True):
        src, dst = (0.25, COLUMNS - 9), (BAND - 1, COLUMNS - 40.5)
        ends = (src[0] + rows.start, src[1]), (dst[0] + rows.start, dst[1])
        found = gpu(measure.profile_line, image, *ends, order=0)
        np.testing.assert_array_equal(found.get(), measure.profile_line(band, src, dst, order=0))


def test_blur_of_a_large_image(gpu):
    """measure/blur.cu"""
    image, _ = large((ROWS, COLUMNS), "float32", 5)
    part = image[-70:].get()  # the only rows with edges, below
    image[: ROWS - 60] = 0
    part[:10] = 0
    found = gpu(measure.blur_effect, image, reduce_func=None)
    expected = measure.blur_effect(part, reduce_func=None)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_points_in_a_large_image(gpu):
    """util/label_points.cu"""
    import cupy as cp

    fits(8 * ROWS * COLUMNS)
    coords = np.array([[0, 1], [ROWS // 2, 7], [ROWS - 1, COLUMNS - 1]])
    labels = gpu(util.label_points, cp.asarray(coords), (ROWS, COLUMNS))
    for number, (row, column) in enumerate(coords.tolist(), 1):
        expected = np.zeros(COLUMNS, "uint64")
        expected[column] = number
        np.testing.assert_array_equal(labels[row].get(), expected)


def test_drawing_in_a_large_image(gpu):
    """draw/polygon.cu, draw/set_color.cu"""
    import cupy as cp

    fits(9.1 * ROWS * COLUMNS)
    corners = np.array([[ROWS - 5, 3], [ROWS - 5, COLUMNS - 2], [ROWS - 1, 9]])
    mask = gpu(draw.polygon2mask, (ROWS, COLUMNS), cp.asarray(corners))
    assert not mask[: ROWS - 5].any()
    expected = draw.polygon2mask((5, COLUMNS), corners - [ROWS - 5, 0])
    np.testing.assert_array_equal(mask[ROWS - 5 :].get(), expected)
    image, band = mask.view("uint8"), np.uint8(expected)
    rows, columns, values = draw.line_aa(0, 3, 4, 400)
    for alpha in (1, values):
        gpu(draw.set_color, image, (rows + ROWS - 5, columns), 200, alpha)
        draw.set_color(band, (rows, columns), 200, alpha)
    np.testing.assert_array_equal(image[ROWS - 5 :].get(), band)
    assert not image[: ROWS - 5].any()


def test_rows_of_a_large_matrix(gpu):
    """util/unique_rows.cu"""
    import cupy as cp

    length = 512
    count = 2**31 // length + 9
    fits(5 * count * length)
    rows = cp.zeros((count, length), "uint8")
    rows[-7:, -1] = cp.arange(7, dtype="uint8")
    expected = np.zeros((7, length), "uint8")
    expected[:, -1] = np.arange(7)
    np.testing.assert_array_equal(gpu(util.unique_rows, rows).get(), expected)
