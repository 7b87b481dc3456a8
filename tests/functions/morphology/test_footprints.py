"""Footprints, kernels of balls and level sets are made on the host, as NumPy arrays, silently;
every function takes them."""

import importlib
import warnings

import numpy as np
import pytest
from skimage import morphology, restoration, segmentation

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.on_host import ON_HOST
from skimage_gpu_backend.profiling.remedies import can_be_changed
from tests.differential.samples import SAMPLES

# spelled out, so that one that the package forgets is missed
MAKERS = [
    *("morphology:ball", "morphology:diamond", "morphology:disk", "morphology:ellipse"),
    *("morphology:footprint_from_sequence", "morphology:footprint_rectangle"),
    *("morphology:mirror_footprint", "morphology:octagon", "morphology:octahedron"),
    *("morphology:pad_footprint", "morphology:star"),
    *("restoration:ball_kernel", "restoration:ellipsoid_kernel"),
    *("segmentation:checkerboard_level_set", "segmentation:disk_level_set"),
]


def leaves(value):
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("output", [None, "cupy", "resident"])
def test_makers_give_numpys_footprints_and_nobody_is_told(enabled, name, output):
    module, _, function = name.partition(":")
    make = getattr(importlib.import_module(f"skimage.{module}"), function)
    arguments = SAMPLES[f"skimage.{module}"][function]
    expected = make(**arguments)
    options = {"output": output} if output else {}
    with use_backends("gpu", **options), warnings.catch_warnings(), observe() as calls:
        warnings.simplefilter("error")
        made = make(**arguments)
    ((_, reason, _),) = calls[0].declined
    assert ON_HOST[f"skimage.{name}"] in reason
    assert not can_be_changed(reason), "a profile would ask for another call"
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


@pytest.mark.parametrize(
    ("function", "arguments", "parameter", "make", "given"),
    [
        (restoration.rolling_ball, {}, "kernel", restoration.ball_kernel, (4, 2)),
        (restoration.rolling_ball, {}, "kernel", restoration.ellipsoid_kernel, ((7, 9), 20)),
        *(
            # its smoothing alternates from one iteration to the next, also between calls
            (segmentation.morphological_chan_vese, {"num_iter": 4}, "init_level_set", make, given)
            for make, given in (
                (segmentation.checkerboard_level_set, ((40, 60),)),
                (segmentation.disk_level_set, ((40, 60),)),
            )
        ),
    ],
)
def test_kernels_and_level_sets_go_with_device_arrays(
    however_small, enabled, function, arguments, parameter, make, given
):
    import cupy as cp

    image = np.random.default_rng(0).integers(0, 255, (40, 60), np.uint8)
    with use_backends("gpu", output="cupy"):
        arguments = {**arguments, parameter: make(*given)}
        found = function(cp.asarray(image), **arguments)
    assert isinstance(found, cp.ndarray)
    expected = function(image, **arguments)
    np.testing.assert_array_equal(found.get(), expected)
