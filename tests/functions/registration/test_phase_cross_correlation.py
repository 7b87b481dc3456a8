"""Shifts between two images, found on the device."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import data
from skimage.registration import phase_cross_correlation

import cuda_simulator
from skimage_gpu_backend.functions.registration._disambiguation import _likeness
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
WHOLE = data.camera()[50:170, 60:200]
STILL, MOVED = WHOLE[10:90, 12:103], WHOLE[7:87, 17:108]
# odd and even lengths, around blocks of 256, and of one element
SHAPES = [(41, 53), (40, 52), (1, 40), (70, 1), (31,), (16,), (9, 10, 11), (8, 12, 6), (3, 4, 5, 6)]


def same(gpu, reference, moving, **options):
    shift, error, phase = phase_cross_correlation(reference, moving, **options)
    result = gpu(phase_cross_correlation, reference, moving, **options)
    np.testing.assert_array_equal(result[0], shift)
    assert result[0].dtype == shift.dtype
    single = {"e", "f", "F"} & {reference.dtype.char, moving.dtype.char}
    # of equal images both errors are what rounding leaves
    assert abs(result[1] ** 2 - error**2) <= (1e-5 if single else 1e-13) or np.isnan(error)
    turn = np.exp(1j * result[2]) - np.exp(1j * phase)  # half a turn to either side is one phase
    assert abs(turn) <= (1e-4 if single else 1e-10) or np.isnan(phase)
    assert [type(each) for each in result[1:]] == [type(error), type(phase)]
    return result


def moved(image, shift):
    return ndi.shift(image, shift, mode="grid-wrap", order=3)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normalization", ["phase", None])
@pytest.mark.parametrize("upsample_factor", [1, 2, 10, 3.5])
def test_images_of_any_shape(gpu_of_each_kind, shape, normalization, upsample_factor):
    still = image(shape)
    there = moved(still, RNG.uniform(-3, 3, len(shape)))
    options = {"normalization": normalization, "upsample_factor": upsample_factor}
    same(gpu_of_each_kind, still, there, **options)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "float32", "float64"])
def test_dtypes(gpu, dtype):
    still, there = (STILL > 99, MOVED > 99) if dtype == "bool" else (STILL // 2, MOVED // 2)
    for other in (dtype, "uint8", "float32"):
        for factor in (1, 10):
            pair = still.astype(dtype), there.astype(other)
            same(gpu, *pair, upsample_factor=factor)
            same(gpu, *pair, upsample_factor=factor, normalization=None)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("upsample_factor", [1, 10])
def test_complex_images_and_transforms(gpu_of_each_kind, dtype, upsample_factor):
    pair = [np.fft.fftn(each).astype(dtype) for each in (STILL, MOVED)]
    before = [each.copy() for each in pair]
    same(gpu_of_each_kind, *pair, space="Fourier", upsample_factor=upsample_factor)
    turned = [(each * 1j).astype(dtype) for each in (STILL, MOVED)]
    same(gpu_of_each_kind, *turned, upsample_factor=upsample_factor)
    same(gpu_of_each_kind, turned[0], MOVED, upsample_factor=upsample_factor)
    for each, was in zip(pair, before, strict=True):
        np.testing.assert_array_equal(each, was)
    real = [np.abs(each) for each in pair]
    same(gpu_of_each_kind, *real, space="fourier")


@pytest.mark.parametrize("factor", [1, 10])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_shifts_beyond_half_of_an_image(gpu_of_each_kind, dtype, factor):
    options, large = {"disambiguate": True, "upsample_factor": factor}, data.brick().astype(dtype)
    still = large[100:200, 100:220]
    for y, x in itertools.product((10, 60), (-70, 30)):
        there = large[100 - y : 200 - y, 100 - x : 220 - x]
        found = same(gpu_of_each_kind, still, there, **options)
        np.testing.assert_allclose(found[0], (-y, -x), atol=0.2)
    between = moved(large, (30.3, 40.6))[100:200, 100:220]
    same(gpu_of_each_kind, still, between, **options)


def test_shifts_that_are_as_likely(gpu):
    with pytest.raises(Declined, match="as likely"):
        gpu(phase_cross_correlation, STILL, np.roll(STILL, 30, 0), disambiguate=True)
    with pytest.raises(Declined, match="constant"):
        _likeness(10, 0.1, 3, 0, 2, 0)


@pytest.mark.parametrize("number", [-(2**63), 2**63 - 1, 2**64 - 1])
def test_integers_that_no_double_has_are_not_shifted(gpu, number):
    there = MOVED.astype("u8" if number > 2**63 else "i8")
    there[3, 4] = number
    with pytest.raises(Declined, match="2\\*\\*53"):
        gpu(phase_cross_correlation, STILL, there, disambiguate=True)


@pytest.mark.parametrize("shape", [(40,), (12, 13, 9), (1, 30)])
def test_shifts_of_rows_and_volumes(gpu, shape):
    still = image(shape)
    for factor in (1, 4):
        there = moved(still, RNG.uniform(-8, 8, len(shape)))
        same(gpu, still, there, disambiguate=True, upsample_factor=factor)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float32", "float64"])
def test_masks(gpu_of_each_kind, dtype):
    still, there = (each.astype(dtype) for each in (STILL, MOVED))
    valid, other = np.ones(still.shape, bool), np.ones(still.shape, "uint8")
    valid[:, :9], other[70:] = False, 0
    same(gpu_of_each_kind, still, there, reference_mask=valid)
    masks = {"reference_mask": valid, "moving_mask": other}
    for ratio in (0.1, 0.3, 0.9):
        same(gpu_of_each_kind, still, there, **masks, overlap_ratio=ratio)
    smaller = {"reference_mask": valid, "moving_mask": other[5:60, 20:80]}
    same(gpu_of_each_kind, still, there[5:60, 20:80], **smaller)


@pytest.mark.parametrize("shape", [(30,), (9, 10, 11), (1, 30), (3, 4, 5, 6)])
def test_masks_of_rows_and_volumes(gpu, shape):
    still = image(shape)
    there = np.roll(still, 1, -1)
    same(gpu, still, there, reference_mask=image(shape, "bool") | (still > 30))


def test_images_of_which_masks_leave_nothing(gpu):
    nothing = np.zeros(STILL.shape, bool)
    same(gpu, STILL, MOVED, reference_mask=nothing)
    odd = STILL.astype(float)
    odd[:, :5] = np.nan
    same(gpu, odd, MOVED, reference_mask=~np.isnan(odd), moving_mask=~nothing)
    same(gpu, odd, MOVED, reference_mask=~nothing)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    still, there = layout(STILL), layout(MOVED)
    same(gpu_of_each_kind, still, there, upsample_factor=5)
    same(gpu_of_each_kind, still, there, disambiguate=True)
    same(gpu_of_each_kind, still, there, reference_mask=layout(STILL > 30))


def test_images_with_nan_and_images_of_nothing(gpu_of_each_kind):
    odd = STILL.astype(float)
    odd[3, 4] = np.nan
    for factor in (1, 10):
        with pytest.raises(ValueError, match="NaN values found"):
            gpu_of_each_kind(phase_cross_correlation, odd, MOVED, upsample_factor=factor)
    with pytest.raises(Declined, match="0 everywhere"):
        gpu_of_each_kind(phase_cross_correlation, STILL * 0, MOVED)
    one = np.array([[2.0]])
    with pytest.warns(UserWarning, match="degenerate"):
        same(gpu_of_each_kind, one, one, disambiguate=True)


def test_shifts_that_only_rounding_tells_apart_are_left_to_scikit_image(gpu):
    stripes = np.tile(image((8, 1)), (4, 16))
    for pair in ((stripes, np.roll(stripes, 3, 0)), (np.ones((16, 16)), np.ones((16, 16)))):
        with pytest.raises(Declined, match="but for rounding"):
            gpu(phase_cross_correlation, *pair)
    with pytest.raises(Declined, match="but for rounding"):
        gpu(phase_cross_correlation, stripes, stripes, reference_mask=stripes > 0)
    flat = np.full((9, 9), 7.0)
    with pytest.raises(Declined, match="constant"):
        gpu(phase_cross_correlation, flat, flat, reference_mask=flat > 0)
    same(gpu, flat * 0, flat * 0, reference_mask=flat > 0)


def test_arguments_that_are_left_to_others(gpu):
    invalid, declined = gpu.invalid, gpu.declined
    assert invalid(phase_cross_correlation, STILL, MOVED[1:])
    assert invalid(phase_cross_correlation, STILL, MOVED, space="no such")
    assert invalid(phase_cross_correlation, STILL, MOVED, normalization="no such")
    assert invalid(phase_cross_correlation, STILL, MOVED, reference_mask=STILL[1:] > 9)
    assert invalid(phase_cross_correlation, STILL, MOVED[1:], reference_mask=STILL > 9)
    assert invalid(phase_cross_correlation, STILL, MOVED, moving_mask=STILL > 9)
    assert "float16" in declined(
        phase_cross_correlation, STILL.astype("f2"), MOVED.astype("f2"), disambiguate=True
    )
    real = STILL / 255, MOVED / 255
    options = {"space": "fourier", "upsample_factor": 2}
    assert "warns" in declined(phase_cross_correlation, *real, **options)
    assert "above 0" in declined(phase_cross_correlation, STILL, MOVED, upsample_factor=0)
    assert "fourier" in declined(phase_cross_correlation, STILL, MOVED, space="fourier")


def test_launches_and_bytes(gpu, counting):
    still, there = (each.astype("float32") for each in (STILL, MOVED))

    def counted(*pair, **options):
        gpu(phase_cross_correlation, *pair, **options)
        with counting() as counts:
            gpu(phase_cross_correlation, *pair, **options)
        return counts

    counts = counted(still, there)
    assert counts.launches == 5  # three of them are Fourier transforms
    # two images and their spectra, the product twice, the correlation
    assert counts.kernel_bytes_read + counts.kernel_bytes_written <= 10.5 * still.nbytes
    assert counted(STILL, MOVED).launches == 7
    assert counted(still, there, upsample_factor=10).launches == 10
    assert counted(still, there, disambiguate=True).launches <= 9
    assert counted(still, there, reference_mask=still > 30).launches == 6


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    small, other, results = STILL[:33, :41], MOVED[:33, :41], set()
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            found = same(gpu, small, other, upsample_factor=4, disambiguate=True)
            same(gpu, small, other, reference_mask=small > 30)
            results.add(repr(found))
    assert len(results) == 1
