"""Blobs that overlap go as in scikit-image, whatever their number and order."""

import numpy as np
import pytest

from skimage_gpu_backend.primitives.pruning import pruned
from tests.upstream import upstream

_prune_blobs = upstream("feature.blob")._prune_blobs


def blobs(rng, count, axes, columns, dtype, kind):
    side = 3 * count ** (1 / axes)
    places = rng.random((count, axes)) * side
    if kind == "grid":  # equal distances and sizes, touching and concentric
        places, sizes = np.rint(places / 2) * 2, rng.integers(1, 4, count)
    else:
        sizes = rng.random(count) * 4 + 0.2
    return np.hstack([places, np.outer(sizes, [1, 1.5, 0.5][:columns])]).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axes, columns", [(2, 1), (2, 2), (3, 1), (3, 3), (1, 1), (4, 1)])
@pytest.mark.parametrize("kind", ["grid", "random"])
def test_the_same_blobs_stay(dtype, axes, columns, kind):
    rng = np.random.default_rng(7)
    for count in (1, 2, 3, 400):
        made = blobs(rng, count, axes, columns, dtype, kind)
        for overlap in (0.5, 0, 1, 0.01, 0.99, 1 / 3, 2):
            expected = _prune_blobs(made.copy(), overlap, sigma_dim=columns)
            found = pruned(made.copy(), overlap, axes)
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype


def test_what_is_next_to_the_limit_is_decided_to_the_last_bit():
    rng = np.random.default_rng(8)
    for dtype in ("float32", "float64"):
        for _ in range(300):
            pair = blobs(rng, 2, 2, 1, dtype, "random")
            share = upstream("feature.blob")._blob_overlap(*pair)
            for overlap in (share, np.nextafter(share, 1), np.nextafter(share, -1)):
                expected = _prune_blobs(pair.copy(), overlap)
                np.testing.assert_array_equal(pruned(pair.copy(), overlap, 2), expected)
