"""The size from which the GPU pays, reckoned from times."""

import json

import numpy as np
import pytest

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.sizes import least, model

NEVER = float("inf")


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(100, 1, 2), (200, 3, 2)], 150),  # between two sizes
        ([(100, 1, 2), (200, 3, 4)], NEVER),  # never nearer
        ([(100, 1, 9), (200, 3, 9)], 500),  # beyond the last
        ([(100, 3, 2), (200, 6, 3)], 50),  # below the first
        ([(100, 3, 2), (200, 3, 2)], 0),  # always ahead
        ([(100, 3, 2), (200, 3, 4), (300, 6, 4)], 233.3),  # the last of two crossings
        ([(100, 2, 2), (200, 3, 2)], 100),  # at a size that was measured
        ([(100, 1, 2), (200, 2, 3), (300, 2, 5)], NEVER),
    ],
)
def test_crossover(points, expected):
    assert model.crossover(points) == pytest.approx(expected, rel=1e-3)


def sizes(costs, dtype="float32", name="skimage.filters:gaussian"):
    found = model.curves(name, least.class_of(np.dtype(dtype)), np.dtype(dtype).itemsize, costs)
    return [model.crossover(points) for _, points in found]


def test_a_slower_bus_asks_for_larger_images():
    typical = model.TYPICAL
    for direction in ("to_device", "to_host"):
        slow = typical | {direction: typical[direction] / 8}
        for name in ("skimage.filters:gaussian", "skimage.color:rgb2lab"):
            assert sizes(slow, name=name) > sizes(typical, name=name) > [0]


def test_every_cost_counts():
    typical = sizes(model.TYPICAL)
    for name in ("call", "launch", "copy"):
        assert sizes(model.TYPICAL | {name: 100 * model.TYPICAL[name]}) > typical, name
    assert sizes(model.TYPICAL | {"memory": 5e9}) > typical


def test_more_work_for_a_pixel_asks_for_fewer_pixels():
    first, second, third = sizes(model.TYPICAL)
    assert first > second > third


def test_what_scikit_image_does_as_fast_as_a_copy_never_pays():
    assert sizes(model.TYPICAL, "float64", "skimage.util:invert") == [NEVER]


def test_every_function_is_in_the_shipped_table():
    """``python -m benchmarks.sizes NAME`` adds the rows of a function."""
    expected = {name for name, row in CATALOG.items() if row.images} - NOT_TAKEN
    assert {name for name, rows in model.shipped().items() if rows} == expected


# whose NumPy images the GPU does not take, whatever their size
NOT_TAKEN = {
    "skimage.draw:set_color",
    "skimage.feature:multiblock_lbp",
    "skimage.transform:integrate",
    "skimage.util:crop",
    "skimage.util:dtype_limits",
    "skimage.util:label_points",
    "skimage.util:view_as_blocks",
    "skimage.util:view_as_windows",
}


def test_the_shipped_table_says_where_it_was_measured():
    runs = json.loads((model.Path(model.__file__).parent / "table.json").read_text())["where"]
    assert runs[0]["command"] == "python -m benchmarks.sizes"
    assert all(run["cpu"] and run["scikit-image"] for run in runs)
