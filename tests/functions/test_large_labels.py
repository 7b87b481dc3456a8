"""Indices above 2^31 in the kernels of labels; see test_large.py."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from skimage import graph, measure, morphology, segmentation

from .large_images import BAND, BANDS, COLUMNS, ROWS, large

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("one_at_a_time")]


def test_regions_of_a_large_image(gpu):
    """measure/label.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 16.3)
    labels, count = gpu(measure.label, image, return_num=True)
    before = 0
    for rows, band in zip(BANDS, bands, strict=True):
        expected, number = measure.label(band, return_num=True)
        expected[expected > 0] += before
        np.testing.assert_array_equal(labels[rows].get(), expected)
        before += number
    assert count == before


def test_table_of_a_large_image(gpu):
    """measure/runs.cu, measure/regions.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 3)
    names = ["label", "bbox", "area", "centroid", "perimeter"]
    table = gpu(measure.regionprops_table, image, image, [*names, "intensity_mean"])
    rows = [np.arange(each.start, each.stop) for each in BANDS]
    for row, label in enumerate(table["label"].get()):
        found = [np.nonzero(band == label) for band in bands]
        y = np.concatenate([at[ys] for at, (ys, _) in zip(rows, found, strict=True)])
        x = np.concatenate([xs for _, xs in found])
        assert table["area"][row] == y.size
        assert table["bbox-2"][row] == y.max() + 1
        np.testing.assert_allclose(table["centroid-0"][row].get(), y.mean())
        np.testing.assert_allclose(table["centroid-1"][row].get(), x.mean())
        assert table["intensity_mean"][row] == label


def test_contours_of_a_large_image(gpu):
    """measure/contours.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 0.3)
    found = iter(gpu(measure.find_contours, image, 127.5))
    for rows, band in zip(BANDS, bands, strict=True):
        around = (int(rows.start > 0), int(rows.stop < ROWS))
        first = np.array([rows.start - around[0], 0])
        for line in measure.find_contours(np.pad(band, [around, (0, 0)]), 127.5):
            np.testing.assert_array_equal(next(found).get(), line + first)
    assert next(found, None) is None


@pytest.mark.parametrize(
    ("function", "result_bytes"),
    [
        (segmentation.clear_border, 9),
        (segmentation.find_boundaries, 1),
        (morphology.local_maxima, 9),
    ],
)
def test_borders_in_a_large_image(gpu, function, result_bytes):
    """segmentation/clear_border.cu, segmentation/boundaries.cu, morphology/local_maxima.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", result_bytes)
    result = gpu(function, image)
    for rows, band in zip(BANDS, bands, strict=True):
        around = [(int(rows.start > 0), int(rows.stop < ROWS)), (0, 0)]
        expected = function(np.pad(band, around))
        inner = slice(around[0][0], len(expected) - around[0][1])
        np.testing.assert_array_equal(result[rows].get(), expected[inner])


@pytest.mark.parametrize(
    ("function", "result_bytes"),
    [
        (segmentation.expand_labels, 13),
        (morphology.isotropic_erosion, 5),
    ],
)
def test_distances_in_a_large_image(gpu, function, result_bytes):
    """segmentation/expand_labels.cu, morphology/distances.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", result_bytes)
    result = gpu(function, image, 2)
    for rows, band in zip(BANDS, bands, strict=True):
        around = [(2 * (rows.start > 0), 2 * (rows.stop < ROWS)), (0, 0)]
        expected = function(np.pad(band, around), 2)
        inner = slice(around[0][0], len(expected) - around[0][1])
        np.testing.assert_array_equal(result[rows].get(), expected[inner])


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (morphology.thin, {}),
        (morphology.skeletonize, {}),
        (morphology.skeletonize, {"method": "lee"}),
    ],
)
def test_skeletons_of_a_large_image(gpu, function, options):
    """morphology/bits.cu, morphology/thinning.cu, morphology/lee.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 2)
    result = gpu(function, image, **options)
    for rows, band in zip(BANDS, bands, strict=True):
        np.testing.assert_array_equal(result[rows].get(), function(band, **options))


def test_holes_in_a_large_image(gpu):
    """morphology/remove_small.cu"""
    image, bands = large((ROWS, COLUMNS), "bool", 17)
    result = gpu(morphology.remove_small_holes, image)
    for rows, band in zip(BANDS, bands, strict=True):
        around = [(int(rows.start > 0), int(rows.stop < ROWS)), (0, 0)]
        expected = morphology.remove_small_holes(np.pad(band, around))
        inner = slice(around[0][0], len(expected) - around[0][1])
        np.testing.assert_array_equal(result[rows].get(), expected[inner])


def test_hull_of_a_large_image(gpu):
    """morphology/convex_hull.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    image[:, 20_000:] = 0
    result = gpu(morphology.convex_hull_image, image)
    points = [
        np.argwhere(band[:, :20_000]) + np.array([rows.start, 0])
        for rows, band in zip(BANDS, bands, strict=True)
    ]
    sides = [[-0.5, 0], [0.5, 0], [0, -0.5], [0, 0.5]]
    points = (np.concatenate(points)[:, np.newaxis] + sides).reshape(-1, 2)
    corners = points[ConvexHull(points).vertices]
    for rows in BANDS:
        expected = measure.grid_points_in_poly((BAND, COLUMNS), corners - [rows.start, 0])
        np.testing.assert_array_equal(result[rows].get(), expected)


def test_new_numbers_of_a_large_image(gpu):
    """util/present.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 1)
    labels, forward, _ = gpu(segmentation.relabel_sequential, image, 3)
    _, expected, _ = segmentation.relabel_sequential(np.stack(bands), 3)
    np.testing.assert_array_equal(forward.in_values.get(), expected.in_values)
    for rows, band in zip(BANDS, bands, strict=True):
        np.testing.assert_array_equal(labels[rows].get(), expected[band])


def test_marks_in_a_large_image(gpu):
    """segmentation/mark.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 26)
    result = gpu(segmentation.mark_boundaries, image, image)
    for rows, band in zip(BANDS, bands, strict=True):
        around = [(int(rows.start > 0), int(rows.stop < ROWS)), (0, 0)]
        wide = np.pad(band, around)
        expected = segmentation.mark_boundaries(wide, wide)
        inner = slice(around[0][0], len(expected) - around[0][1])
        np.testing.assert_array_equal(result[rows].get(), expected[inner])


@pytest.mark.parametrize(
    ("function", "result_bytes"), [(graph.rag_mean_color, 5), (graph.rag_boundary, 21)]
)
def test_graph_of_a_large_image(gpu, function, result_bytes):
    """measure/runs.cu, graph/adjacency.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", result_bytes)
    edges = set()
    for rows, band in zip(BANDS, bands, strict=True):
        band = np.pad(band, [(int(rows.start > 0), int(rows.stop < ROWS)), (0, 0)])
        for one, other in ((band[1:], band[:-1]), (band[:, 1:], band[:, :-1])):
            pairs = np.sort(np.stack([one.ravel(), other.ravel()], axis=1), axis=1)
            edges |= {pair for pair in map(tuple, np.unique(pairs, axis=0)) if pair[0] < pair[1]}
    first = image if function is graph.rag_mean_color else image.astype("float32")
    images = (first, image) if function is graph.rag_mean_color else (image, first)
    found = gpu(function, *images, connectivity=1)
    assert {tuple(sorted(map(int, edge))) for edge in found.edges} == edges
    if function is graph.rag_mean_color:
        assert all(found.nodes[node]["mean color"][0] == node for node in found)
