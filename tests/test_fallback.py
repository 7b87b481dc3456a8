"""Calls that do not run on a device: where they run instead, and what is told."""

import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

import skimage_gpu_backend
from skimage_gpu_backend import functions, notify, use_backends
from skimage_gpu_backend.adapt.host import moved_to_host
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.on_host import ON_HOST
from skimage_gpu_backend.profiling.remedies import can_be_changed
from skimage_gpu_backend.trouble import Invalid


@pytest.fixture(autouse=True)
def enabled(monkeypatch):
    """Dispatching on, everything taken that can be, and nothing told before."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setattr(notify, "_told", set())
    skimage_gpu_backend.enable()
    yield
    skimage_gpu_backend.disable()


@pytest.fixture
def image():
    return ski.data.coins()[:64, :96]


def test_cupy_arrays_work_where_there_is_no_gpu_version(image):
    angles = image / 256
    with pytest.warns(DispatchNotification, match=r"'skimage.segmentation:felzenszwalb' was not"):
        result = ski.segmentation.felzenszwalb(cp.asarray(angles))
    assert type(result) is cp.ndarray
    np.testing.assert_array_equal(result.get(), ski.segmentation.felzenszwalb(angles))


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_in_place_functions_change_the_callers_device_array(image):
    expected, given = image.copy(), cp.asarray(image)
    coordinates = np.array([1, 2]), np.array([3, 4])
    ski.draw.set_color(expected, coordinates, 255)
    ski.draw.set_color(given, coordinates, 255)
    np.testing.assert_array_equal(given.get(), expected)


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
@pytest.mark.parametrize("view", [np.s_[:, ::2], np.s_[::-1], np.s_[3:9, 4:8]], ids=str)
def test_views_that_are_not_contiguous_are_changed_in_place(image, view):
    expected, given = image.copy(), cp.asarray(image)
    for array in (expected, given):
        ski.morphology.flood_fill(array[view], (2, 3), 255, tolerance=20, in_place=True)
    assert (expected != image).any()
    np.testing.assert_array_equal(given.get(), expected)


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_rows_that_are_broadcast_on_the_device_are_broadcast_on_the_host(image):
    row = cp.asarray(image[0].astype(float))
    there = cp.broadcast_to(row, image.shape)
    (host,), _, back = moved_to_host((there,), {})
    expected = np.broadcast_to(image[0].astype(float), image.shape)
    assert host.strides == expected.strides
    np.testing.assert_array_equal(host, expected)
    host += 1  # in place
    back(None)
    np.testing.assert_array_equal(row.get(), image[0] + 1.0)


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::-1, ::2], np.s_[:, ::-3]], ids=str)
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1)], ids=str)
def test_views_come_to_the_host_in_the_order_of_their_memory(view, axes):
    cube = np.arange(7 * 8 * 9).reshape(7, 8, 9)
    (host,), _, _ = moved_to_host((cp.asarray(cube).transpose(axes)[view],), {})
    expected = cube.transpose(axes)[view]
    np.testing.assert_array_equal(host, expected)
    assert not host.flags.forc
    np.testing.assert_array_equal(np.sign(host.strides), np.sign(expected.strides))
    np.testing.assert_array_equal(
        np.argsort(np.abs(host.strides)), np.argsort(np.abs(expected.strides))
    )


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_of_several_wrong_indices_the_same_is_named(image):
    def message(xp):
        faces = xp.arange(30).reshape(10, 3)[::-1, ::-1]
        with pytest.raises(IndexError) as raised:
            ski.measure.mesh_surface_area(xp.zeros((1, 0)), faces)
        return str(raised.value)

    assert message(cp) == message(np)


def test_several_results_and_scalars_come_back_as_scikit_image_gives_them(image):
    given = cp.asarray(image)
    hist, centers = ski.exposure.histogram(given)
    expected = ski.exposure.histogram(image)
    assert type(hist) is type(centers) is cp.ndarray
    np.testing.assert_array_equal(hist.get(), expected[0])
    entropy = ski.measure.shannon_entropy(given)
    assert type(entropy) is type(ski.measure.shannon_entropy(image))
    assert entropy == pytest.approx(ski.measure.shannon_entropy(image))


@pytest.mark.parametrize("wrong", [{"sigma": -1}, {"sigma": (1, 2, 3)}, {"mode": "nonsense"}])
def test_wrong_arguments_raise_what_scikit_image_raises_and_launch_nothing(counting, image, wrong):
    with pytest.raises(Exception) as expected:  # whatever it is
        ski.filters.gaussian(image, **wrong)
    given = cp.asarray(image)
    with counting() as counts, pytest.raises(type(expected.value)) as raised:
        ski.filters.gaussian(given, **wrong)
    assert str(raised.value) == str(expected.value)
    assert counts.launches == counts.to_device == 0


def test_failing_device_falls_back_and_out_is_not_half_written(monkeypatch, image):
    def no_memory(*shape_and_dtype):
        raise cp.cuda.memory.OutOfMemoryError(10**9, 10**8)

    expected = ski.filters.gaussian(image, 2)
    out = np.full(image.shape, 7.0)
    monkeypatch.setattr(cp, "empty", no_memory)
    monkeypatch.setattr(cp, "empty_like", no_memory)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="device memory"):
        result = ski.filters.gaussian(image, 2, out=out)
    assert result is out
    np.testing.assert_array_equal(out, expected)


def test_kernel_that_does_not_compile_falls_back_and_is_named(monkeypatch, image):
    from skimage_gpu_backend.device import loading

    expected = ski.filters.sobel(image)
    loading.forget()
    text = "__device__ int n() { return nonsense; }"
    monkeypatch.setattr(loading, "kernel_source", lambda name: f'#line 7 "{name}"\n{text}\n')
    with use_backends("gpu"), pytest.warns(DispatchNotification, match=r"edges\.cu:7.*nonsense"):
        np.testing.assert_array_equal(ski.filters.sobel(image), expected)
    loading.forget()


@pytest.mark.parametrize("reason", ["CuPy is not installed", "no CUDA device"])
def test_missing_device_is_told_once_and_scikit_image_runs(monkeypatch, image, reason):
    from skimage_gpu_backend import availability

    monkeypatch.setattr(availability, "_state", reason)
    with use_backends("gpu"):
        with pytest.warns(DispatchNotification, match=reason):
            first = ski.filters.sobel(image)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DispatchNotification)
            second = ski.filters.sobel(image)
    np.testing.assert_array_equal(first, second)


PROGRAM = """
import numpy as np
from skimage import exposure, filters, morphology, util
image = np.ones((600, 600))
filters.sobel(image)
filters.gaussian(image, 3)
filters.sobel(image[:9, :9])
exposure.rescale_intensity(image)
morphology.disk(3)
util.img_as_float(image)
"""


@pytest.mark.parametrize("cupy", [True, False], ids=["CuPy", "no CuPy"])
def test_a_machine_without_a_gpu_is_told_once_for_all_functions(python, cupy):
    hidden = "" if cupy else "import sys; sys.modules['cupy'] = None"
    program = python.script(f"{hidden}\n{PROGRAM}")
    done = python(program, SKIMAGE_BACKENDS="gpu", CUDA_VISIBLE_DEVICES="")
    (told,) = (line for line in done.stderr.splitlines() if "DispatchNotification" in line)
    assert "'skimage.filters:sobel' was not dispatched: gpu: " in told
    assert "cudaError" not in told
    assert "Other calls with this reason are not reported" in told


def test_without_cucim_one_notice_says_how_this_machine_gets_it(monkeypatch, image):
    from skimage_gpu_backend import availability

    monkeypatch.setattr(availability, "_is_installed", lambda module: module != "cucim")
    with use_backends("cucim"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ski.filters.sobel(image)
        ski.filters.gaussian(image)
    told = [notice for notice in told if notice.category is DispatchNotification]
    (only,) = (str(notice.message) for notice in told)
    assert "'skimage.filters:sobel' was not dispatched: cucim: cuCIM is not installed" in only
    simulator = availability.cuda_simulator.active()
    assert ("pip install --no-deps cucim-cu12" if simulator else "pip install cucim-cu") in only


def test_what_has_nothing_to_do_on_a_gpu_is_not_told(monkeypatch, image):
    floats = ski.util.img_as_float(image)
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for min_size in ("1G", "0"):
            monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", min_size)
            ski.morphology.disk(3)
            ski.util.img_as_float(floats)
            ski.util.img_as_ubyte(image)
            assert type(ski.util.img_as_float(cp.asarray(floats))) is cp.ndarray
    assert [str(notice.message) for notice in told] == []


def test_results_can_stay_on_the_device(image):
    with use_backends("gpu", output="cupy"):
        assert type(ski.filters.sobel(image)) is cp.ndarray
        assert type(ski.filters.threshold_otsu(image)) is not cp.ndarray


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_results_that_come_one_after_the_other_are_device_arrays_too(monkeypatch, image):
    layers = ski.transform.pyramid_gaussian(cp.asarray(image), max_layer=2.0)  # declined
    expected = list(ski.transform.pyramid_gaussian(image, max_layer=2))
    for layer, theirs in zip(layers, expected, strict=True):
        assert type(layer) is cp.ndarray
        np.testing.assert_array_equal(layer.get(), theirs)


@pytest.fixture
def broken(monkeypatch, request, mistakes):
    """The room of `sobel` has a mistake."""

    def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("skimage_gpu_backend.functions.filters.edges.sobel", sobel)
    functions.find.cache_clear()
    yield
    functions.find.cache_clear()
    assert all("ZeroDivisionError: of ours" in mistake for mistake in mistakes)
    mistakes.clear()


@pytest.mark.parametrize("moved", [np.asarray, cp.asarray], ids=["numpy", "cupy"])
def test_a_mistake_of_ours_while_planning_is_told_and_scikit_image_runs(broken, image, moved):
    told = r"'skimage.filters:sobel' was not dispatched: gpu: the call could not be planned: Zero"
    with use_backends("gpu"), pytest.warns(DispatchNotification, match=told):
        result = ski.filters.sobel(moved(image))
    assert type(result) is type(moved(image))
    np.testing.assert_array_equal(cp.asnumpy(result), ski.filters.sobel(image))


@pytest.mark.parametrize("moved", [np.asarray, cp.asarray], ids=["numpy", "cupy"])
def test_where_scikit_image_refuses_the_call_too_only_its_error_is_seen(broken, image, moved):
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error", DispatchNotification)
        with pytest.raises(RuntimeError, match="boundary mode not supported"):
            ski.filters.sobel(moved(image), mode="nonsense")


def test_what_we_expect_scikit_image_to_refuse_is_told_where_it_does_not(monkeypatch, image):
    def refuses(*args, **kwargs):
        raise Invalid("scales are odd")

    monkeypatch.setattr(functions, "plan", refuses)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="gpu: scales are odd"):
        result = ski.filters.sobel(image)
    np.testing.assert_array_equal(result, ski.filters.sobel(image))


def test_results_in_turn_come_from_scikit_image_and_a_mistake_is_told(monkeypatch, image):
    def refuses(*args, **kwargs):
        raise Invalid("layers are odd")

    monkeypatch.setattr(functions, "plan", refuses)
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="layers are odd"):
        layers = list(ski.transform.pyramid_gaussian(image))
    expected = list(ski.transform.pyramid_gaussian(image))
    assert len(layers) == len(expected)
    for layer, theirs in zip(layers, expected, strict=True):
        np.testing.assert_array_equal(layer, theirs)


@pytest.mark.parametrize(
    "name", ["approximate_polygon", "moments_hu", "moments_normalized", "subdivide_polygon"]
)
def test_functions_of_a_few_numbers_stay_on_the_host_and_nobody_is_told(enabled, name):
    import cupy as cp

    call, given = getattr(ski.measure, name), {}
    if name == "approximate_polygon":
        given["tolerance"] = 0.1
    numbers = np.arange(16.0).reshape(4, 4)[:, : 2 if "polygon" in name else 4] + 1
    expected = call(numbers, **given)
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told, observe() as calls:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(call(numbers, **given), expected)
        result = call(cp.asarray(numbers), **given)
    assert not told
    assert isinstance(result, cp.ndarray)
    np.testing.assert_array_equal(result.get(), expected)
    ((_, reason, _),) = calls[0].declined
    assert ON_HOST[f"skimage.measure:{name}"] in reason
    assert not can_be_changed(reason)
