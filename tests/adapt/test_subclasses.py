"""Arrays that carry metadata run on the device, and come back as scikit-image gives them back."""

import itertools

import numpy as np
import pytest
import skimage as ski
from imageio.core.util import Array

from skimage_gpu_backend import profile, use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG, spoken
from tests.differential.check import by_position, function_called, listed, made
from tests.differential.sweeps import SWEEPS

pytestmark = pytest.mark.usefixtures("however_small")


class Tagged(np.ndarray):
    """The least that carries metadata, as NumPy's documentation has it."""

    def __array_finalize__(self, other):
        self.meta = getattr(other, "meta", None)


class Frame(Tagged):
    """As PIMS has it."""

    def __array_wrap__(self, out, context=None, return_scalar=False):
        return out[()] if out.ndim == 0 else np.ndarray.__array_wrap__(self, out, context)

    def __reduce__(self):
        return super().__reduce__()


def tagged(values, cls):
    if cls is Array:
        return Array(values, {"tile": 7})
    array = values.view(cls)
    array.meta = {"tile": 7}
    return array


IMAGE = ski.data.camera()[:60, :90]
ON_DEVICE = [
    (ski.filters.gaussian, {"sigma": 2}),
    (ski.util.invert, {}),
    (ski.exposure.rescale_intensity, {"out_range": (0, 1)}),
    (ski.transform.integral_image, {}),
    (ski.measure.label, {}),
    (ski.morphology.erosion, {}),
]


def kinds(result):
    """Types of all that is in a result, and the metadata."""
    told = []
    replace(result, lambda v: told.append((type(v), getattr(v, "meta", None))) or v)
    return told


@pytest.mark.parametrize("cls", [Array, Tagged, Frame])
@pytest.mark.parametrize(
    ("function", "options"), ON_DEVICE, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_call_runs_on_the_device_and_gives_what_scikit_image_gives(function, options, cls):
    expected = function(tagged(IMAGE, cls), **options)
    with use_backends("gpu"), profile() as p:
        result = function(tagged(IMAGE, cls), **options)
    assert [case.on_device for case in p.tallies] == [True], p.reasons
    assert kinds(result) == kinds(expected)
    np.testing.assert_allclose(np.asarray(result), np.asarray(expected), rtol=1e-10)


@pytest.mark.parametrize("of_image", [True, False])
@pytest.mark.parametrize("function", [ski.filters.gaussian, ski.morphology.erosion])
def test_out_comes_back_as_from_scikit_image(function, of_image):
    image = tagged(IMAGE / 255, Array) if of_image else IMAGE / 255
    theirs, ours = (tagged(np.zeros(IMAGE.shape), Array) for _ in range(2))
    expected = function(image, out=theirs)
    with use_backends("gpu"):
        result = function(image, out=ours)
    assert (result is ours) == (expected is theirs)
    assert kinds(result) == kinds(expected)
    assert np.shares_memory(result, ours)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-10)


@pytest.mark.parametrize(("cls", "runs"), [(Array, True), (Frame, True), (Tagged, False)])
def test_thresholds_are_numbers_where_the_class_makes_numbers_of_them(cls, runs):
    expected = ski.filters.threshold_li(tagged(IMAGE / 7, cls))
    with use_backends("gpu"), profile() as p:
        result = ski.filters.threshold_li(tagged(IMAGE / 7, cls))
    assert [case.on_device for case in p.tallies] == [runs], p.reasons
    assert kinds(result) == kinds(expected)


def of_class(**changes):
    return type("Changed", (np.ndarray,), changes)


def changed(self, *args, **kwargs):
    raise AssertionError("called")


@pytest.mark.parametrize(
    "image",
    [
        np.ma.array(IMAGE),
        IMAGE.view(np.matrix),
        IMAGE.view(np.recarray),
        IMAGE.view(of_class(__array_ufunc__=changed)),
        IMAGE.view(of_class(__array_function__=changed)),
        IMAGE.view(of_class(__mul__=changed)),
        IMAGE.view(of_class(astype=changed)),
    ],
    ids=["masked", "matrix", "records", "ufunc", "function", "operator", "method"],
)
def test_arrays_that_do_more_are_declined_with_their_type(gpu, image):
    told = gpu.declined(ski.filters.gaussian, image)
    name = "a masked array" if np.ma.isMA(image) else type(image).__qualname__
    assert told.startswith("image is ")
    assert name in told


def test_a_class_that_comes_back_at_times_is_declined_with_what_helps(gpu):
    told = gpu.declined(ski.exposure.adjust_gamma, tagged(IMAGE, Array))
    assert "image is a imageio.core.util.Array" in told.replace("an imageio", "a imageio")
    assert told.endswith("; give numpy.asarray(image)")


def _halves():
    """Every function's calls in two halves, in CI one half with each class."""
    for sweep in SWEEPS:
        if CATALOG[sweep.name].images:
            cases = list(sweep.cases())
            cases = cases[:: max(1, len(cases) // 8)]
            for number, cls in itertools.product(range(min(2, len(cases))), (Array, Tagged)):
                in_ci = number == (cls is Tagged) or len(cases) == 1
                mark = pytest.mark.thorough if in_ci else pytest.mark.exhaustive
                name = f"{spoken(sweep.name)}-{cls.__name__}-{number}"
                yield pytest.param(sweep.name, cases[number::2], cls, id=name, marks=mark)


@pytest.mark.parametrize(("name", "cases", "cls"), list(_halves()))
def test_types_of_every_functions_results(name, cases, cls):
    for case in cases:
        outcomes = []
        for backends in ((), ("gpu",)):
            arguments = made(case.arguments)
            for image in CATALOG[name].images:
                if image in arguments:
                    arguments[image] = replace(
                        arguments[image],
                        lambda v: tagged(v, cls) if type(v) is np.ndarray else v,
                    )
            args, kwargs = by_position(name, arguments)
            try:
                with use_backends(*backends):
                    result = listed(function_called(name)(*args, **kwargs))
                outcomes.append(kinds(result))
            except Exception as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1], case.label
