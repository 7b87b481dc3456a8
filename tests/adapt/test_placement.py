"""Calls with CuPy arrays that are not on the current device run on the device of the arrays."""

import gc
import re

import cupy as cp
import numpy as np
import pytest
import skimage as ski

import cuda_simulator
import skimage_gpu_backend
from skimage_gpu_backend import again, availability, interface, over, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.tiles import devices as tile_devices
from skimage_gpu_backend.trouble import DeviceTrouble
from tests.differential.check import by_position, inside, listed, made
from tests.differential.compare import difference
from tests.differential.sweeps import SWEEPS

pytestmark = [
    pytest.mark.skipif(not cuda_simulator.active(), reason="needs two devices"),
    pytest.mark.usefixtures("two_devices"),
]
IMAGE = np.random.default_rng(0).random((40, 50)).astype(np.float32)
TAKEN = [s for s in SWEEPS if "cupy" in s.kinds and CATALOG[s.name].images]
LABELS = np.repeat(np.arange(4), 500).reshape(40, 50)


@pytest.fixture
def two_devices(however_small, monkeypatch):
    """A second device, whose arrays the first one cannot read."""
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")


def on(device, value):
    """Arguments with CuPy arrays on a device in place of NumPy arrays."""

    def moved(array):
        with cp.cuda.Device(device):
            return cp.asarray(array)

    return replace(value, lambda v: moved(v) if type(v) is np.ndarray else v)


def host(value):
    return replace(value, lambda v: v.get() if isinstance(v, cp.ndarray) else v)


def devices(value):
    """Numbers of the devices that arrays are on."""
    return {array.device.id for array in inside([value], cp.ndarray)}


@pytest.mark.parametrize("sweep", TAKEN, ids=lambda sweep: sweep.name)
def test_every_function_runs_where_its_arrays_are(sweep):
    """The first device is used before, so that nothing kept for it serves the second one."""
    case = next(sweep.cases())

    def call(device):
        args, kwargs = by_position(sweep.name, on(device, made(case.arguments)))
        with use_backends("gpu"):
            decision = interface.gpu.decide(sweep.name, args, kwargs)
            assert decision, decision.reason
            return listed(decision.run())

    expected = call(0)
    gc.collect()  # arrays of tests before this one
    used = cp.get_default_memory_pool().used_bytes()
    result = call(1)
    assert cp.get_default_memory_pool().used_bytes() == used
    assert devices(result) <= {1}
    assert cp.cuda.runtime.getDevice() == 0
    with cp.cuda.Device(1):  # a view may join arrays
        result = host(sweep.view(result))
    assert difference(result, host(sweep.view(expected))) == 0


def test_repeated_calls_run_on_the_device_of_each_call():
    expected = ski.filters.sobel(IMAGE)
    for device in (0, 1, 0, 1, 1, 0):
        result = ski.filters.sobel(on(device, IMAGE))
        assert devices(result) == {device}
        np.testing.assert_allclose(result.get(), expected, atol=1e-6)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (ski.metrics.mean_squared_error, [IMAGE, IMAGE]),
        (ski.filters.sobel, [IMAGE, IMAGE > 0.5]),
        (ski.morphology.dilation, [IMAGE, np.ones((3, 3))]),
        (ski.util.montage, [[IMAGE, IMAGE]]),
        (ski.segmentation.felzenszwalb, [IMAGE, np.array(2.0)]),  # on the host
    ],
)
def test_arrays_of_one_call_on_two_devices_are_refused(function, arguments, repeated):
    if repeated:
        for _ in range(2):
            function(*on(1, arguments))
    first, *rest = arguments
    mixed = [on(0, first), *on(1, rest)] if rest else [[on(0, first[0]), on(1, first[1])]]
    with pytest.raises(TypeError, match=re.escape("on device 0 and device 1")):
        function(*mixed)


def test_functions_that_run_on_the_host_give_results_on_the_device_of_the_arguments():
    result = ski.segmentation.felzenszwalb(on(1, IMAGE))
    assert devices(result) == {1}
    np.testing.assert_array_equal(result.get(), ski.segmentation.felzenszwalb(IMAGE))
    image = on(1, IMAGE)
    ski.draw.set_color(image, (np.array([1, 2]), np.array([3, 4])), 7)
    assert (image.get()[[1, 2], [3, 4]] == 7).all()


