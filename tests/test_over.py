"""`over`: a function of one image for each image of a stack."""

import functools
import importlib
import warnings
from pathlib import Path

import cupy as cp
import numpy as np
import pytest
from skimage import color, data, exposure, filters, measure, util

import skimage_gpu_backend as backend
from cuda_simulator import faults
from skimage_gpu_backend import over, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.dispatch.selection import current
from tests.trouble.failing import Device

RNG = np.random.default_rng(0)
COLORED = np.stack([data.immunohistochemistry()[i : i + 96, i : i + 80] for i in (0, 90, 300, 400)])
GRAY = np.ascontiguousarray(COLORED[..., 1])
SPREAD = np.stack([GRAY[0], GRAY[1] // 2, GRAY[2] // 4 + 90, GRAY[3]])
TWO_HILLS = np.clip(
    np.where(GRAY > 150, 170, 60)
    + 9 * RNG.standard_normal(GRAY.shape)
    + np.arange(4)[:, None, None],
    0,
    255,
).astype(np.uint8)
MATRIX = color.rgb_from_hed
partial = functools.partial


def parts(image):
    smooth = filters.gaussian(image, 2)
    return smooth, smooth > filters.threshold_mean(smooth)


CASES = {  # images, function, launches for the stack; None: one call for each image
    "rgb2lab": (COLORED, color.rgb2lab, 1),
    "stains": (COLORED, partial(color.separate_stains, conv_matrix=MATRIX), 1),
    "invert": (GRAY, util.invert, 1),
    "gamma": (GRAY / 255, partial(exposure.adjust_gamma, gamma=2), None),
    "matched colors": (
        COLORED,
        partial(exposure.match_histograms, reference=COLORED[2, :50], channel_axis=-1),
        6,
    ),
    "matched floats": (
        GRAY.astype(np.float32),
        partial(exposure.match_histograms, reference=GRAY[2, :50].astype(np.float32)),
        5,
    ),
    "matched gray": (GRAY, partial(exposure.match_histograms, reference=GRAY[2]), None),
    "otsu": (SPREAD, filters.threshold_otsu, 1),
    "yen": (SPREAD, filters.threshold_yen, 1),
    "isodata": (SPREAD, filters.threshold_isodata, 1),
    "minimum": (TWO_HILLS, filters.threshold_minimum, 1),
    "one level": (
        SPREAD * (np.arange(4) != 1).astype(np.uint8)[:, None, None],
        filters.threshold_otsu,
        None,
    ),
    "otsu of floats": (GRAY / 255, filters.threshold_otsu, None),
    "CLAHE": (GRAY, exposure.equalize_adapthist, None),
    "two results": (GRAY, parts, None),
    "a function of NumPy's": (GRAY, np.median, None),
    "entropies": (GRAY, measure.shannon_entropy, None),
}


def same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    found = cp.asnumpy(found)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def plain(images, function):
    results = [function(image) for image in images]
    if isinstance(results[0], tuple):
        return tuple(np.stack(part) for part in zip(*results, strict=True))
    return np.stack(results)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("output", [None, "cupy", "resident"])
def test_it_gives_what_a_loop_gives(however_small, case, output):
    images, function, _ = CASES[case]
    expected = plain(images, function)
    same(over(images, function), expected)
    with use_backends("gpu", output=output):
        found = over(np.moveaxis(images, 0, 1), function, axis=1)
    same(found, expected)


@pytest.mark.parametrize("case", CASES)
def test_device_arrays_stay_on_the_device(however_small, case):
    images, function, _ = CASES[case]
    expected = plain(images, function)
    if function is np.median:
        function = cp.median
    if isinstance(function, partial) and "reference" in function.keywords:
        there = cp.asarray(function.keywords["reference"])
        function = partial(function, reference=there)
    found = over(cp.asarray(np.moveaxis(images, 0, 1)), function, axis=1)
    if not isinstance(expected, tuple) and expected.ndim > 1:
        assert isinstance(found, cp.ndarray)
    same(found, expected)


@pytest.mark.parametrize("case", [name for name in CASES if CASES[name][2]])
def test_a_stack_takes_the_launches_of_one_image(however_small, counting, case):
    images, function, launches = CASES[case]
    counted = []
    for stack in (images, np.concatenate([images, images])):
        with counting() as counts, use_backends("gpu"):
            over(stack, function)
        counted.append(counts.launches)
        assert counts.bytes_to_device < stack.nbytes + 200_000
        assert counts.to_device <= 4
        assert counts.to_host <= 4
    assert counted == [launches, launches]


@pytest.mark.parametrize("case", [name for name in CASES if CASES[name][2]])
def test_nobody_is_told_of_what_lies_within(however_small, monkeypatch, case):
    images, function, _ = CASES[case]
    monkeypatch.delenv("SKIMAGE_BACKENDS_NOTIFY")
    with warnings.catch_warnings(), use_backends("gpu"):
        warnings.simplefilter("error")
        over(images, function)


def test_one_call_after_another_has_the_stack_copied_once(however_small, counting):
    expected = plain(GRAY, parts)
    with counting() as counts, use_backends("gpu"):
        found = over(GRAY, lambda image: filters.gaussian(image, 2))
    same(found, expected[0])
    assert counts.bytes_to_device < GRAY.nbytes + 10_000
    assert counts.bytes_to_host == found.nbytes
    assert (counts.to_device, counts.to_host) == (1, 1)


def test_what_numpy_refuses_is_refused(however_small):
    for images, function, error in (
        (np.ones((0, 4, 4)), filters.sobel, ValueError),
        (GRAY, lambda image: image[: image[0, 0] % 7], ValueError),
        (COLORED[..., :2], color.rgb2lab, ValueError),
    ):
        with pytest.raises(error) as expected:
            plain(images, function) if len(images) else np.stack([])
        with pytest.raises(error) as found, use_backends("gpu"):
            over(images, function)
        assert str(found.value) == str(expected.value)
    with pytest.raises(np.exceptions.AxisError):
        over(GRAY, filters.sobel, axis=3)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("library", ["tensors.Tensor", "immutable.Array"])
def test_arrays_of_other_libraries_come_back_as_theirs(however_small, monkeypatch, case, library):
    """Stand-ins of PyTorch and JAX, over the memory of the device; nothing is theirs but DLPack."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "adapt" / "libraries")
    module, _, name = library.partition(".")
    array = getattr(importlib.import_module(module), name)
    images, function, _ = CASES[case]
    if function in (np.median, parts):
        pytest.skip("the stand-ins do not calculate")
    expected = plain(images, function)
    if isinstance(function, partial) and "reference" in function.keywords:
        reference = array(cp.asarray(function.keywords["reference"]))
        function = partial(function, reference=reference)
    for axis in (0, 1, -1):
        given = array(cp.ascontiguousarray(cp.asarray(np.moveaxis(images, 0, axis))))
        found = over(given, function, axis=axis)
        if expected.ndim > 1:
            assert type(found) is array
            found = found.array
        same(getattr(found, "array", found), expected)


def test_arrays_that_are_none_of_numpy_s_are_taken_as_numpy_takes_them(however_small):
    expected = plain(GRAY, filters.sobel)
    torch = pytest.importorskip("torch") if importlib.util.find_spec("torch") else None
    given = [GRAY.tolist(), list(GRAY)] + ([torch.from_numpy(GRAY)] if torch else [])
    for images in given:
        with use_backends("gpu"):
            found = over(images, lambda image: filters.sobel(image.astype(np.uint8)))
        same(found, expected)


@pytest.mark.parametrize("there", [np.asarray, cp.asarray])
@pytest.mark.parametrize("function", [filters.sobel, color.rgb2lab, filters.threshold_otsu])
def test_an_empty_stack_and_a_wrong_axis_are_refused_as_by_numpy(however_small, there, function):
    with use_backends("gpu"):
        with pytest.raises(ValueError, match="need at least one array to stack"):
            over(there(COLORED[:0]), function)
        for images, axis in ((COLORED, 4), (COLORED, -5), (COLORED[0, 0, 0, 0], 0)):
            with pytest.raises(np.exceptions.AxisError):
                over(there(images), function, axis=axis)


@pytest.mark.parametrize("there", [np.asarray, cp.asarray])
def test_what_declines_runs_on_the_host_image_after_image(however_small, monkeypatch, there):
    images, reference = GRAY.astype(np.int16), GRAY[2] / 255
    expected = plain(images, partial(exposure.match_histograms, reference=reference))
    matched = partial(exposure.match_histograms, reference=there(reference))
    with use_backends("gpu"), observe() as calls:
        same(over(there(images), matched), expected)
    (reasons,) = {tuple(reason for _, reason, _ in call.declined) for call in calls}
    assert len(calls) == len(images)
    assert "differ in dtype" in reasons[0]


def test_warnings_and_errors_are_those_of_the_loop(however_small):
    def told(image):
        warnings.warn("a level of its own", UserWarning, stacklevel=2)
        if image[0, 0] == odd:
            raise LookupError("of the third image")
        return filters.sobel(image)

    before = current()
    odd = -1
    with pytest.warns(UserWarning, match="a level") as caught, use_backends("gpu"):
        over(GRAY, told)
    assert len(caught) == len(GRAY)
    odd = GRAY[2, 0, 0]
    for images in (GRAY, cp.asarray(GRAY)):
        with (
            pytest.warns(UserWarning),
            use_backends("gpu"),
            pytest.raises(LookupError, match="third"),
        ):
            over(images, told)
    assert current() is before

    out = np.full((2, 4, 4, 3), (50.0, -200, 200))
    with pytest.warns(UserWarning, match="clipped") as caught, use_backends("gpu"):
        over(out, color.lab2rgb)
    assert len(caught) == 1
    assert "32" in str(caught[0].message)


@pytest.mark.parametrize("case", ["matched colors", "CLAHE", "otsu", "two results"])
def test_ctrl_c_between_launches_leaves_nothing_behind(however_small, case):
    images, function, _ = CASES[case]
    met = Device(("launch",))
    with use_backends("gpu"):
        over(images, function)  # what is asked for once
        with faults.observed(met):
            over(images, function)
    used, before = cp.get_default_memory_pool().used_bytes(), current()
    stopped = Device(("launch",), len(met.met) // 2, KeyboardInterrupt)
    with use_backends("gpu"), faults.observed(stopped), pytest.raises(KeyboardInterrupt) as caught:
        over(images, function)
    assert cp.get_default_memory_pool().used_bytes() <= used
    assert current() is before
    del caught


@pytest.mark.parametrize("case", ["matched colors", "matched gray", "otsu", "two results"])
def test_without_room_on_the_device_the_results_are_the_same(however_small, monkeypatch, case):
    images, function, _ = CASES[case]
    backend.free_memory()
    monkeypatch.setenv("SKIMAGE_GPU_MEMORY_LIMIT", "1")
    with use_backends("gpu"), observe() as calls:
        found = over(images, function)
    monkeypatch.delenv("SKIMAGE_GPU_MEMORY_LIMIT")
    backend.memory()  # which reads it
    same(found, plain(images, function))
    assert {call.backend for call in calls} == {None}
