"""Results are scikit-image's, for every function that cuCIM runs and every way to call it."""

import pytest

from skimage_gpu_backend.catalog import CATALOG

from .check import backends, check
from .sweeps import SWEEPS


def _cases():
    for sweep in SWEEPS:
        for case in sweep.cases():
            marks = () if case.standard else (pytest.mark.thorough,)
            for backend in backends(sweep):
                yield pytest.param(case, backend, id=f"{case}-{backend}", marks=marks)


@pytest.mark.parametrize("kind", ["numpy", "cupy"])
@pytest.mark.parametrize("case, backend", list(_cases()))
def test_result_is_scikit_images(case, backend, kind):
    check(case, kind, backend)


def test_each_function_has_one_sweep_and_each_sweep_a_function():
    names = [sweep.name for sweep in SWEEPS]
    assert sorted(names) == sorted(CATALOG)


@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS])
def test_labels_of_calls_are_unique(sweep):
    labels = [case.label for case in sweep.cases()]
    assert len(labels) == len(set(labels))
