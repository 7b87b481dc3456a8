"""skimage.segmentation.clear_border on the device clears scikit-image's very pixels."""

import warnings

import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import clear_border

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, FLOATS

RNG = np.random.default_rng(20)
SHAPES = [(1,), (70,), (5000,), (1, 90), (33, 65), (97, 200), (3, 2100), (9, 17, 65), (33, 65, 1)]


def same(run, labels, *args, **options):
    expected = clear_border(labels, *args, **options)
    result = run(clear_border, labels, *args, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int32"])
def test_any_shape_and_width(gpu, shape, dtype):
    for share in (0.2, 0.5):
        labels = RNG.choice(3, shape, p=(1 - share, share / 2, share / 2)).astype(dtype)
        for width in (0, 1, 2, 20, -1, -2, -5):
            if width < min(shape):
                same(gpu, labels, width)
                same(gpu, labels, width, 7)


@pytest.mark.parametrize("shape", [(5, 6, 7, 8), (3, 4, 9, 9, 40)], ids=str)
def test_masks_of_more_axes(gpu, shape):
    mask = RNG.random(shape) < 0.03
    for width in (0, 1):
        same(gpu, mask, width)
    ones = np.zeros(shape, bool)
    ones[1, 2, 3, 4] = True
    same(gpu, ones)
    ones[0, 2, 3, 4] = True
    same(gpu, ones)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_value(gpu_of_each_kind, dtype):
    labels = measure.label(data.coins()[:90, :150] > 120).astype(dtype)
    for value in (0, 1, 2.7, True, np.float32(3), np.int8(5)):
        same(gpu_of_each_kind, labels, bgval=value)


def test_background_at_the_border_is_cleared_and_else_is_not(gpu):
    frame = np.pad(np.zeros((40, 70), int), 3, constant_values=2)
    assert same(gpu, frame, bgval=5)[20, 20] == 0
    frame[0, 9] = 0
    assert same(gpu, frame, bgval=5)[20, 20] == 5


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_regions_without_their_fractions(gpu, dtype):
    labels = RNG.uniform(-2, 3, (60, 90)).astype(dtype)
    same(gpu, labels, bgval=0.5)
    labels[3, 4] = np.nan
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(clear_border, labels)


def test_mask_says_where_the_border_is(gpu_of_each_kind):
    labels = measure.label(RNG.random((80, 150)) < 0.3, connectivity=1)
    mask = np.ones(labels.shape, bool)
    same(gpu_of_each_kind, labels, mask=mask, bgval=9)
    mask[20:40, 30:35] = False
    for part in (mask, np.asfortranarray(mask), ~mask):
        same(gpu_of_each_kind, labels, mask=part)
        same(gpu_of_each_kind, labels, 900, 3, part)


@pytest.mark.parametrize("way", ["C", "F", "reversed"])
def test_labels_that_are_out(gpu, way):
    labels = measure.label(RNG.random((80, 150)) < 0.3, connectivity=1)
    expected = clear_border(labels)
    ours = np.asfortranarray(labels) if way == "F" else labels.copy()
    ours = ours[::-1] if way == "reversed" else ours
    expected = expected[::-1] if way == "reversed" else expected
    assert gpu(clear_border, ours, out=ours) is ours
    np.testing.assert_array_equal(ours, expected)
    import cupy as cp

    device = cp.asarray(labels)
    assert gpu(clear_border, device, out=device) is device
    np.testing.assert_array_equal(device.get(), clear_border(labels))


def test_a_path_through_all_boxes_is_one_region(gpu):
    path = np.zeros((131, 257), np.uint8)
    path[2:-2:2, 2:-2] = 1
    path[3:-2:4, -3] = path[5:-2:4, 2] = 1
    assert same(gpu, path, bgval=9).sum() > 10_000
    path[2, :2] = 1
    same(gpu, path, bgval=9)
    assert same(gpu, path)[2:-2].sum() == 0


@pytest.mark.parametrize(
    "options",
    [
        {"buffer_size": 5},
        {"buffer_size": 99},
        {"mask": np.ones((4, 6), bool)},
        {"mask": np.ones((5, 5), np.uint8)},
        {"bgval": 300},
        {"bgval": -1},
        {"bgval": np.inf},
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    labels = np.ones((5, 5), np.uint8)
    with pytest.raises((ValueError, TypeError, OverflowError)):
        clear_border(labels, **options)
    assert gpu.invalid(clear_border, labels, **options)


def test_images_without_axes_or_of_too_many_are_refused_by_scikit_image(gpu):
    for labels in (np.ones(()), np.ones((2, 2, 2, 2), int), np.ones((0, 3), int)):
        with pytest.raises((ValueError, NotImplementedError)):
            clear_border(labels)
        assert gpu.invalid(clear_border, labels)


def test_what_is_left_to_scikit_image(gpu):
    labels = np.ones((5, 5), np.uint8)
    assert "out" in gpu.declined(clear_border, labels, out=labels.copy())
    assert "buffer_size" in gpu.declined(clear_border, labels, 1.5)
    assert "bgval" in gpu.declined(clear_border, labels, bgval=[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "bgval" in gpu.declined(clear_border, labels, bgval=np.float64(np.nan))


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, dtype):
    for content in (RNG.random((256, 320)) * 3, np.zeros((256, 320)), np.eye(256, 320)):
        labels = content.astype(dtype)
        with counting() as counts:
            gpu(clear_border, labels)
        assert counts.launches == 3
        assert counts.kernel_bytes_read - 3 * labels.nbytes <= 16
        assert counts.kernel_bytes_written - (3 * 4 * labels.size + labels.nbytes) <= 16


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    labels = RNG.choice(3, (40, 130))
    with cuda_simulator.thread_order(order):
        same(gpu, labels, 1)


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of more than 2**30 pixels have them."""
    from skimage_gpu_backend.functions.segmentation import clear_border as room
    from skimage_gpu_backend.primitives import components

    monkeypatch.setattr(components, "MOST_PIXELS", 0)
    room._planned.cache_clear()
    try:
        for shape in [(97, 200), (9, 17, 65), (9000,)]:
            same(gpu, RNG.choice(3, shape).astype(np.int16), 1)
            same(gpu, RNG.random(shape) < 0.4)
    finally:
        room._planned.cache_clear()
