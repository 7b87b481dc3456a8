"""Columns of `regionprops_table` that are made of crops of regions: hulls, outlines, holes."""

import numpy as np
import pytest
from skimage import measure
from skimage.util._backends import DispatchNotification

from .columns import COINS, LABELS, RNG, assert_same, same


def test_hulls_of_any_form(gpu):
    """Of scattered pixels, too: rows of a region may be empty."""
    rng, labels = np.random.default_rng(4), np.zeros((30 * 6, 30 * 8), int)
    for number in range(1, 49):
        y, x = 30 * ((number - 1) // 8), 30 * ((number - 1) % 8)
        form = rng.random((rng.integers(1, 29), rng.integers(1, 29))) < rng.choice([0.01, 0.1, 0.9])
        labels[y : y + form.shape[0], x : x + form.shape[1]] = number * form
    same(gpu, labels, properties=["area_convex", "solidity"])
    same(gpu, labels, properties=["area_convex"], spacing=(0.5, 3))
    same(gpu, RNG.integers(0, 30, (70, 131)), properties=["area_convex"])


def test_outlines_of_any_form(gpu):
    """Farthest points, to the last bit, and hulls: of pixels that are few, and far apart."""
    rng, labels = np.random.default_rng(8), np.zeros((25 * 5, 40 * 5), int)
    for number in range(1, 26):
        y, x = 25 * ((number - 1) // 5), 40 * ((number - 1) % 5)
        form = rng.random((rng.integers(1, 24), rng.integers(1, 39))) < rng.choice([0.02, 0.2, 1])
        labels[y : y + form.shape[0], x : x + form.shape[1]] = number * form
    for spacing in (1, (0.7, 1.3)):
        names = ["feret_diameter_max", "image_convex"]
        same(gpu, labels, properties=names, bound=0, spacing=spacing)


def holes():
    """Labels with holes: rings in rings, spirals, noise, and what leaks through a diagonal."""
    rings = np.zeros((30, 30), int)
    for ring in range(1, 12):
        rings[ring : 30 - ring, ring : 30 - ring] = ring % 3 if ring % 2 else 0
    spiral = np.ones((31, 31), int)
    for turn in range(0, 14, 2):
        spiral[turn : 30 - turn, turn] = spiral[29 - turn, turn : 30 - turn] = 0
        spiral[turn : 30 - turn, 29 - turn] = spiral[turn, turn + 2 : 30 - turn] = 0
    rng, noise = np.random.default_rng(5), np.zeros((4 * 30, 4 * 45), np.uint16)
    for number in range(1, 17):
        y, x = 30 * ((number - 1) // 4), 45 * ((number - 1) % 4)
        noise[y : y + 29, x : x + 44] = number * (rng.random((29, 44)) < 0.3 + number / 26)
    leaks = np.kron([[1, 0], [0, 1]], np.ones((4, 4), int))
    leaks[3:5, 3:5] = 2
    leaks[1, 1] = leaks[6, 6] = 0
    return {"rings": rings, "spiral": spiral, "noise": noise, "leaks": leaks, "line": noise[:1]}


@pytest.mark.parametrize("name, labels", holes().items(), ids=holes())
def test_holes_are_filled(gpu_of_each_kind, name, labels):
    same(gpu_of_each_kind, labels, properties=["image_filled", "area_filled", "filled_area"])


def test_holes_of_volumes_are_filled(gpu):
    rng, names = np.random.default_rng(6), ["image_filled", "area_filled"]
    labels = np.zeros((9, 30, 40), np.int8)
    for number in range(1, 10):
        y, x = 10 * ((number - 1) // 3), 13 * ((number - 1) % 3)
        part = rng.random((9, 9, 12)) < 0.9 + number / 100
        labels[:, y : y + 9, x : x + 12] = number * part
    same(gpu, labels, properties=names, spacing=(1, 2, 3))
    same(gpu, labels[:1], properties=names)  # one plane has a border before it and behind it
    same(gpu, measure.label(rng.random((9, 14, 21)) < 0.75, connectivity=1), properties=names)


def test_crops_of_intensities_of_any_kind(gpu_of_each_kind):
    """What is not of the region is the intensity times 0: -0.0 and NaN stay."""
    image = RNG.normal(size=LABELS.shape).astype(np.float32)
    image[LABELS == 2] = np.nan
    for values in (image, COINS > 110, np.stack([COINS, 255 - COINS], -1)[:, ::-1]):
        expected = measure.regionprops_table(LABELS, values, ["image_intensity"])
        actual = gpu_of_each_kind(measure.regionprops_table, LABELS, values, ["image_intensity"])
        assert_same(actual, expected)
        for mine, theirs in zip(
            *(each["image_intensity"] for each in (actual, expected)), strict=True
        ):
            np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))


def test_boxes_that_overlap_much(gpu, monkeypatch):
    """Their crops would not fit beside the image, so that the CPU fills their holes."""
    labels = RNG.integers(0, 9, (20, 30))
    names = ["image_filled", "area_filled", "image_intensity"]
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    with pytest.warns(DispatchNotification, match="area_filled, image_intensity .boxes of regions"):
        same(gpu, labels, labels.astype(float), names)
    same(gpu, labels % 4, labels.astype(float), names)


@pytest.mark.parametrize(
    "name, launches", [("area_filled", 4), ("feret_diameter_max", 12), ("image_intensity", 4)]
)
def test_launches_of_what_is_made_of_crops_and_hulls(gpu, counting, name, launches):
    found = set()
    for labels in (np.uint8(LABELS > 0), LABELS):
        with counting() as counts:
            gpu(measure.regionprops_table, labels, COINS, [name])
        found.add(counts.launches)
    assert found == {launches}
