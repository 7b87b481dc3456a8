"""skimage.segmentation's new numbers of labels on the device are scikit-image's, and its maps."""

import warnings

import cupy as cp
import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import join_segmentations, relabel_sequential

from skimage_gpu_backend.trouble import Declined
from skimage_gpu_backend.upstream.layout import as_public
from tests.functions.images import INTEGERS

RNG = np.random.default_rng(23)
LABELS = measure.label(data.coins()[40:80, 20:90] > 120).astype(np.int32)
OTHER = np.repeat(np.arange(14, dtype=np.int32), 5)[np.newaxis].repeat(40, axis=0)


def same(run, function, *args, **options):
    expected = function(*args, **options)
    result = run(function, *args, **options)
    ours, theirs = (each if isinstance(each, tuple) else (each,) for each in (result, expected))
    assert len(ours) == len(theirs)
    for one, other in zip(_arrays(ours), _arrays(theirs), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    return result


def _arrays(results):
    for each in results:
        yield from (each.in_values, each.out_values) if hasattr(each, "in_values") else [each]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_any_dtype_and_offset(gpu, dtype):
    labels = (7 * RNG.choice(9, (30, 41)) + 3).astype(dtype)
    for offset in (1, 5, 2.5, True, 118, 119, 120, 246, 247, 248, 70000):
        same(gpu, relabel_sequential, labels, offset)
        same(gpu, relabel_sequential, labels - labels.min(), offset)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_labels_up_to_the_end_of_their_range(gpu, dtype):
    high = np.iinfo(dtype).max
    for values in ([0, 1, high], [high], [high - 1, high], [5, high // 2, high]):
        same(gpu, relabel_sequential, RNG.choice(np.array(values, dtype), (9, 11)))


@pytest.mark.parametrize("values", [[0], [7], [0, 9], [1, 2, 3], range(1000), [1, 10**9]], ids=str)
@pytest.mark.parametrize("shape", [(1,), (50,), (1, 1), (20, 31), (5, 6, 7), (2, 3, 2, 3)], ids=str)
def test_any_values_and_shape(gpu, values, shape):
    same(gpu, relabel_sequential, RNG.choice(list(values), shape))


def test_labels_of_any_layout(gpu):
    for labels in (np.asfortranarray(LABELS), LABELS[::-1, ::2]):
        same(gpu, relabel_sequential, labels)
        same(gpu, join_segmentations, labels, labels.T.copy().T, return_mapping=True)


def test_maps_take_arrays_of_the_callers_kind(gpu, enabled):
    labels = cp.asarray(LABELS)
    decision = gpu._decide(relabel_sequential, (labels,), {"offset": 5})
    relabelled, forward, inverse = decision.run()
    assert type(forward[labels]) is type(relabelled) is cp.ndarray
    cp.testing.assert_array_equal(forward[labels], relabelled)
    cp.testing.assert_array_equal(inverse(relabelled), labels)
    assert len(forward) == LABELS.max() + 1
    forward[1] = 99
    assert int(forward[1]) == 99
    _, forward, _ = gpu(relabel_sequential, LABELS)
    assert as_public(type(forward).__module__).startswith("skimage.")


@pytest.mark.parametrize("pair", [(a, b) for a in INTEGERS for b in ("uint8", "int16", "int32", a)])
def test_joined_dtypes(gpu, pair):
    first, second = (OTHER % 6).astype(pair[0]), (OTHER.T[:14].repeat(3, 0)[:40] % 5)
    second = np.resize(second, first.shape).astype(pair[1])
    if np.result_type(*pair).kind == "f":
        for run in (lambda function, *args: function(*args), gpu):
            with pytest.raises(TypeError, match="must have an integer dtype"):
                run(join_segmentations, first, second)
        return
    same(gpu, join_segmentations, first, second, return_mapping=True)
    same(gpu, join_segmentations, first, second)


def test_joined_labels_that_are_many(gpu):
    first, second = RNG.integers(0, 10**6, (2, 40, 50))
    same(gpu, join_segmentations, first, second, return_mapping=True)
    same(gpu, join_segmentations, first + 1, second + 1, return_mapping=True)
    same(gpu, join_segmentations, LABELS, OTHER, True)


def test_negative_labels_are_refused_in_scikit_images_words(gpu):
    for function, args in (
        (relabel_sequential, (LABELS - 3,)),
        (join_segmentations, (LABELS, -LABELS)),
    ):
        with pytest.raises(ValueError, match="negative") as theirs:
            function(*args)
        with pytest.raises(ValueError) as ours:
            gpu(function, *args)
        assert str(ours.value) == str(theirs.value)


def test_numbers_that_wrap_are_as_in_scikit_image(gpu):
    """Of 8 bits, products of labels become negative or meet each other."""
    first, second = (np.arange(200).reshape(10, 20) // n % 12 for n in (1, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(gpu, join_segmentations, first.astype(np.uint8), 3 * second.astype(np.uint8))
        for run in (lambda function, *args: function(*args), gpu):
            with pytest.raises(ValueError, match="negative"):
                run(join_segmentations, first.astype(np.int16), (1000 * second).astype(np.int16))
        with pytest.raises(Declined, match="largest number"):
            gpu(join_segmentations, first.astype(np.uint8), np.full(first.shape, 255, np.uint8))


@pytest.mark.parametrize(
    "labels, offset",
    [
        (LABELS, 0),
        (LABELS, -1),
        (LABELS.astype(float), 1),
        (LABELS > 0, 1),
        (LABELS[:0], 1),
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, labels, offset):
    with pytest.raises((ValueError, TypeError)):
        relabel_sequential(labels, offset)
    assert gpu.invalid(relabel_sequential, labels, offset)
    if offset == 1:
        assert gpu.invalid(join_segmentations, labels, labels)


def test_what_is_left_to_scikit_image(gpu):
    for offset in ("1", None, np.inf, 2**63):
        assert "offset" in gpu.declined(relabel_sequential, LABELS, offset)
    assert gpu.invalid(join_segmentations, LABELS, LABELS[1:])
    maps = np.ones(2)
    assert "return_mapping" in gpu.declined(join_segmentations, LABELS, LABELS, maps)


def test_the_number_of_labels_does_not_decide_about_launches(gpu, counting):
    def launched(labels):
        with counting() as counts:
            gpu(relabel_sequential, labels)
        return counts.launches

    few, many = RNG.integers(0, 3, (100, 120)), RNG.integers(0, 9000, (100, 120))
    assert launched(few) == launched(many)
