"""Results are scikit-image's, for every function and every way to call it."""

import pytest

from skimage_gpu_backend.catalog import CATALOG

from .check import check
from .sweeps import SWEEPS

KINDS = ("numpy", "cupy")


def _cases():
    """Every call with NumPy or CuPy arrays.

    The usual call of a function is made with arrays of both kinds, in the quick run of one. Each
    other call is made with one kind in CI.
    """
    for sweep in SWEEPS:
        for number, case in enumerate(sweep.cases()):
            for turn, kind in enumerate(KINDS, number):
                if case.standard:
                    marks = pytest.mark.thorough if turn % 2 else ()
                else:
                    marks = pytest.mark.thorough if turn % 2 == 0 else pytest.mark.exhaustive
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
