"""Results are scikit-image's, for every function and every way to call it."""

import pytest

from skimage_gpu_backend.catalog import CATALOG

from .check import check
from .sweeps import SWEEPS

KINDS = ("numpy", "cupy")


def _cases():
    """Every call on the CPU, and with NumPy or CuPy arrays on a GPU.

    On a GPU the usual call of a function is made with arrays of both kinds, in the quick run of
    one. Of the other calls CI makes every second one, with either kind in turn.
    """
    for sweep in SWEEPS:
        for number, case in enumerate(sweep.cases()):
            if CATALOG[sweep.name].images:
                marks = () if case.standard else pytest.mark.thorough
                yield pytest.param(case, "cpu", id=f"{case}-cpu", marks=marks)
            for turn, kind in enumerate(KINDS, number):
                if case.standard:
                    marks = pytest.mark.thorough if turn % 2 else ()
                else:
                    marks = pytest.mark.exhaustive if turn % 4 else pytest.mark.thorough
                yield pytest.param(case, kind, id=f"{case}-{kind}", marks=marks)


@pytest.mark.parametrize("case, kind", list(_cases()))
def test_result_is_scikit_images(case, kind):
    check(case, kind)


def test_each_function_has_one_sweep_and_each_sweep_a_function():
    names = [sweep.name for sweep in SWEEPS]
    assert sorted(names) == sorted(CATALOG)


@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS])
def test_labels_of_calls_are_unique(sweep):
    labels = [case.label for case in sweep.cases()]
    assert len(labels) == len(set(labels))
