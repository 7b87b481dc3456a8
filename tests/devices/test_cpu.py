"""Planners and kernels on the CPU, on NumPy arrays: results are scikit-image's."""

import numpy as np
import pytest

from skimage_gpu_backend import functions
from skimage_gpu_backend.adapt.kinds import NUMPY
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.arguments import bound, is_array
from skimage_gpu_backend.call import Call
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.devices.cpu.call import call_on_cpu
from skimage_gpu_backend.plan import Declined
from tests.differential.check import (
    WRITE,
    bound_for,
    by_position,
    expected_of,
    inside,
    listed,
    made,
)
from tests.differential.compare import difference
from tests.differential.sweeps import SWEEPS

# Regions are objects that keep the device of their images.
LEFT = {"skimage.measure:regionprops"}


def call_of(name, args, kwargs):
    """A call as the backend would make it: planned for images in native byte order."""

    def native(value):
        return value.astype(value.dtype.newbyteorder("=")) if is_array(value) else value

    plan = functions.plan(name, replace(args, native), kwargs)
    row = CATALOG[name]
    names = row.arrays if plan.reads is None else plan.reads
    arguments = bound(name, args, kwargs)[0].items()
    arrays = {n: v for n, v in arguments if n in names and is_array(v)}
    return Call(name, row.arrays, NUMPY, arrays, plan=plan)


def arrays_in(value):
    return inside([value], np.ndarray)


def _cases():
    for sweep in SWEEPS:
        if sweep.name not in LEFT:
            for number, case in enumerate(sweep.cases()):
                marks = pytest.mark.exhaustive if number % 2 else pytest.mark.thorough
                yield pytest.param(case, id=str(case), marks=() if case.standard else marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", list(_cases()))
def test_result_is_scikit_images(case):
    name, view = case.sweep.name, case.sweep.view
    arguments = made(case.arguments)
    try:
        call = call_of(name, *by_position(name, arguments))
        expected, error, _ = expected_of(name, made(case.arguments))
        if error is not None:
            with pytest.raises(type(error)):
                listed(call_on_cpu(call.plan.run, call))
            return
        # of one that writes into arguments a second call would be another one
        times = 1 if name in WRITE or "out" in arguments else 2
        results = [listed(call_on_cpu(call.plan.run, call)) for _ in range(times)]
    except Declined as declined:
        assert not (case.standard and "numpy" in case.sweep.kinds), declined
        pytest.skip(f"declined: {declined}")
    bound = bound_for(case.sweep.bound, arguments, expected)
    for result in results:  # the second one of a plan whose arrays no kernel has changed
        assert difference(view(result), view(expected)) <= bound
    if times == 1:
        return
    fresh = arrays_in(made(case.arguments))
    for given, before in zip(arrays_in(arguments), fresh, strict=True):
        np.testing.assert_array_equal(given, before, err_msg="an argument was changed")
    for first, second in zip(*map(arrays_in, results), strict=True):
        if not any(first is given for given in arrays_in(arguments)):
            assert not np.may_share_memory(first, second)


@pytest.mark.parametrize("layout", ["strided", "other byte order", "unaligned", "read-only"])
def test_images_of_any_layout_are_read(layout):
    name = "skimage.filters:gaussian"
    image = np.random.default_rng(0).random((30, 41))
    given = {
        "strided": np.repeat(np.repeat(image, 2, 0), 3, 1)[::2, ::3],
        "other byte order": image.astype(">f8"),
        "unaligned": _unaligned(image),
        "read-only": image.copy(),
    }[layout]
    given.flags.writeable = False
    call = call_of(name, (given, 2), {})
    expected, _, _ = expected_of(name, {"image": image, "sigma": 2})
    np.testing.assert_allclose(call_on_cpu(call.plan.run, call), expected, atol=1e-12)


def _unaligned(image):
    memory = np.zeros(image.nbytes + 1, np.uint8)
    array = np.frombuffer(memory[1:].data, image.dtype).reshape(image.shape)
    array[...] = image
    return array


@pytest.mark.parametrize("overlap", ["itself", "partly"])
def test_out_may_overlap_the_image(overlap):
    name = "skimage.filters:gaussian"
    memory = np.random.default_rng(0).random((31, 41))
    image, out = memory[:-1], memory[:-1] if overlap == "itself" else memory[1:]
    expected, _, _ = expected_of(name, {"image": image.copy(), "sigma": 2})
    call = call_of(name, (image, 2), {"out": out})
    assert call_on_cpu(call.plan.run, call) is out
    np.testing.assert_allclose(out, expected, atol=1e-12)


def test_a_failure_leaves_out_as_it_was(monkeypatch):
    image = np.random.default_rng(0).random((30, 41))
    out = np.zeros_like(image)
    call = call_of("skimage.filters:gaussian", (image, 2), {"out": out})

    def fails(**arrays):
        call.plan.run(**arrays)
        raise MemoryError

    with pytest.raises(MemoryError):
        call_on_cpu(fails, call)
    assert not out.any()
