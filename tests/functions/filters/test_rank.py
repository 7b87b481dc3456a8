"""skimage.filters.rank on the device: scikit-image's very grey values."""

import warnings

import cupy as cp
import numpy as np
import pytest
from skimage import data
from skimage.filters import rank
from skimage.morphology import ball, disk

import cuda_simulator
from skimage_gpu_backend.functions.filters import rank as plans

RNG = np.random.default_rng(3)
PHOTO = data.camera()[200:270, 60:170]
DEEP = PHOTO.astype(np.uint16) * 3  # 10 bits
DEEPEST = PHOTO.astype(np.uint16) * 257
VOLUME = RNG.integers(0, 40, (9, 11, 37), np.uint8)
DISK = disk(2)
SHARES = {"p0": 0.1, "p1": 0.85}
# one function of each kernel, and of each branch in it
FEW = {
    "mean": {},
    "pop_bilateral": {"s0": 20},
    "autolevel": {},
    "equalize": {},
    "noise_filter": {},
    "geometric_mean": {},
    "median": {},
    "threshold_percentile": {"p0": 0.3},
    "autolevel_percentile": SHARES,
    "gradient_percentile": SHARES,
    "mean_percentile": SHARES,
    "entropy": {},
    "modal": {},
    "otsu": {},
    "windowed_histogram": {},
}
few = pytest.mark.parametrize(("name", "options"), FEW.items(), ids=FEW)


def same(run, name, *args, **kwargs):
    function = getattr(rank, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = run(function, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if expected.dtype == np.float64:
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12 * expected.max())
    else:
        np.testing.assert_array_equal(result, expected)


@few
@pytest.mark.parametrize("image", [PHOTO, DEEP, DEEPEST], ids=["8 bits", "10 bits", "16 bits"])
def test_photograph(gpu_of_each_kind, name, options, image):
    if name == "windowed_histogram" and image is DEEPEST:
        image = image // 50  # more bins than a block has room for are declined
    same(gpu_of_each_kind, name, image, DISK, **options)


@few
@pytest.mark.parametrize("footprint", [np.ones((1, 1)), np.ones((4, 7)), disk(11), np.eye(5)[::2]])
def test_footprints(gpu, name, options, footprint):
    image = DEEPEST if footprint.size < 50 and name != "windowed_histogram" else PHOTO
    same(gpu, name, image[:33, :67], footprint, **options)
    same(gpu, name, PHOTO[:5, :3], footprint, **options)


@few
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint64", "int64", "f2", "f4", "f8"])
def test_footprints_on_the_device_are_read_there(gpu, name, options, dtype):
    footprint = np.where(RNG.random((5, 6)) < 0.6, RNG.integers(1, 200, (5, 6)), 0).astype(dtype)
    if footprint.dtype.kind in "if":
        footprint[1] *= -1
    if footprint.dtype.kind == "f":
        footprint[2, :5] = np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).tiny
    for image in (PHOTO, DEEP):
        same(gpu.cupy, name, image, footprint, shift_x=-1, shift_y=2, **options)
    same(gpu.cupy, name, PHOTO[:33], footprint[::2, ::-1], **options)


@few
def test_small_footprints_on_the_device_are_not_copied(gpu, counting, name, options):
    function = getattr(rank, name)
    image, footprint = cp.asarray(PHOTO), cp.asarray(DISK)
    with counting() as counts:
        gpu(function, image, footprint, **options)
        gpu(function, image, cp.ones((16, 16), bool), **options)
    copied = {"windowed_histogram": 4, "entropy": 2, "modal": 2, "otsu": 2}
    assert counts.to_host == copied.get(name, 0)


@pytest.mark.parametrize("name", ["modal", "otsu", "entropy"])
@pytest.mark.parametrize("shape", [(1, 2), (3, 3), (2, 5), (4, 4), (1, 17), (5, 5), (2, 13)])
def test_equal_values_in_footprints_around_those_that_are_sorted(gpu, name, shape):
    for image in (PHOTO // 64, RNG.integers(0, 3, (40, 50)).astype(np.uint8)):
        mask = RNG.random(image.shape) < 0.8
        same(gpu, name, image, np.ones(shape))
        same(gpu, name, image, np.ones(shape), mask=mask)


@few
def test_masks_leave_windows_empty(gpu_of_each_kind, name, options):
    mask = RNG.random(PHOTO.shape) < 0.1
    same(gpu_of_each_kind, name, PHOTO, np.ones((3, 4)), mask=mask, **options)
    same(gpu_of_each_kind, name, PHOTO, np.zeros((3, 3)), **options)


@pytest.mark.parametrize("name", [n for n in FEW if "_" not in n])
def test_volumes(gpu_of_each_kind, name):
    same(gpu_of_each_kind, name, VOLUME, ball(2))
    same(gpu_of_each_kind, name, VOLUME, np.ones((3, 2, 5)), shift_x=1, shift_z=-2)


@few
def test_strided_images(gpu_of_each_kind, name, options):
    for image in (PHOTO.T, PHOTO[::-1, ::-1], PHOTO[::2, ::3]):
        same(gpu_of_each_kind, name, image, DISK, **options)


@pytest.mark.parametrize("name", ["pop", "sum", "mean", "subtract_mean"])
@pytest.mark.parametrize("shares", [{}, {"p0": -0.5, "p1": 1.5}], ids=["default", "beyond"])
@pytest.mark.parametrize("image", [PHOTO, DEEPEST], ids=["8 bits", "16 bits"])
def test_shares_of_everything_need_no_places(gpu, name, shares, image):
    same(gpu, f"{name}_percentile", image, DISK, mask=np.median(PHOTO) < PHOTO, **shares)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float64"])
@pytest.mark.parametrize("name", ["sum", "subtract_mean", "entropy", "median", "mean_percentile"])
def test_results_in_another_dtype(gpu_of_each_kind, name, dtype):
    """Wider results do not wrap around and keep fractions."""

    def run(function, image, footprint, out):
        result = gpu_of_each_kind(function, image, footprint, out=out.copy())
        return result

    function = getattr(rank, name)
    expected = function(PHOTO, DISK, out=np.zeros(PHOTO.shape, dtype))
    result = run(function, PHOTO, DISK, np.zeros(PHOTO.shape, dtype))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-12 if dtype == "float64" else 0)


