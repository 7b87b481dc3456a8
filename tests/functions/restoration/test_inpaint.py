"""Holes are filled as scikit-image fills them, all at once."""

import numpy as np
import pytest
from skimage import data
from skimage.restoration import inpaint_biharmonic

from skimage_gpu_backend.functions.restoration import inpaint
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(67)
COINS = data.coins()[20:116, 30:150] / 255
COLOR = data.astronaut()[100:164, 200:272]


def spots(shape, count, radius):
    """Round holes, some of them at the border, some in each other."""
    grid, found = np.indices(shape), np.zeros(shape, bool)
    for _ in range(count):
        centre = [RNG.integers(0, n) for n in shape]
        squares = [(a - c) ** 2 for a, c in zip(grid, centre, strict=True)]
        found |= sum(squares) <= radius * radius
    return found


def lines(shape, count, width):
    """Scratches through all of the image."""
    (y, x), found = np.indices(shape), np.zeros(shape, bool)
    for angle in np.linspace(0, np.pi, count, endpoint=False):
        y0, x0 = RNG.integers(0, shape[0]), RNG.integers(0, shape[1])
        found |= abs((y - y0) * np.cos(angle) - (x - x0) * np.sin(angle)) < width / 2
    return found


def box(shape, *slices):
    found = np.zeros(shape, bool)
    found[slices] = True
    return found


SHAPE = COINS.shape
MASKS = {
    "none": np.zeros(SHAPE, bool),
    "pixels": RNG.random(SHAPE) < 0.1,
    "half": RNG.random(SHAPE) < 0.5,
    "most": RNG.random((44, 60)) < 0.97,
    "spots": spots(SHAPE, 20, 4),
    "scratches": lines(SHAPE, 4, 3),
    "row": box(SHAPE, slice(50, 53)),
    "column": box(SHAPE, slice(None), slice(7, 11)),
    "top": box(SHAPE, slice(0, 4), slice(9, 30)),
    "corner": box(SHAPE, slice(80, None), slice(100, None)),
    "net": lines(SHAPE, 7, 3),
    "ring": spots(SHAPE, 1, 0) | (abs(np.hypot(*(np.indices(SHAPE) - 50)) - 40) < 2),
    "large": box(SHAPE, slice(10, 60), slice(20, 60)),
    "frame": ~box(SHAPE, slice(3, -3), slice(5, -5)),
    "but one": ~box((12, 13), 3, 4),
}


def close(run, image, mask, within=1e-9, **options):
    """As scikit-image: known pixels to the bit, others nearly."""
    expected = inpaint_biharmonic(image, mask, **options)
    found = run(inpaint_biharmonic, image, mask, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * np.ptp(expected))
    axis = options.get("channel_axis")
    if axis is not None:
        expected, found = np.moveaxis(expected, axis, -1), np.moveaxis(found, axis, -1)
    known = ~np.asarray(mask).astype(bool)
    np.testing.assert_array_equal(found[known], expected[known])


