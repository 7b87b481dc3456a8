"""Calls that were once answered otherwise than by scikit-image, of each kind of mistake."""

import contextlib
import itertools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend.trouble import DeviceTrouble
from tests.differential.compare import DOUBLE, SINGLE, difference

RNG = np.random.default_rng(0)
IMAGE = RNG.random((12, 15))
COLOR = RNG.random((3, 24, 26))
ROW = np.array([[10.0, 20, 30, 40, 50]])
MASK = IMAGE > 0.1
LABELS = np.pad(np.ones((3, 4), np.int32), ((0, 2), (2, 0)))
NAN = IMAGE.copy()
NAN[5, 6] = np.nan
MODES = ("reflect", "symmetric", "wrap", "edge", "constant")


def _sizes():
    """Axes of one element that grow while others stay, shrink or grow."""
    shapes = [((1, 5), (2, 5)), ((1, 5), (3, 4)), ((5, 1), (5, 7)), ((1, 1), (2, 3))]
    shapes += [((1, 5, 1), (4, 5, 1)), ((1, 5, 1), (2, 5, 3)), ((1,), (6,))]
    for (old, new), order, mode in itertools.product(shapes, range(6), MODES):
        image = np.resize(ROW, old)
        yield ski.transform.resize, (image, new), {"order": order, "mode": mode}


def _enlarged():
    for order, mode, image in itertools.product(range(2, 6), MODES, (ROW, ROW.T, ROW[:, :1])):
        options = {"order": order, "mode": mode}
        yield ski.transform.rescale, (image, (3, 1)), options
        yield ski.transform.rescale, (image, (1, 2)), options
        yield ski.transform.pyramid_expand, (image,), options
        yield ski.transform.rotate, (image, 30), {"resize": True, **options}
        yield ski.transform.warp, (image, np.diag([0.5, 0.5, 1])), options


def _channels_by_keyword():
    for axis in (0, 1, 2, -1, np.int64(0), None, True, (0,)):
        image = {"image": COLOR, "channel_axis": axis}
        yield ski.transform.rescale, (), {**image, "scale": 0.5}
        yield ski.transform.warp_polar, (), image
        yield ski.feature.hog, (), {**image, "pixels_per_cell": (4, 4), "cells_per_block": (1, 1)}
        yield ski.exposure.histogram, (), image
        yield ski.exposure.match_histograms, (COLOR,), {"reference": COLOR**2, "channel_axis": axis}


def _by_scale():
    yield ski.filters.roberts, (1e300 * IMAGE,), {"mask": MASK}
    yield ski.filters.roberts, (np.float32(1e38) * IMAGE.astype(np.float32),), {"mask": MASK}
    yield ski.filters.roberts, (NAN,), {"mask": MASK}
    yield ski.filters.sobel, (1e300 * IMAGE,), {"mask": MASK}
    yield ski.feature.hessian_matrix_det, (NAN,), {}
    yield ski.feature.hessian_matrix_det, (NAN,), {"sigma": 3}
    yield ski.feature.hessian_matrix_det, (1e300 * IMAGE,), {"approximate": False}
    yield ski.exposure.equalize_hist, (1e-310 * IMAGE,), {"mask": MASK}
    yield ski.exposure.histogram, (1e-310 * IMAGE,), {}
    yield ski.exposure.histogram, (np.int64(2**63 - 1) - np.arange(5),), {}


