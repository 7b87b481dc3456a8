"""Results in turn: what the caller writes between two of them counts as with scikit-image."""

import inspect
import itertools

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import own_function

IMAGE = ski.data.camera()[::6, ::7]
# Of all functions of the catalog that are generators, how they are called here.
OPTIONS = {
    "skimage.transform:pyramid_gaussian": {"max_layer": 3},
    "skimage.transform:pyramid_laplacian": {"max_layer": 3},
}
# Kind of the image, and what is selected.
KINDS = {
    "numpy": (np.array, ("gpu",), {}),
    "resident": (np.array, ("gpu",), {"output": "resident"}),
    "cupy": (cp.array, (), {}),
    "numpy to cupy": (np.array, ("gpu",), {"output": "cupy"}),
}


def test_all_generators_are_tried_here():
    assert set(OPTIONS) == {n for n in CATALOG if inspect.isgeneratorfunction(own_function(n))}


def _changed_in_turn(function, image, options):
    """The results of a generator, each of them before it is written into."""
    found = []
    for number, result in enumerate(function(image, **options)):
        found.append(cp.asnumpy(result).copy())
        result *= 0.5
        if number == 1:
            image[...] = 1  # no result is computed from the image any more
            result += 0.25
    return found


def _agree(found, expected):
    assert len(found) == len(expected) > 2
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(expected[0]).max())


def _image(dtype):
    return IMAGE.copy() if dtype == "uint8" else (IMAGE / 255).astype(dtype)


def _call(name):
    module, function = name.removeprefix("skimage.").split(":")
    return getattr(getattr(ski, module), function)


CALLS = [*itertools.product(OPTIONS, KINDS, ["float64", "uint8"])]
CALLS += [(name, kind, "float32") for name, kind, dtype in CALLS if dtype == "uint8"]
CALLS += [(name, "numpy", ">f8") for name in OPTIONS]


@pytest.mark.parametrize(("name", "kind", "dtype"), CALLS)
def test_what_is_written_into_a_result_counts_for_the_next(however_small, name, kind, dtype):
    array, names, options = KINDS[kind]
    expected = _changed_in_turn(_call(name), _image(dtype), OPTIONS[name])
    with use_backends(*names, **options):
        found = _changed_in_turn(_call(name), array(_image(dtype)), OPTIONS[name])
    _agree(found, expected)


@pytest.mark.parametrize("dtype", ["float64", "uint8"])
@pytest.mark.parametrize("array", [np.array, cp.array], ids=["numpy", "cupy"])
@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_written_into_the_image_before_the_first_result_counts(
    however_small, name, array, dtype
):
    def written_late(image):
        results = _call(name)(image, **OPTIONS[name])
        image[9:] = image[:-9].copy()
        return [cp.asnumpy(next(results)), cp.asnumpy(next(results))]

    expected = written_late(_image(dtype))
    with use_backends("gpu"):
        found = written_late(array(_image(dtype)))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_a_floating_image_crosses_the_bus_once(however_small, counting):
    """The first result is the image itself; each one crosses when the next is computed."""
    image = _image("float64")
    with use_backends("gpu"), counting() as counts:
        levels = _call("skimage.transform:pyramid_gaussian")(image, max_layer=2)
        assert next(levels) is image
        assert counts.bytes_to_device == 0
        first = next(levels)
        assert counts.bytes_to_device == image.nbytes
        next(levels)
    assert counts.bytes_to_device == image.nbytes + first.nbytes


@pytest.mark.parametrize("dtype", ["float64", "uint8"])
def test_device_arrays_count_where_scikit_image_runs(however_small, dtype):
    """The call is declined: `max_layer` is no integer."""
    function = ski.transform.pyramid_gaussian
    expected = _changed_in_turn(function, _image(dtype), {"max_layer": 3})
    found = _changed_in_turn(function, cp.array(_image(dtype)), {"max_layer": 3.0})
    _agree(found, expected)