@pytest.mark.parametrize("mask", MASKS)
def test_any_holes(gpu_of_each_kind, mask):
    wanted = MASKS[mask]
    image = COINS[: wanted.shape[0], : wanted.shape[1]]
    close(gpu_of_each_kind, image, wanted)
    close(gpu_of_each_kind, image, wanted, split_into_regions=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = noise_of(RNG, (41, 34), dtype)
    within = 1e-4 if image.dtype.char in "ef" else 1e-9
    for given in (image, image.T, image[::-1, ::2]):
        close(gpu_of_each_kind, given, spots(given.shape, 6, 2), within)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mask_of_any_dtype(gpu, dtype):
    mask = (MASKS["spots"] * 3).astype(dtype)
    close(gpu, COINS, mask)
    if dtype[0] == "f":
        close(gpu, COINS, np.where(mask, np.asarray(np.nan, dtype), mask))


def test_layouts(gpu_of_each_kind):
    mask = MASKS["spots"]
    close(gpu_of_each_kind, np.asfortranarray(COINS), mask)
    close(gpu_of_each_kind, COINS, np.asfortranarray(mask))
    close(gpu_of_each_kind, COINS.astype(">f8")[:, ::-1], mask[::-1])
    close(gpu_of_each_kind, np.repeat(COINS, 2, 1)[:, ::2], np.repeat(mask, 3, 0)[::3])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_channels(gpu_of_each_kind, axis):
    mask = spots(COLOR.shape[:2], 9, 3)
    image = np.moveaxis(COLOR, -1, axis)
    close(gpu_of_each_kind, image, mask, channel_axis=axis)
    close(gpu_of_each_kind, np.moveaxis(COLOR[..., :1], -1, axis), mask, channel_axis=axis)


def test_many_channels(gpu):
    image = RNG.random((9, 12, 150)) * np.arange(1, 151)
    close(gpu, image, box((9, 12), slice(3, 7), slice(4, 9)), channel_axis=-1)
    close(gpu, image, box((12, 150), slice(3, 7), slice(4, 9)), channel_axis=0)


@pytest.mark.parametrize(
    "shape",
    [
        *((40,), (2,), (1, 40), (40, 1), (2, 2), (3, 30), (5, 4), (1, 30, 1), (9, 13, 11)),
        *((2, 9, 3), (4, 5, 3, 4), (2,) * 8, (3, 2, 1, 2, 4, 2)),
    ],
)
def test_any_axes(gpu, shape):
    image = RNG.random(shape)
    for share in (0.1, 0.4, 0.7)[: 3 if image.size < 100 else 1]:
        mask = RNG.random(shape) < share
        mask.ravel()[0] = False
        close(gpu, np.stack([image, 3 - image]), mask, channel_axis=0)


def test_single_precision_is_as_right_as_double(gpu):
    """scikit-image solves in single precision, and loses up to a thousandth in large holes."""
    mask = MASKS["large"]
    single = COINS.astype(np.float32)
    exact = inpaint_biharmonic(single.astype(float), mask)
    found = gpu(inpaint_biharmonic, single, mask)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-7)
    theirs = abs(inpaint_biharmonic(single, mask) - exact).max()
    assert abs(found - exact).max() < theirs / 10


def test_what_is_nan_in_the_mask_is_not_looked_at(gpu):
    mask = MASKS["spots"]
    for value in (np.nan, np.inf):
        image = np.where(mask, value, COINS)
        close(gpu, image, np.isnan(image) | np.isinf(image))


def test_results_keep_to_the_range_of_each_channel(gpu):
    image = np.zeros((30, 40, 2))
    image[:, 20:], image[..., 1] = 1, image[..., 1] * 5 - 2
    mask = box((30, 40), slice(10, 20), slice(12, 28))
    found = gpu(inpaint_biharmonic, image, mask, channel_axis=-1)
    expected = inpaint_biharmonic(image, mask, channel_axis=-1)
    assert (expected == 0).any() and (expected == 1).any()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    assert found.min() == -2 and found.max() == 1


def test_indices_of_64_bits(gpu, monkeypatch):
    monkeypatch.setattr(inpaint, "_FEW_PIXELS", 0)
    for image, mask in ((COINS, MASKS["spots"]), (COINS.astype(np.float32), MASKS["scratches"])):
        close(gpu, image, mask, 1e-4 if image.itemsize == 4 else 1e-9)


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_any_order_of_threads(gpu, strict, monkeypatch, order):
    """Holes that few threads solve and holes that many do."""
    monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
    mask = spots((40, 70), 4, 2)
    mask[4:32, 30:60] = True
    close(gpu, COINS[:40, :70], mask)
    close(gpu, COLOR[:9, :11], MASKS["but one"][:9, :11], channel_axis=-1)


def test_launches_do_not_grow_with_the_holes(gpu, counting):
    for name, launches in (("pixels", 17), ("spots", 17), ("row", 17), ("large", 26)):
        mask = MASKS[name]
        with counting() as counts:
            gpu.cupy(inpaint_biharmonic, COINS, mask)
        assert counts.launches == launches
        assert counts.bytes_to_host - COINS.nbytes < 150
        # stencils are read three times, of eight-byte numbers
        per_pixel, per_wanted = 8 + 8 + 2 * 4 + 4, 700 if name != "large" else 8000
        read = COINS.size * 2 * per_pixel + mask.sum() * per_wanted
        assert counts.kernel_bytes_read < read


@pytest.mark.parametrize("panels", [1, 3, 17])
def test_a_factorization_cut_into_launches_gives_the_same(gpu, counting, monkeypatch, panels):
    """Forth and back, of holes of different sizes, so that each ends in another launch."""
    for mask in (MASKS["large"], MASKS["spots"] | MASKS["row"]):
        expected = gpu.cupy(inpaint_biharmonic, COINS, mask)
        with counting() as whole:
            gpu.cupy(inpaint_biharmonic, COINS, mask)
        with monkeypatch.context() as patch, counting() as cut:
            patch.setattr(inpaint, "_MOST_PANELS", panels)
            found = gpu.cupy(inpaint_biharmonic, COINS, mask)
        np.testing.assert_array_equal(found, expected)
        assert cut.launches > whole.launches


