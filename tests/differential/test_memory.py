"""Memory of results as with scikit-image: whose it is, and in which order elements are in it."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.resident import block_of
from skimage_gpu_backend.adapt.transfer import to_host
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.trouble import Declined
from tests.tiles.device import MEGABYTE, pieces

from .check import bound_for, by_position, inside, listed, made, selected
from .compare import difference
from .sweeps import SWEEPS

FEW = 30  # arrays of a result that are compared with each other
# Of each function the usual call, and those in which the image may be the result.
LABELS = ("standard", "bool", "uint8", "float32", "float64", "strided")
CASES = [
    pytest.param(case, id=str(case))
    for sweep in SWEEPS
    for case in sweep.cases()
    if case.label in LABELS or case.label.startswith(("copy", "in_place", "out="))
]


def _arrays(value):
    arrays = inside(value, np.ndarray | cp.ndarray)
    return [array for array in arrays if array.ndim and array.size][:FEW]


def _shared(arguments, result):
    """For each array of a result, whether it shares memory with those given and those before."""
    found, before = [], _arrays(list(arguments.values()))
    for array in _arrays(result):
        shares = cp.shares_memory if isinstance(array, cp.ndarray) else np.shares_memory
        same_kind = [other for other in before if type(other) is type(array)]
        found.append([shares(array, other) for other in same_kind])
        before.append(array)
    return found


def _called(name, arguments):
    args, kwargs = by_position(name, arguments)
    with use_backends():
        return listed(function_called(name)(*args, **kwargs))


def _expected(case):
    arguments = made(case.arguments)
    try:
        return arguments, _called(case.sweep.name, arguments)
    except Exception:
        pytest.skip("scikit-image refuses the call")


def _taken(case, arguments, output=None, *, needs_plan=False):
    args, kwargs = by_position(case.sweep.name, arguments)
    maker = not CATALOG[case.sweep.name].images
    with selected(maker), use_backends("gpu", output=output or ("cupy" if maker else None)):
        decision = interface.gpu.decide(case.sweep.name, args, kwargs)
        if not decision or (needs_plan and not decision.plan):
            pytest.skip("declined")
        try:
            return listed(decision.run())
        except Declined:
            pytest.skip("declined for what the data shows")


@pytest.mark.parametrize("case", CASES)
def test_memory_is_shared_as_with_scikit_image(case):
    given, result = _expected(case)
    expected = _shared(given, result)
    for kind in ("numpy", "resident", "cupy"):
        arguments = made(case.arguments)
        if kind == "cupy":
            arguments = replace(arguments, lambda v: cp.asarray(v) if type(v) is np.ndarray else v)
        result = _taken(case, arguments, "resident" if kind == "resident" else None)
        assert _shared(arguments, result) == expected, kind


@pytest.mark.parametrize("case", CASES)
def test_results_own_their_data_where_scikit_images_do(case):
    _, expected = _expected(case)
    arguments = made(case.arguments)
    for ours, theirs in zip(_arrays(_taken(case, arguments)), _arrays(expected), strict=True):
        if isinstance(ours, np.ndarray) and theirs.flags.owndata:
            assert ours.flags.owndata
            assert block_of(ours) is None


# Functions whose results of images in Fortran order are in Fortran order.
IN_ORDER = {
    *(f"skimage.exposure:adjust_{name}" for name in ("gamma", "log", "sigmoid")),
    "skimage.exposure:rescale_intensity",
    *(f"skimage.morphology:{n}" for n in ("erosion", "dilation", "opening", "closing")),
    *(f"skimage.morphology:{color}_tophat" for color in ("black", "white")),
    *(f"skimage.util:img_as_{n}" for n in ("bool", "float", "float32", "float64")),
    "skimage.util:compare_images",
    "skimage.util:invert",
}
# Of booleans and floats; of integers it depends on their values.
SOME_IN_ORDER = {f"skimage.util:img_as_{name}" for name in ("int", "ubyte", "uint")}
ORDERED = [
    pytest.param(case, id=str(case))
    for sweep in SWEEPS
    for case in sweep.cases()
    if (sweep.name in IN_ORDER and "out" not in case.arguments)
    or (sweep.name in SOME_IN_ORDER and case.label in ("bool", "float32", "float64"))
]


def _in_fortran_order(value):
    return np.asfortranarray(value) if type(value) is np.ndarray and value.ndim > 1 else value


def _on_device(value):
    return cp.asarray(value) if type(value) is np.ndarray and value.ndim > 1 else value


@pytest.mark.parametrize("case", ORDERED)
def test_results_are_in_fortran_order_where_scikit_images_are(case):
    given = {k: replace(v, _in_fortran_order) for k, v in made(case.arguments).items()}
    try:
        expected = _called(case.sweep.name, given)
    except Exception:
        pytest.skip("scikit-image refuses the call")
    for output in (None, "resident"):
        result = _taken(case, given, output, needs_plan=True)
        assert result.flags.fnc == expected.flags.fnc
        assert difference(result, expected) <= bound_for(case.sweep.bound, given, expected)
    on_device = {k: replace(v, _on_device) for k, v in given.items()}
    result = _taken(case, on_device, needs_plan=True)
    assert result.flags.fnc == expected.flags.fnc
    assert difference(result.get(), expected) <= bound_for(case.sweep.bound, given, expected)


@pytest.mark.parametrize("name", ["skimage.util:invert", "skimage.morphology:opening"])
def test_fortran_order_takes_no_launch_more(name, counting):
    image = np.random.default_rng(0).random((70, 90))
    counted = []
    for given in (image, np.asfortranarray(image)):
        with selected(maker=False), counting() as counts:
            interface.gpu.decide(name, (cp.asarray(given),), {}).run()
        counted.append(counts.launches)
    assert counted[0] == counted[1]


def test_a_footprint_that_is_too_wide_when_transposed_runs_as_it_is():
    image = np.asfortranarray(np.random.default_rng(0).random((90, 70)))
    footprint = np.ones((30_001, 1))
    with selected(maker=False):
        result = interface.gpu.decide("skimage.morphology:erosion", (image, footprint), {}).run()
    with use_backends():
        expected = ski.morphology.erosion(image, footprint)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_result_has_the_order_of_the_device_array(order):
    image = np.asarray(np.random.default_rng(0).random((500, 700)), order=order)
    with pieces(MEGABYTE // 2):
        result = to_host(cp.asarray(image))
    assert result.flags.owndata
    assert result.flags.f_contiguous == (order == "F")
    np.testing.assert_array_equal(result, image)