@pytest.mark.parametrize("bits", [10, 11])
def test_many_bins_warn_as_scikit_image_does(gpu, bits):
    image = np.array([[0, 2**bits - 1]], np.uint16)
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        rank.median(image, np.ones((1, 2)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gpu(rank.median, image, np.ones((1, 2)))
    assert [str(w.message) for w in told] == [str(w.message) for w in expected]


def test_what_is_left_to_others(gpu):
    mean = rank.mean
    assert gpu.declined(mean, PHOTO, DISK, shift_x=True)
    assert gpu.declined(mean, PHOTO, DISK, mask=np.ones((2, 2)))
    assert gpu.declined(mean, PHOTO, np.ones((201, 201)))
    assert gpu.declined(mean, PHOTO, DISK, PHOTO.astype("float32"))
    for arguments in [
        (PHOTO > 9, DISK), (PHOTO[0], DISK), (PHOTO, DISK[0]), (PHOTO, [DISK]), (VOLUME, DISK),
        (PHOTO, DISK, None, None, 3), (PHOTO[:0], DISK), (PHOTO, DISK, PHOTO.copy("F")),
    ]:  # fmt: skip
        assert gpu.invalid(mean, *arguments)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("percentile", {"p0": "a"}),
        ("percentile", {"p0": 10**400}),
        ("mean_percentile", {"p1": None}),
        ("mean_bilateral", {"s0": 2**63}),
        ("mean_bilateral", {"s1": [1]}),
        ("windowed_histogram", {"n_bins": 2.0}),
        ("mean", {"mask": 1}),
        ("mean", {"out": [0]}),
        ("mean", {"shift_y": "a"}),
    ],
)
def test_odd_arguments_are_left_to_scikit_image(gpu, name, options):
    assert gpu.declined(getattr(rank, name), PHOTO, DISK, **options)


def test_histograms_that_do_not_fit_are_declined_before_anything_runs(gpu):
    many = gpu.declined(rank.windowed_histogram, PHOTO, DISK, n_bins=257)
    assert many.startswith("n_bins=257 is above the number of grey values")
    wide = np.ones((150, 90), bool)  # for tiles of 32 columns there would be room
    reason = gpu.declined(rank.windowed_histogram, data.camera(), wide, n_bins=8)
    assert reason.startswith("image has values that need histograms of 256 bins, more than fit")


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_masks_that_their_largest_value_scales_are_seen_whole(dtype):
    """1 is inside the mask where no other value is above 255, else outside."""
    image = PHOTO.astype(dtype)
    assert plans.mean(image, DISK, mask=np.ones(PHOTO.shape, np.int32)).reach is None
    for harmless in ("bool", "int8", "uint8", "float32"):
        assert plans.mean(image, DISK, mask=np.ones(PHOTO.shape, harmless)).reach.halo == (2, 2)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_the_next_frame_finds_its_plan(dtype):
    image = PHOTO.astype(dtype)
    made = plans.mean(image, DISK)
    assert plans.mean(image + 1, DISK.astype(bool)) is made
    assert plans.mean(image, DISK, shift_x=1) is not made
    assert plans.maximum(image, DISK) is not made


@few
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_launches_and_bytes(gpu, counting, name, options, dtype):
    image = data.camera()[:128, :128].astype(dtype)
    if name == "windowed_histogram":
        options = {"n_bins": 8}
    same_size = 8 if name == "entropy" else 64 if name == "windowed_histogram" else image.itemsize
    passes = 1 if dtype == "uint8" else 2  # the scale of 16 bits ends at the largest value
    with counting() as counts:
        gpu(getattr(rank, name), image, DISK, **options)
    assert counts.launches == passes
    assert counts.kernel_bytes_written - same_size * image.size < 4000
    assert 0 < counts.kernel_bytes_read - passes * image.nbytes <= 4 * 3 * DISK.size


@few
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, name, options):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, name, PHOTO[:35, :70], DISK, **options)
            same(gpu, name, PHOTO[:4, :70], disk(11), **options)