def _left_in_words():
    for levels in (None, 1, 2, 300):
        yield ski.feature.graycomatrix, (MASK, [1], [0]), {"levels": levels}
    integers = (50 * IMAGE).astype(np.uint8)
    for number in (np.nan, np.inf):
        options = {"mode": "constant", "constant_values": number}
        yield ski.feature.match_template, (integers, integers[2:5, 3:7]), options
        yield ski.feature.match_template, (IMAGE, IMAGE[2:5, 3:7]), {"pad_input": True, **options}
    for odd in ({"truncate": "x"}, {"cval": "x"}, {"cval": 1j}, {"truncate": [1]}):
        for low, high in ((0, None), (0, 0), (0, 2), ([0, 0], 0)):
            yield ski.filters.difference_of_gaussians, (IMAGE, low, high), odd
    for dtype in (np.float32, bool, np.int8, np.uint16):
        out = np.zeros(IMAGE.shape, dtype)
        yield ski.filters.rank.mean, (integers, np.ones((3, 3))), {"out": out}
        yield ski.filters.rank.mean, (integers, np.ones((3, 3))), {"out": np.asfortranarray(out)}
    yield ski.filters.rank.mean, (integers[:0], np.ones((3, 3))), {}
    yield ski.filters.rank.mean, (image := IMAGE.copy(), np.ones((3, 3))), {"out": image}
    yield ski.feature.corner_fast, (IMAGE.astype(">f8"),), {}
    yield ski.feature.corner_fast, (np.broadcast_to(IMAGE[:1], IMAGE.shape),), {}
    yield ski.feature.corner_shi_tomasi, (IMAGE,), {"sigma": (np.nan, 1)}
    for share in ("p0", "p1"):
        for name in ("mean", "pop", "subtract_mean", "sum"):
            function = getattr(ski.filters.rank, f"{name}_percentile")
            yield function, (integers, np.ones((3, 3))), {share: np.nan}
    for name in ("alpha", "beta", "gamma"):
        for number in (np.inf, 1e-200, 1e200):
            yield ski.filters.frangi, (IMAGE, [1]), {name: number}
            yield ski.filters.hessian, (IMAGE, [1]), {name: number}
    for number in (np.inf, -np.inf, np.nan):
        yield ski.transform.warp_polar, (IMAGE,), {"cval": number}
        for name in ("strength", "radius", "rotation"):
            yield ski.transform.swirl, (IMAGE,), {name: number}
    yield ski.color.gray2rgba, (integers, 1e305 * IMAGE), {}
    lists = np.arange(50), 1e305 * np.arange(50.0)
    yield ski.util.map_array, (integers, *lists, integers.copy()), {}
    limits = np.zeros(IMAGE.shape, int), np.where(MASK, np.nan, 0.5)
    yield ski.filters.apply_hysteresis_threshold, (IMAGE, *limits), {}
    yield ski.transform.rescale, (IMAGE.astype(">f2"), 0.6), {}
    yield ski.measure.inertia_tensor, (IMAGE, RNG.random((3, 4))), {}
    yield ski.color.deltaE_cmc, (COLOR, COLOR), {"channel_axis": {0: 1}}
    yield ski.util.label_points, (np.ones((3, 2, 4, 2), int), (9, 9)), {}
    yield (
        ski.color.label2rgb,
        (integers, np.stack(3 * [IMAGE], -1)),
        {"bg_label": -1, "kind": "avg"},
    )
    for text, name in itertools.product(("x", "1", b"x"), ("color", "outline_color")):
        yield ski.segmentation.mark_boundaries, (IMAGE, integers.astype(int)), {name: text}
    yield ski.morphology.isotropic_opening, (MASK, 1e300), {}
    yield ski.transform.pyramid_expand, (IMAGE,), {"cval": np.complex64(1)}
    for sigma in (True, np.float32(2), np.uint8(2), np.int64(2), np.float64(2)):
        yield ski.feature.hessian_matrix_det, (IMAGE, sigma), {}