@pytest.mark.parametrize("image", [IMAGE, on(0, IMAGE)], ids=["numpy", "cupy"])
def test_a_generator_works_on_the_device_of_its_call(image):
    expected = [np.asarray(host(level)) for level in ski.transform.pyramid_gaussian(host(image))]
    with use_backends("gpu"):
        levels = ski.transform.pyramid_gaussian(image)
        with cp.cuda.Device(1):
            for level, theirs in zip(levels, expected, strict=True):
                assert devices(level) <= {0}
                assert cp.cuda.runtime.getDevice() == 1
                np.testing.assert_allclose(host(level), theirs, atol=1e-5)


@pytest.mark.parametrize("kind", [0, 1, "numpy"])
def test_regions_measure_on_the_device_of_their_labels(kind):
    labels = LABELS if kind == "numpy" else on(kind, LABELS)
    image = IMAGE if kind == "numpy" else on(kind, IMAGE)
    expected = ski.measure.regionprops(LABELS, IMAGE)
    with use_backends("gpu"):
        regions = ski.measure.regionprops(labels, image)
        with cp.cuda.Device(1 if kind == "numpy" else 1 - kind):
            for region, theirs in zip(regions, expected, strict=True):
                for name in theirs:
                    assert devices(region[name]) <= {kind}, name
                    found = np.asarray(host(region[name]), object if name == "slice" else None)
                    assert difference(found, np.asarray(theirs[name], found.dtype)) < 1e-5, name


def test_stacks_are_computed_on_their_device():
    stack = np.stack([IMAGE, IMAGE / 2]).astype(np.float64)
    result = over(on(1, stack), ski.filters.sobel)
    assert devices(result) == {1}
    result = over(on(1, (255 * stack).astype(np.uint8)), ski.filters.threshold_otsu)
    assert devices(result) <= {1}
    assert skimage_gpu_backend.memory()["devices"].keys() == {0}


def test_arrays_of_another_library_on_two_devices_are_refused(monkeypatch, request):
    monkeypatch.syspath_prepend(request.path.parent / "libraries")
    from tensors import Tensor

    with pytest.raises(TypeError, match=re.escape("on device 0 and device 1")):
        ski.filters.sobel(Tensor(on(0, IMAGE)), Tensor(on(1, IMAGE > 0.5)))


@pytest.fixture
def capabilities(monkeypatch):
    """Makes the devices have these compute capabilities."""

    def make(*capabilities):
        monkeypatch.setattr(
            availability,
            "capability",
            lambda device=None: capabilities[cp.cuda.Device(device).id],
        )
        monkeypatch.setattr(availability, "_state", None)
        monkeypatch.setattr(again, "_known", {})  # what ran on these devices before

    return make


@pytest.mark.parametrize("old", [0, 1])
def test_a_device_that_is_too_old_leaves_the_other_one_in_use(capabilities, monkeypatch, old):
    """Whichever is the current one when CUDA begins."""
    capabilities(*(["61", "90"] if old == 0 else ["90", "61"]))
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    expected = ski.filters.sobel(IMAGE)
    for device in (0, 1, 0, 1):
        with observe() as calls:
            result = ski.filters.sobel(on(device, IMAGE))
        assert devices(result) == {device}
        np.testing.assert_allclose(result.get(), expected, atol=1e-6)
        assert calls[0].backend == (None if device == old else "gpu")
        if device == old:
            assert "compute capability 6.1" in calls[0].declined[0][1]


def test_where_all_devices_are_too_old_there_is_none(capabilities):
    capabilities("61", "52")
    with pytest.raises(DeviceTrouble, match=re.escape("compute capability 6.1")):
        availability.require_device()


def test_named_devices_that_are_too_old_are_refused(capabilities, monkeypatch):
    capabilities("90", "61")
    availability.require_device()
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "0,1")
    with pytest.raises(DeviceTrouble, match=re.escape("compute capability 6.1")):
        tile_devices.chosen()
