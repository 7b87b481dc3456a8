"""What the catalog says about cuCIM is true: each difference is still there."""

import importlib
import pkgutil

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import cucim
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.cucim.mistakes import CORRECTED


def _modules():
    for info in pkgutil.iter_modules(cucim.__path__):
        module = importlib.import_module(f"{cucim.__name__}.{info.name}")
        if hasattr(module, "DIFFERENCES") or hasattr(module, "CORRECTIONS"):
            yield info.name, module


def _examples():
    for place, module in _modules():
        for function, differences in getattr(module, "DIFFERENCES", {}).items():
            for number, difference in enumerate(differences):
                if difference.example:
                    yield pytest.param(difference, id=f"{place}:{function}-{number}")
    for name, mistakes in CORRECTED.items():
        for number, mistake in enumerate(mistakes):
            if mistake.example:
                yield pytest.param(mistake, id=f"{name}-mistake-{number}")


@pytest.mark.parametrize("difference", list(_examples()))
def test_example_of_a_difference_shows_it(difference):
    import cucim.skimage as cs

    *statements, last = difference.example.strip().splitlines()
    names = {"np": np, "cp": cp, "ski": ski, "cs": cs}
    exec("\n".join(statements), names)  # text of our own catalog
    assert eval(last, names), "cuCIM now gives what scikit-image gives"


def test_reports_of_bugs_come_with_an_example():
    for place, module in _modules():
        for function, differences in getattr(module, "DIFFERENCES", {}).items():
            assert all(d.example for d in differences if d.bug), f"{place}: {function}"


def test_mistakes_without_an_example_say_why():
    for name, mistakes in CORRECTED.items():
        for mistake in mistakes:
            assert mistake.example or "No example" in mistake.bug, f"{name}: {mistake.title}"


def test_mistakes_are_of_functions_that_cucim_runs():
    assert all(CATALOG[name].cucim for name in CORRECTED)


def test_tables_are_about_functions_that_cucim_runs():
    known = {
        name.removeprefix("skimage.").replace(".", "_")
        for name, row in CATALOG.items()
        if row.cucim
    }
    for place, module in _modules():
        for table in ("DIFFERENCES", "CORRECTIONS"):
            for function in getattr(module, table, {}):
                assert f"{place}:{function}" in known
