"""skimage.morphology: skeletonize and thin on the device find scikit-image's very pixels."""

import numpy as np
import pytest
from skimage import data
from skimage.morphology import ball, disk, skeletonize, thin

import cuda_simulator
from tests.functions.images import DTYPES, meander, noise

RNG = np.random.default_rng(31)
HORSE = ~data.horse()[::2, ::2]
VOLUMES = [(1, 1, 1), (1, 30, 41), (2, 3, 4), (5, 1, 40), (40, 3, 1), (9, 13, 70), (20, 21, 33)]
PLANES = [(1, 1), (1, 40), (40, 1), (2, 2), (23, 35), (33, 64), (70, 150), (3, 300), (129, 257)]


def same(run, function, image, **options):
    expected = function(image, **options)
    result = run(function, image, **options)
    assert result.dtype == expected.dtype == bool
    np.testing.assert_array_equal(result, expected)
    return expected


def spiral(side, width):
    """One path that winds to the middle, `width` pixels wide, as far from itself."""
    image = np.zeros((side, side), bool)
    for k in range(0, side // 2, 2 * width):
        image[k : side - k, k : side - k] = True
        inner = k + width
        image[inner : side - inner, inner : side - inner] = False
        image[inner : inner + width, k : k + width] = False
        image[inner + width : inner + 2 * width, inner : inner + width] = True
    return image


def comb(side):
    image = np.zeros((side, side), bool)
    image[:9] = image[:, ::4] = image[:, 1::4] = True
    return image


WORST = {
    "solid": np.ones((190, 170), bool),
    "square": np.pad(np.ones((150, 160), bool), 9),
    "disk": disk(70),
    "meander": np.repeat(np.repeat(meander(20, 21), 9, 0), 7, 1),
    "spiral": spiral(180, 7),
    "thin spiral": spiral(150, 1),
    "comb": comb(140),
    "sparse noise": np.random.default_rng(1).random((150, 170)) < 0.2,
    "noise": np.random.default_rng(2).random((150, 170)) < 0.5,
    "holes": np.random.default_rng(3).random((150, 170)) < 0.995,
    "horse": HORSE,
}


@pytest.mark.parametrize("function", [skeletonize, thin])
@pytest.mark.parametrize("shape", PLANES, ids=str)
def test_any_plane(gpu, function, shape):
    for share in (0, 0.5, 0.8, 0.97, 1):
        same(gpu, function, RNG.random(shape) < share)


@pytest.mark.parametrize("shape", PLANES, ids=str)
def test_any_plane_by_lee(gpu, shape):
    for share in (0, 0.5, 0.8, 0.97, 1):
        same(gpu, skeletonize, RNG.random(shape) < share, method="lee")


@pytest.mark.parametrize("shape", VOLUMES, ids=str)
def test_any_volume(gpu, shape):
    for share in (0, 0.2, 0.5, 0.8, 0.97, 1):
        same(gpu, skeletonize, RNG.random(shape) < share)


@pytest.mark.parametrize("function", [skeletonize, thin])
def test_what_is_removed_around_each_pattern(gpu, function):
    """All 512 patterns of a pixel and those around it, apart from each other."""
    patterns = np.arange(512)[:, None] >> np.arange(9) & 1
    cells = np.pad(patterns.reshape(16, 32, 3, 3), ((0, 0), (0, 0), (1, 1), (1, 1)))
    same(gpu, function, cells.transpose(0, 2, 1, 3).reshape(16 * 5, 32 * 5).astype(bool))


@pytest.mark.parametrize("function", [skeletonize, thin])
@pytest.mark.parametrize("image", WORST.values(), ids=WORST)
def test_images_that_take_many_rounds(gpu, function, image):
    same(gpu, function, image)


@pytest.mark.thorough
@pytest.mark.parametrize("before", [(0, 0), (48, 112)], ids=["end", "start"])
def test_tiles_that_were_quiet_take_part_when_those_beside_them_change(gpu, before):
    """Of 64 x 128 pixels: the nearest side of the image is 16 pixels from one."""
    same(gpu, skeletonize, np.pad(np.ones((336, 656), bool), [(n, 0) for n in before]))


@pytest.mark.parametrize("image", WORST.values(), ids=WORST)
def test_images_that_take_many_steps_by_lee(gpu, image):
    same(gpu, skeletonize, image, method="lee")


VESSELS = np.linalg.norm(np.indices((40, 50, 60)) % 13 - 6, axis=0) < 5.5
SOLIDS = {
    "cube": np.ones((33, 34, 35), bool),
    "plate": np.ones((5, 40, 70), bool),
    "ball": ball(17),
    "vessels": VESSELS,
    "spiral": np.repeat(spiral(60, 5)[None], 12, 0),
    "standing spiral": np.repeat(spiral(60, 5)[..., None], 12, -1),
    "comb": np.pad(np.repeat(comb(40)[None], 7, 0), 1),
    "holes": np.random.default_rng(4).random((30, 40, 50)) < 0.99,
    "staircase": np.sum(np.indices((30, 30, 30)), axis=0) % 12 < 7,
}


@pytest.mark.parametrize("volume", SOLIDS.values(), ids=SOLIDS)
def test_volumes_that_take_many_steps(gpu, volume):
    same(gpu, skeletonize, volume)


@pytest.mark.parametrize("dtype", DTYPES)
def test_volumes_of_any_dtype_and_layout(gpu_of_each_kind, dtype):
    volume = noise(RNG, (7, 12, 35), dtype)
    volume[RNG.random(volume.shape) < 0.3] = 0
    same(gpu_of_each_kind, skeletonize, volume)
    same(gpu_of_each_kind, skeletonize, volume.T[::2, ::-1])
    same(gpu_of_each_kind, skeletonize, volume[0], method="lee")


@pytest.mark.exhaustive
def test_a_volume_of_256_cubed(gpu):
    blobs = data.binary_blobs(256, n_dim=3, volume_fraction=0.4, rng=1)
    same(gpu, skeletonize, blobs)


@pytest.mark.parametrize("function", [skeletonize, thin])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, function, dtype):
    image = noise(RNG, (41, 53), dtype)
    image[RNG.random(image.shape) < 0.2] = 0
    same(gpu_of_each_kind, function, image)
    same(gpu_of_each_kind, function, image.T[::2, ::-3])
    if image.dtype.kind == "f":
        image[::5, ::3], image[1::5, ::3], image[2::5, ::3] = -0.0, np.nan, -np.inf
        image[3::5, ::3] = np.finfo(dtype).smallest_subnormal
        same(gpu_of_each_kind, function, image)


