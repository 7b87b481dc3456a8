"""Hausdorff distances on the device."""

import numpy as np
import pytest
from skimage.metrics import hausdorff_distance, hausdorff_pair

import cuda_simulator
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
SHAPES = [(1,), (300,), (1, 40), (40, 1), (41, 53), (130, 257), (9, 20, 30), (5, 4, 6, 7)]


def points(shape, density):
    image = RNG.random(shape) < density
    image.flat[RNG.integers(image.size)] = True
    return image


def same(gpu, first, second):
    for method in ("standard", "modified"):
        expected = hausdorff_distance(first, second, method)
        found = gpu(hausdorff_distance, first, second, method)
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, rel=0 if method == "standard" else 1e-13)
    expected, found = hausdorff_pair(first, second), gpu(hausdorff_pair, first, second)
    assert [point.dtype for point in found] == [point.dtype for point in expected]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("density", [0, 0.01, 0.5, 1])
def test_shapes_and_densities(gpu_of_each_kind, shape, density):
    for other in (0, 0.2, density):
        same(gpu_of_each_kind, points(shape, density), points(shape, other))


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", ["bool", "float16", "int64"])
def test_what_is_nonzero_is_a_point(gpu, first, second):
    images = [points((20, 30), 0.1).astype(dtype) for dtype in (first, second)]
    for image in images:
        if image.dtype.kind == "f":
            image[3, 4:9] = -0.0
            image[5, 6] = np.nan
        if image.dtype.kind in "if":
            image[1, 2] = -1
    same(gpu, *images)


def test_layouts(gpu_of_each_kind):
    first, second = points((60, 70), 0.02), points((60, 70), 0.1)
    same(gpu_of_each_kind, np.asfortranarray(first), second)
    same(gpu_of_each_kind, first[::-2, ::3], second[1::2, ::3])


def test_one_of_several_nearest_points_is_scikit_images(gpu):
    """Rings around a point, all as far from it."""
    y, x = np.indices((41, 43))
    for radius in (5, 13, 17):
        ring = (y - 20) ** 2 + (x - 21) ** 2 == radius**2
        center = (y == 20) & (x == 21)
        assert ring.sum() > 3
        same(gpu, ring, center)
        same(gpu, center | (y == 0), ring)


def test_sets_of_one_corner_each(gpu):
    first, second = np.zeros((2, 500, 601), bool)
    first[0, 0] = second[-1, -1] = True
    same(gpu, first, second)


@pytest.mark.parametrize("method", ["standard", "modified"])
def test_empty_sets(gpu, method):
    none, some = np.zeros((9, 10)), points((9, 10), 0.2)
    for pair in ((none, none), (none, some), (some, none)):
        result, expected = gpu(hausdorff_distance, *pair), hausdorff_distance(*pair)
        assert result == expected
        assert type(result) is type(expected)
        with pytest.warns(UserWarning, match="is empty"):
            assert gpu(hausdorff_pair, *pair) == ((), ())


def test_arguments_that_are_left_to_scikit_image(gpu):
    image = points((9, 10), 0.2)
    assert gpu.invalid(hausdorff_distance, image, image, "other")
    assert "shape" in gpu.declined(hausdorff_pair, image, image[1:])
    assert "diagonal" in gpu.declined(
        hausdorff_pair, *np.broadcast_to(image[:1, :1], (2, 1, 50000))
    )


@pytest.mark.parametrize(("function", "launches"), [(hausdorff_distance, 2), (hausdorff_pair, 3)])
def test_launches_and_bytes(gpu, counting, function, launches):
    first, second = points((200, 300), 0.01), points((200, 300), 0.01)
    gpu(function, first, second)
    with counting() as counted:
        gpu(function, first, second)
    assert counted.launches == launches
    assert counted.kernel_bytes_read <= (2 + 8 * (launches - 1)) * first.size + 2000
    assert counted.kernel_bytes_written <= 8 * first.size + 60_000
    with counting() as counted:
        gpu(hausdorff_distance, first.reshape(20, 30, 100), second.reshape(20, 30, 100))
    assert counted.launches == 3


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    for module in ("device.kernels", "functions.metrics.hausdorff"):
        monkeypatch.setattr(f"skimage_gpu_backend.{module}.resident_blocks", lambda threads: 3)
    sets = points((50, 60), 0.02), points((50, 60), 0.02)
    means = set()
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, *sets)
            means.add(gpu(hausdorff_distance, *sets, "modified"))
    assert len(means) == 1
