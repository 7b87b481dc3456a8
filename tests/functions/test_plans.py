"""Plans are made without data and without CuPy. What they promise, tests/differential holds."""

import functools
import subprocess
import sys

import cupy as cp
import numpy as np
import pytest

from skimage_gpu_backend import functions
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.trouble import Declined
from tests.differential.check import array, by_position
from tests.differential.sweeps import SWEEPS


class WithoutData(Array):
    """Shape, dtype and layout of an array."""

    __slots__ = ("flags",)

    def __init__(self, array):
        super().__init__(array.shape, array.dtype)
        self.flags = array.flags


def _call(case, made):
    """The call, with what `made` makes of its images, of arrays beside them and of `out`."""
    row = CATALOG[case.sweep.name]

    def given(name, value):
        found = array(value)
        is_ours = name in (*row.images, *row.beside, "out") and type(found) is np.ndarray
        return made(found) if is_ours else found

    arguments = {
        name: replace(value, functools.partial(given, name))
        for name, value in case.arguments.items()
    }
    return by_position(case.sweep.name, arguments)


def _as_taken(case):
    """What makes arrays of a kind for which the function is taken."""
    return np.asarray if "numpy" in case.sweep.kinds else functools.partial(cp.array, order="C")


def _outcome(case, made):
    """Cost and reach of a call's plan, or why there is none."""
    try:
        plan = functions.plan(case.sweep.name, *_call(case, made))
    except Declined as declined:
        return type(declined), declined.reason
    return plan.reach, plan.cost


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.name)
def test_plans_are_made_from_shapes_and_dtypes_alone(sweep):
    cases = [case for case in sweep.cases() if "float16" not in case.label]
    of_shapes = {str(case): _outcome(case, WithoutData) for case in cases}
    assert of_shapes == {str(case): _outcome(case, _as_taken(case)) for case in cases}


def test_deciding_imports_no_cupy():
    code = (
        "import sys, numpy as np\n"
        "from skimage_gpu_backend import functions\n"
        "from skimage_gpu_backend.catalog import CATALOG\n"
        "for name in CATALOG:\n"
        "    functions.find(name)\n"
        "functions.plan('skimage.filters:gaussian', (np.zeros((4, 4)),), {})\n"
        "assert 'cupy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


_EVERY_CASE = """
import warnings
import cupy
from skimage_gpu_backend.explain import Explanation
from tests.differential.check import by_position, made
from tests.differential.sweeps import SWEEPS

warnings.simplefilter("ignore")
try:
    cupy.cuda.runtime.getDevice()
    raise SystemExit("there is a device")
except cupy.cuda.runtime.CUDARuntimeError:
    pass
for sweep in SWEEPS:
    for case in sweep.cases():
        try:
            explanation = Explanation(sweep.name, *by_position(sweep.name, made(case.arguments)))
            list(explanation.lines()), list(explanation.launches())
        except Exception as error:
            print(f"{case}: {type(error).__name__}: {error}")
"""


def test_every_call_is_planned_without_a_device(python):
    """In a process of its own, in which no plan of an earlier test is kept."""
    environment = {"SKIMAGE_GPU_SIMULATOR": "1", "CUDA_SIMULATOR_DEVICES": "0"}
    assert python("-c", _EVERY_CASE, **environment).stdout == ""
