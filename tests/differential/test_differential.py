"""Results are scikit-image's, for every function that cuCIM runs and every way to call it."""

import pytest

from skimage_gpu_backend.catalog import CATALOG

from .check import backends, check
from .sweeps import SWEEPS

KINDS = ("numpy", "cupy")
OFTEN = {"gpu": 2, "cucim": 6}  # of as many calls with an array of a kind CI makes one


def _cases():
    """Every call on each backend.

    The usual call of a function is made with arrays of both kinds, in the quick run of one. In CI
    each other call is made with one kind on our kernels, and each third on cuCIM's, which change
    with its releases.
    """
    for sweep in SWEEPS:
        for number, case in enumerate(sweep.cases()):
            for place, backend in enumerate(backends(sweep)):
                for turn, kind in enumerate(KINDS, number + place):
                    if case.standard:
                        marks = pytest.mark.thorough if turn % 2 else ()
                    else:
                        often = turn % OFTEN[backend] == 0
                        marks = pytest.mark.thorough if often else pytest.mark.exhaustive
                    yield pytest.param(
                        case, backend, kind, id=f"{case}-{backend}-{kind}", marks=marks
                    )


@pytest.mark.parametrize("case, backend, kind", list(_cases()))
def test_result_is_scikit_images(case, backend, kind):
    check(case, kind, backend)


def test_each_function_has_one_sweep_and_each_sweep_a_function():
    names = [sweep.name for sweep in SWEEPS]
    assert sorted(names) == sorted(CATALOG)


@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS])
def test_labels_of_calls_are_unique(sweep):
    labels = [case.label for case in sweep.cases()]
    assert len(labels) == len(set(labels))
