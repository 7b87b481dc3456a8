"""Images of more than 2^31 elements: indices are wide enough in every kernel file.

A case is a line in `POINTS` (a pixel of the result depends on pixels around it) or in
`TOTALS` (it depends on all). The images are 0 but for a few bands of rows, the last of
which lie beyond element 2^31: what is compared with scikit-image. The arithmetic of indices
alone, which needs no such image, is tested in tests/kernels/test_indices.py.
"""

import fcntl
from functools import partial

import numpy as np
import pytest
from skimage import color, exposure, filters, metrics, util

pytestmark = pytest.mark.thorough

ROWS, COLUMNS = 46_350, 46_400
BAND = 24
BANDS = [slice(first, first + BAND) for first in (0, 2**31 // COLUMNS - 11, ROWS - BAND)]
COLOR = (ROWS, -(-COLUMNS // 3), 3)

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
    "exposure/adjust.cu": (exposure.adjust_log, "float16", (ROWS, COLUMNS), 2, 0),
    "exposure/rescale.cu": (exposure.rescale_intensity, "uint8", (ROWS, COLUMNS), 1, 0),
    "color/gray.cu": (color.gray2rgb, "uint8", (ROWS, COLUMNS), 3, 0),
    "color/convert.cu": (color.rgb2gray, "uint8", COLOR, 8 / 3, 0),
    "filters/edges.cu": (filters.sobel, "float16", (ROWS, COLUMNS), 4, 1),
    "filters/gaussian.cu": (filters.gaussian, "float16", (ROWS, COLUMNS), 4, 4),
    "filters/windows.cu": (filters.threshold_sauvola, "float16", (ROWS, COLUMNS), 4, 7),
    "filters/ridges.cu": (partial(filters.sato, sigmas=[1]), "float16", (ROWS, COLUMNS), 16, 8),
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
}


@pytest.fixture(autouse=True)
def one_at_a_time(tmp_path_factory):
    """Other processes of the same run wait: the memory is enough for one image."""
    with open(tmp_path_factory.getbasetemp().parent / "large-image", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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


def fits(needed):
    """Skip where the device's memory does not allow the test."""
    import cupy as cp

    available = cp.cuda.Device().mem_info[0]
    if available < needed + 4e9:  # other programs need memory too
        pytest.skip(f"takes {needed / 1e9:.1f} GB, of which {available / 1e9:.1f} are there")


def large(shape, dtype, result_bytes):
    """The image on the device, and its bands on the host."""
    import cupy as cp

    size = int(np.prod(shape))
    assert size > 2**31
    fits(size * (np.dtype(dtype).itemsize + result_bytes))
    rng = np.random.default_rng(3)
    image = cp.zeros(shape, dtype)
    bands = []
    for rows in BANDS:
        band = rng.integers(0, 256, (BAND, *shape[1:]))
        band.flat[:2] = 0, 255  # all bands have the range of the image
        bands.append(band.astype(dtype))
        image[rows] = cp.asarray(bands[-1])
    return image, bands


def run(gpu, function, image):
    if isinstance(function, partial):
        return gpu(function.func, image, **function.keywords)
    return gpu(function, image)