MOST = [0, 1, 2, 7, 8, 9, 16, 17, 33, -1, 2.5, 0.1, True, False, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("most", [*MOST, np.int64(3), np.float32(3.5), 10**100], ids=repr)
def test_as_many_rounds_as_are_wanted(gpu, most):
    same(gpu, thin, WORST["square"], max_num_iter=most)


def test_images_without_elements(gpu):
    for shape in ((0, 5), (5, 0), (0, 0)):
        same(gpu, skeletonize, np.ones(shape))
        same(gpu, skeletonize, np.ones((*shape, 3)))
        same(gpu, skeletonize, np.ones(shape), method="lee")
        assert gpu.invalid(thin, np.ones(shape))


@pytest.mark.parametrize("method", [None, "zhang", "lee", "other", ["zhang"], 1])
@pytest.mark.parametrize("axes", range(5))
def test_what_scikit_image_refuses_it_refuses_itself(gpu, method, axes):
    image = np.ones((3,) * axes, bool)
    try:
        skeletonize(image, method=method)
    except (TypeError, ValueError):
        assert gpu.invalid(skeletonize, image, method=method)
    if axes != 2:
        with pytest.raises(ValueError, match="2-dim"):
            thin(image)
        assert gpu.invalid(thin, image)


def test_what_is_left_to_scikit_image(gpu):
    for most in ("3", [3], np.array([3]), 1j):
        assert "max_num_iter" in gpu.declined(thin, HORSE, most)


@pytest.mark.parametrize("function", [skeletonize, thin])
def test_launches_and_copies_grow_with_the_rounds_alone(gpu, counting, function):
    """8 rounds a launch; the host asks after 2, 6, 14, 30, 62 of them."""
    side = 256
    for image, most, copies in (
        (np.zeros((side, side), bool), 4, 1),
        (np.ones((side, side), bool), 32, 4),
        (np.random.default_rng(1).random((side, side)) < 0.5, 4, 1),
        (spiral(side, 1), 8, 2),
        (comb(side), 8, 2),
        (meander(side, side), 8, 2),
    ):
        with counting() as counts:
            gpu.cupy(function, image)
        assert counts.launches <= most + 4
        assert counts.to_host <= copies + 1  # the result
        assert counts.kernel_bytes_read <= image.nbytes * (2 + most * 0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("function", [skeletonize, thin])
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, function, WORST["horse"])


def test_steps_of_lee_grow_with_the_thickness_alone(gpu, counting):
    """The host asks after 16, 48, 112, 240 and 496 of them."""
    for volume, most, copies in (
        (np.zeros((30, 30, 30), bool), 16, 1),
        (SOLIDS["vessels"], 112, 3),
        (SOLIDS["staircase"], 112, 3),
        (SOLIDS["holes"], 112, 3),
        (SOLIDS["cube"], 496, 5),
        (np.repeat(spiral(60, 1)[None], 12, 0), 112, 3),
        (meander(60, 61)[None], 48, 2),
    ):
        with counting() as counts:
            gpu.cupy(skeletonize, volume)
        assert counts.launches <= most + 4
        assert counts.to_host <= copies + 1  # the result


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
@pytest.mark.parametrize("volume", ["cube", "holes", "comb", "spiral"])
def test_no_step_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order, volume):
    with cuda_simulator.thread_order(order):
        same(gpu, skeletonize, SOLIDS[volume])