@pytest.mark.parametrize("processors", [16, 132, 1])
def test_no_launch_of_a_large_hole_has_more_work_than_a_watchdog_allows(
    gpu, monkeypatch, processors
):
    monkeypatch.setattr(inpaint, "resident_blocks", lambda threads: processors)
    seen, launch = [], inpaint.launch

    def watched(source, expression, args, **size):
        if expression.startswith("solve"):
            begin, behind = args[-3:-1]
            seen.append((args[4], behind - begin, size["work"] // size["block"]))
        launch(source, expression, args, **size)

    monkeypatch.setattr(inpaint, "launch", watched)
    monkeypatch.setattr(inpaint, "_AT_ONCE", 100_000)
    for mask in (MASKS["large"], MASKS["large"] | MASKS["pixels"]):
        close(gpu, COINS, mask)
    assert len(seen) > 20
    wide = [panels * 8 * 48**2 for most, panels, _ in seen if most > 48]
    assert max(wide) <= 100_000


def test_known_pixels_that_are_no_numbers_are_declined(gpu):
    for value in (np.nan, np.inf, -np.inf):
        image = COINS.copy()
        image[0, 5] = value
        for mask in ("none", "corner"):
            with pytest.raises(Declined, match=r"^image has NaN or infinities"):
                gpu(inpaint_biharmonic, image, MASKS[mask])


@pytest.mark.parametrize("dtype, large", [("float32", 1e34), ("float64", 1e304)])
def test_values_whose_sums_may_be_infinite_are_declined(gpu, dtype, large):
    image = COINS.astype(dtype)
    image[0, 5] = large
    with pytest.raises(Declined, match="near the largest floats"):
        gpu(inpaint_biharmonic, image, MASKS["corner"])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_holes_without_a_matrix(gpu_of_each_kind, monkeypatch, dtype):
    """Beside others that have one."""
    monkeypatch.setattr(inpaint, "_MUCH_WORK", 1000)
    image = COLOR / np.array(255, dtype)
    for mask in (lines(COLOR.shape[:2], 5, 3) | spots(COLOR.shape[:2], 9, 1), MASKS["half"]):
        mask = mask[:64, :72]
        close(gpu_of_each_kind, image, mask, 1e-9 if dtype == "float64" else 1e-4, channel_axis=-1)
        close(gpu_of_each_kind, image[..., 0] * 0 + np.eye(64, 72, dtype=dtype), mask, 1e-4)
    if dtype == "float64":
        for scale in (1e160, 1e-160, 1e300):  # whose squares are no numbers any more
            close(gpu_of_each_kind, image[..., 0] * scale, mask)
    volume = RNG.random((9, 13, 11))
    close(gpu_of_each_kind, volume, RNG.random(volume.shape) < 0.6)


def test_few_iterations_fill_a_plane_of_which_half_is_lost(gpu, monkeypatch, counting):
    monkeypatch.setattr(inpaint, "_MUCH_WORK", 1000)
    with counting() as counts:
        gpu.cupy(inpaint_biharmonic, COINS, MASKS["half"])
    assert counts.launches < 30 + 2 * 160


def test_a_hole_too_wide_for_steps_gets_a_matrix_or_is_declined(gpu, monkeypatch):
    monkeypatch.setattr(inpaint, "_MUCH_WORK", 1000)
    monkeypatch.setattr(inpaint, "_LAST", 60)
    close(gpu, COINS, MASKS["large"])
    close(gpu, COLOR, MASKS["large"][:64, :72] | MASKS["pixels"][:64, :72], channel_axis=-1)
    monkeypatch.setattr(inpaint, "_MOST_WORK", 1000)
    with pytest.raises(Declined, match=r"^mask has a hole of 2000 pixels"):
        gpu(inpaint_biharmonic, COINS, MASKS["large"])


def test_what_is_wanted_needs_a_known_pixel(gpu):
    with pytest.raises(ValueError) as expected:
        inpaint_biharmonic(COINS, np.ones(SHAPE))
    with pytest.raises(ValueError) as raised:
        gpu(inpaint_biharmonic, COINS, np.ones(SHAPE))
    assert str(raised.value) == str(expected.value)


def test_a_mask_that_no_kernel_knows_is_declined(gpu):
    for dtype in (np.longdouble, complex):
        reason = gpu.declined(inpaint_biharmonic, COINS, MASKS["spots"].astype(dtype))
        assert "mask.astype(bool)" in reason
