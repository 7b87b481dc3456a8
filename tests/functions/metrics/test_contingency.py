"""Contingency tables on the device, and what is made of them, are scikit-image's."""

import warnings

import numpy as np
import pytest
from skimage.metrics import adapted_rand_error, contingency_table, variation_of_information

from skimage_gpu_backend.functions.metrics import contingency
from skimage_gpu_backend.trouble import Declined
from skimage_gpu_backend.upstream.layout import past_warnings
from tests.functions.images import INTEGERS

RNG = np.random.default_rng(8)
OF_PAIRS = (adapted_rand_error, variation_of_information)


def labels(shape=(45, 71), dtype="int64", most=9):
    return RNG.integers(0, most, shape).astype(dtype)


def same_table(run, *args, **options):
    expected = contingency_table(*args, **options)
    result = run(contingency_table, *args, **options)
    assert type(result) is type(expected)
    assert (result.shape, result.dtype, result.nnz) == (
        expected.shape,
        expected.dtype,
        expected.nnz,
    )
    assert result.has_canonical_format
    assert result.indices.dtype == expected.indices.dtype
    np.testing.assert_array_equal(result.indices, expected.indices)
    np.testing.assert_array_equal(result.indptr, expected.indptr)
    np.testing.assert_allclose(result.data, expected.data, rtol=1e-12)


def same(run, function, *args, **options):
    expected, result = function(*args, **options), run(function, *args, **options)
    assert type(result) is type(expected)
    assert type(result[0]) is type(expected[0])
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_any_dtype_shape_and_layout(gpu_of_each_kind, dtype):
    for shape in ((300,), (45, 71), (5, 6, 7)):
        first, second = labels(shape, dtype), labels(shape, "uint8", 4)
        for pair in ((first, second), (second, first), (first.T, second.T), (first, first[::-1])):
            same_table(gpu_of_each_kind, *pair)
            for function in OF_PAIRS:
                same(gpu_of_each_kind, function, *pair)


@pytest.mark.parametrize(
    "ignored", [None, (), (0,), [1, 3], np.array([2, 77]), 2, (1.0, 0.5), (-1,)]
)
def test_labels_that_do_not_count(gpu, ignored):
    pair = labels(), labels()
    for options in ({}, {"normalize": True}, {"sparse_type": "array"}):
        same_table(gpu, *pair, ignore_labels=ignored, **options)
    for function in OF_PAIRS:
        same(gpu, function, *pair, ignore_labels=ignored)


def test_any_weight_of_precision(gpu):
    for alpha in (0, 0.3, 1, np.float32(0.25)):
        same(gpu, adapted_rand_error, labels(), labels(), alpha=alpha)


def test_equal_images_and_sparse_labels(gpu):
    image = labels() * 1000
    for function in OF_PAIRS:
        same(gpu, function, image, image)
    same_table(gpu, image, image)


@pytest.mark.parametrize("most", [(200, 256), (257, 30), (2**20, 3), (2**24, 4)])
def test_few_pairs_are_listed(gpu, counting, most):
    images = labels(most=most[0]), np.sort(labels(dtype="uint16", most=most[1]))
    images[0][0, 0] = most[0] - 1
    same_table(gpu, *images)
    with counting() as counts:
        gpu(contingency_table, *images)
    assert counts.launches == 1
    assert counts.to_host == 1
    assert counts.bytes_to_host <= 66_000


@pytest.mark.parametrize(
    ("pairs", "launches", "copies"), [(4097, 1, 2), (16384, 1, 2), (16385, 2, 2)]
)
@pytest.mark.parametrize("step", [1, 1000])
def test_the_list_of_pairs_has_an_end(gpu, counting, pairs, launches, copies, step):
    first = np.resize(np.arange(pairs), (300, 300))
    images = first // 100 * step, first % 100
    same_table(gpu, *images)
    with counting() as counts:
        gpu(contingency_table, *images)
    if step == 1 or launches == 1:
        assert (counts.launches, counts.to_host) == (launches, copies)


@pytest.mark.parametrize(
    ("most", "launches", "copies"),
    [((200, 256), 1, 1), ((257, 30), 2, 2), ((2000, 3), 6, 2), ((2**20, 3), 12, 4)],
)
def test_larger_images_have_a_table(gpu, counting, monkeypatch, most, launches, copies):
    monkeypatch.setattr(contingency, "_LISTED", 99 * 99)
    monkeypatch.setattr(contingency, "_SIDE", 256 if most[0] < 2000 else 64)
    images = labels((99, 100), most=most[0]), np.sort(labels((99, 100), "uint16", most[1]))
    images[0][0, 0] = most[0] - 1
    same_table(gpu, *images)
    with counting() as counts:
        gpu(contingency_table, *images)
    assert counts.launches <= launches
    assert counts.to_host <= copies


def test_labels_that_a_list_does_not_hold(gpu):
    image = labels() + 2**24 - 5
    same_table(gpu, image, labels(most=3))
    same_table(gpu, labels(most=3), image)


def test_table_of_pairs_that_is_larger_than_the_first(gpu, counting):
    images = labels((300, 300), most=800), labels((300, 300), most=100)
    same_table(gpu, *images)
    with counting() as counts:
        gpu(contingency_table, *images)
    assert counts.launches == 6


def test_labels_beyond_64_bits_with_a_sign(gpu):
    image = np.array([[0, 2**63 + 5]], "uint64")
    with pytest.raises(Declined, match="relabel_sequential"):
        gpu(contingency_table, image, image)


def test_no_label_counts(gpu):
    image = labels(most=2)
    for function, options in (
        (adapted_rand_error, {}),
        (variation_of_information, {}),
        (contingency_table, {"normalize": True}),
    ):
        told = []
        on_host = past_warnings(function)  # decisions are run without the wrapper, too
        for run in (on_host, lambda *args, f=function, **options: gpu(f, *args, **options)):
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                result = run(image, image, ignore_labels=(0, 1), **options)
            result = result.data if function is contingency_table else result
            told.append([np.asarray(result), {str(each.message) for each in warned}])
        np.testing.assert_array_equal(told[0][0], told[1][0])
        assert told[0][1] == told[1][1]


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    one = labels((3, 4))
    for function, args, options in (
        (contingency_table, (one, one.astype(float)), {}),
        (contingency_table, (one > 0, one), {}),
        (contingency_table, (one, labels((3, 5))), {}),
        (contingency_table, (one, one), {"sparse_type": "list"}),
        (adapted_rand_error, (one, labels((3, 5))), {}),
        (adapted_rand_error, (one, one), {"alpha": 2}),
        (variation_of_information, (one, labels((3, 5))), {}),
    ):
        with pytest.raises((ValueError, TypeError)):
            function(*args, **options)
        assert gpu.invalid(function, *args, **options)


def test_what_is_left_to_scikit_image(gpu):
    one = labels((3, 4))
    for function in (contingency_table, *OF_PAIRS):
        assert "empty" in gpu.declined(function, one[:0], one[:0])
        with pytest.raises(Declined, match="below 0"):
            gpu(function, one, one - 5)
        with pytest.raises(Declined, match="relabel_sequential"):
            gpu(function, one * 2**40, one * 2**40)
    for function in OF_PAIRS:
        assert "table" in gpu.declined(function, one, one, table=np.ones((3, 3)))
