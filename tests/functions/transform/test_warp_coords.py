"""Coordinates of a warp that are to be on the device are made there by matrices."""

import cupy as cp
import numpy as np
import pytest
from skimage.transform import (
    AffineTransform,
    EuclideanTransform,
    PolynomialTransform,
    ProjectiveTransform,
    warp,
    warp_coords,
)

from skimage_gpu_backend import use_backends

TILTED = ProjectiveTransform([[0.9, -0.2, 5.3], [0.25, 1.1, -4.1], [0.002, 0.001, 1]])


class Shifted(EuclideanTransform):
    """A user's transform, whose matrix is not all of it."""

    def __call__(self, coords):
        return super().__call__(coords) + 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(40, 31), (40, 31, 3), (1, 1)])
@pytest.mark.parametrize(
    "transform", [AffineTransform(rotation=0.3), TILTED], ids=["affine", "tilted"]
)
def test_coordinates_are_made_on_the_device(enabled, counting, transform, shape, dtype):
    with use_backends("gpu", output="cupy"), counting() as counts:
        found = warp_coords(transform, shape, dtype)
    expected = warp_coords(transform, shape, dtype)
    assert (type(found), found.dtype) == (cp.ndarray, expected.dtype)
    span = max(np.ptp(expected), 1)
    np.testing.assert_allclose(
        found.get() / span, expected / span, atol=1e-6 if dtype == "f4" else 1e-12
    )
    assert counts.launches <= 9 + 2 * (len(shape) - 2)
    assert (counts.to_host, counts.bytes_to_device) == (0, 72)  # the matrix


@pytest.mark.parametrize(
    "coord_map",
    [Shifted(), PolynomialTransform(), lambda xy: xy[:, ::-1] + 2],
    ids=["own", "polynomial", "function"],
)
def test_what_is_no_matrix_is_asked_on_the_host(enabled, counting, coord_map):
    with use_backends("gpu", output="cupy"), counting() as counts:
        found = warp_coords(coord_map, (9, 11))
    assert (type(found), counts.launches) == (cp.ndarray, 0)
    np.testing.assert_array_equal(found.get(), warp_coords(coord_map, (9, 11)))


@pytest.mark.parametrize("shape", [(5,), 5, (2.5, 3), (0, 3), ("a", "b")])
def test_errors_are_scikit_images(enabled, shape):
    with pytest.raises(Exception) as expected:  # whatever it is
        warp_coords(TILTED, shape)
    with use_backends("gpu", output="cupy"), pytest.raises(expected.type) as found:
        warp_coords(TILTED, shape)
    assert str(found.value) == str(expected.value)


def test_a_chain_stays_on_the_device(however_small, counting):
    image = np.random.default_rng(0).random((40, 31))
    given = cp.asarray(image)
    with use_backends("gpu", output="cupy"), counting() as counts:
        coordinates = warp_coords(TILTED, image.shape)
        found = warp(given, coordinates)
    assert counts.bytes_to_host <= 4  # whether there is something to clip
    expected = warp(image, warp_coords(TILTED, image.shape))
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)