def _by_type():
    """Numbers of NumPy's short types, None and NaN among numbers, half precision."""
    for function in (ski.filters.threshold_niblack, ski.filters.threshold_sauvola):
        for dtype in (np.uint8, np.int8, np.uint16, np.int32, np.int64, np.uint64):
            yield function, (IMAGE, dtype(3)), {}
            yield function, (IMAGE, (dtype(11), dtype(13))), {}
            yield function, (IMAGE, np.array([11, 13], dtype)), {}
    sigmas = ([None, 1], np.array([None, 1]), ["1", "2"], [np.nan, 1], [1, np.nan], np.nan, None)
    for low, high in itertools.product((1, *sigmas), sigmas):
        yield ski.filters.difference_of_gaussians, (IMAGE, low, high), {}
    for find in (ski.feature.peak_local_max, ski.feature.corner_peaks):
        for pixel in (np.full((1, 1), 0.7, "e"), np.ones((1, 1), bool), np.ones((2, 3), "e")):
            yield find, (pixel,), {}
            yield find, (pixel,), {"labels": np.zeros(pixel.shape, int)}
            yield find, (pixel,), {"min_distance": 0}
    for dtype, shape in itertools.product(("e", "f", "?", "B"), ((7,), (1, 7), (5, 6))):
        image = (9 * RNG.random(shape)).astype(dtype)
        for options in ({}, {"footprint": np.ones((3,) * len(shape))}):
            yield ski.filters.median, (image,), options
            if len(shape) > 1:  # of rows, SciPy writes beyond it
                yield ski.filters.median, (image,), {**options, "out": np.zeros(shape, "e")}
    heights = np.uint8(3), np.int16(3), np.int64(3), np.uint64(3)
    for height, dtype in itertools.product(heights, (np.uint8, np.int64, np.float32, np.float64)):
        yield ski.morphology.h_maxima, ((9 * IMAGE).astype(dtype), height), {}
        yield ski.morphology.h_minima, ((9 * IMAGE).astype(dtype), height), {}
    for dtype, size in itertools.product((">f4", ">f8", ">i4"), (1, 2, 7)):
        yield ski.filters.median, (np.arange(size).astype(dtype),), {}
    for options in ({}, {"channel_axis": 0}):
        yield ski.exposure.histogram, (MASK, 3, "dtype"), options
        for number in (1e17, 1e305, np.inf, np.nan):
            yield ski.exposure.histogram, (np.full((2, 3), number), 17), options
    for dtype, padding in itertools.product((bool, np.uint8, np.int8, np.uint64), (0, 1, 3)):
        yield ski.filters.butterworth, (IMAGE,), {"npad": dtype(padding)}
    two = IMAGE[:8], IMAGE[1:9]
    for dtype, option in itertools.product("bBeflQg", ("attachment", "tightness", "tol")):
        yield ski.registration.optical_flow_tvl1, two, {option: np.dtype(dtype).type(3)}
    for start in (0.0, 1.0, np.float64(1), np.uint8(1), True):
        yield ski.segmentation.slic, (COLOR[..., None, :3],), {"start_label": start}
    for value in (2**62, np.int64(2**62), np.uint64(2**63), np.float32(1e30), 1e300):
        yield ski.segmentation.clear_border, (LABELS,), {"bgval": value}
        yield ski.morphology.flood_fill, (LABELS, (2, 3), value), {}
    for shape in (True, 3, np.True_, [True, True], [[12, 15]]):
        places = np.indices((2, 3)), np.eye(3)
        for place in places:
            yield ski.transform.warp, (IMAGE, place), {"output_shape": shape}
    for args in (np.ones(2), np.ones(1), [1], {"by": 2}):
        for place in places:
            yield ski.transform.warp, (IMAGE, place, args), {}
    for weight in (10**400, -(10**400), 1j, "1", 3):
        for rounds in (0, 1):
            options = {"lambda1": weight, "smoothing": 0}  # which has a state
            yield ski.segmentation.morphological_chan_vese, (IMAGE, rounds), options
    for dtype in (bool, np.bool_, np.uint8, np.int64, np.uint64, np.float16):
        yield ski.exposure.equalize_adapthist, (IMAGE, dtype(1)), {}
        yield ski.measure.block_reduce, (IMAGE, (dtype(2), dtype(5))), {}
        yield ski.transform.downscale_local_mean, (IMAGE, (dtype(2), dtype(5))), {}
        yield ski.segmentation.inverse_gaussian_gradient, (IMAGE,), {"sigma": dtype(1)}
        yield ski.segmentation.chan_vese, (IMAGE,), {"lambda1": dtype(1), "max_num_iter": 3}
        yield ski.restoration.denoise_wavelet, (IMAGE,), {"wavelet_levels": dtype(1)}
        for method in ("mean", "median", "gaussian"):
            yield ski.filters.threshold_local, (IMAGE, dtype(1), method), {}
        yield ski.filters.threshold_otsu, (np.ones((3, 4)), dtype(0)), {}
        for option in ("radius", "orientations", "rings"):
            yield ski.feature.daisy, (np.resize(IMAGE, (16, 17)),), {"radius": 4, option: dtype(2)}
        scales = {"scale_range": (dtype(1), dtype(4)), "scale_step": dtype(2)}
        yield ski.filters.frangi, (IMAGE,), scales
    for dtype in (np.uint64, np.int64):
        high = np.full((1, 1), 2**62 + 1, dtype)
        options = {"order": 0, "center": (20, 26), "cval": 0.7}
        yield ski.transform.rotate, (high, 30), options


CALLS = [_sizes, _enlarged, _channels_by_keyword, _by_scale, _left_in_words, _by_type]


@pytest.mark.thorough
@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_calls_are_answered_as_by_scikit_image_or_declined(gpu, calls):
    wrong = []
    for function, args, options in calls():
        try:
            _compare(gpu._decide(function, args, options), function, args, options)
        except AssertionError as error:
            shapes = [np.shape(array) for array in args]
            wrong.append(f"{function.__name__} of {shapes}, {options}: {error}")
    assert not wrong, "\n".join(wrong)


def _compare(decision, function, args, options):
    try:
        expected = function(*args, **options)
    except Exception as error:
        if decision:
            with pytest.raises((type(error), DeviceTrouble)):
                decision.run()
        return
    assert not decision.invalid, decision.reason
    with contextlib.suppress(DeviceTrouble):
        actual = decision.run() if decision else expected
        single = getattr(actual, "dtype", None) == np.float32
        assert difference(actual, expected) <= (SINGLE if single else DOUBLE)
