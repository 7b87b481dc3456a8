"""Ctrl-C between the launches of a call: nothing is half written, nothing stays behind."""

import importlib

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import faults
from skimage_gpu_backend import use_backends
from tests.differential.check import by_position, inside, listed, made
from tests.differential.sweeps import SWEEPS

from .failing import Device
from .test_every_function import Call, _arguments, _case, _on_host

# Those whose launches come in rounds; others have an interruption in the thorough run.
ROUNDS = (
    *("filters:threshold_li", "morphology:skeletonize", "registration:optical_flow_ilk"),
    *("registration:optical_flow_tvl1", "restoration:calibrate_denoiser"),
    *("restoration:cycle_spin", "restoration:denoise_invariant", "restoration:denoise_tv_bregman"),
    *("restoration:denoise_tv_chambolle", "restoration:inpaint_biharmonic"),
    *("restoration:richardson_lucy", "restoration:unsupervised_wiener", "restoration:unwrap_phase"),
    *("segmentation:chan_vese", "segmentation:morphological_chan_vese"),
    *("segmentation:morphological_geodesic_active_contour", "segmentation:random_walker"),
    *("segmentation:slic", "segmentation:watershed", "transform:iradon_sart"),
)
# Generators: the caller has results already.
LAZY = ("skimage.transform:pyramid_gaussian", "skimage.transform:pyramid_laplacian")


def function_of(sweep):
    """scikit-image's function, as a user has it."""
    module, _, name = sweep.name.partition(":")
    return getattr(importlib.import_module(module), name)


def _cases():
    for number, sweep in enumerate(SWEEPS):
        quick = sweep.name.removeprefix("skimage.") in ROUNDS
        marks = () if quick else pytest.mark.thorough
        yield pytest.param(sweep, "numpy" if number % 2 else "cupy", id=sweep.name, marks=marks)


@pytest.mark.parametrize(("sweep", "kind"), list(_cases()))
def test_ctrl_c_between_launches(sweep, kind):
    call, case = Call(sweep, kind), _case(sweep, kind)
    healthy = Device(("launch",))
    assert call.on(healthy) == []
    count = len(healthy.met)
    if not count:
        pytest.skip("launches nothing")
    before = made(case.arguments)
    arguments = _arguments(case, kind)
    args, kwargs = by_position(sweep.name, arguments)
    used = cp.get_default_memory_pool().used_bytes()
    interrupted = Device(("launch",), count // 2, KeyboardInterrupt)
    with use_backends("gpu"), faults.observed(interrupted), pytest.raises(KeyboardInterrupt) as c:
        listed(function_of(sweep)(*args, **kwargs))
    if sweep.name not in LAZY:
        assert cp.get_default_memory_pool().used_bytes() <= used, "the traceback keeps arrays"
    arrays = [inside(_on_host(each), np.ndarray) for each in (arguments, before)]
    for after, untouched in zip(*arrays, strict=True):
        np.testing.assert_array_equal(after, untouched, err_msg="an argument was changed")
    del c
    assert call.on(Device()) == []
