"""Footprints are made on the host, as NumPy arrays, silently; every function takes them."""

import warnings

import numpy as np
import pytest
from skimage import morphology

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.on_host import ON_HOST
from tests.differential.samples import SAMPLES

MAKERS = [f.partition(":")[2] for f in ON_HOST if f.startswith("skimage.morphology:")]


def leaves(value):
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("output", [None, "cupy", "resident"])
def test_makers_give_numpys_footprints_and_nobody_is_told(enabled, name, output):
    make = getattr(morphology, name)
    arguments = SAMPLES["skimage.morphology"][name]
    expected = make(**arguments)
    options = {"output": output} if output else {}
    with use_backends("gpu", **options), warnings.catch_warnings():
        warnings.simplefilter("error")
        made = make(**arguments)
    assert type(made) is np.ndarray
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(made, expected)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("disk", {"radius": 4}),
        ("disk", {"radius": 4, "decomposition": "sequence"}),
        ("disk", {"radius": 7, "decomposition": "crosses"}),
        ("ellipse", {"width": 4, "height": 2, "decomposition": "crosses"}),
        ("footprint_rectangle", {"shape": (5, 9), "decomposition": "separable"}),
        ("footprint_rectangle", {"shape": (5, 9), "decomposition": "sequence"}),
        ("octagon", {"m": 3, "n": 2}),
        ("star", {"a": 3}),
    ],
)
def test_what_they_make_goes_with_device_arrays(however_small, gpu, name, arguments):
    image = np.random.default_rng(0).integers(0, 255, (40, 60), np.uint8)
    with use_backends("gpu"):
        footprint = getattr(morphology, name)(**arguments)
    assert all(isinstance(leaf, np.ndarray | int | np.integer) for leaf in leaves(footprint))
    for function in (morphology.opening, morphology.black_tophat):
        expected = function(image, footprint)
        np.testing.assert_array_equal(gpu.cupy(function, image, footprint), expected)
