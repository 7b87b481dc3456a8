"""The table in the documentation is what the sweeps and the catalog say today."""

import inspect
from pathlib import Path

import pytest
import skimage

from skimage_gpu_backend.scikit_image import version

from . import on_cpu, table
from .public import callables
from .record import digest, load
from .sweeps import SWEEPS

ROOT = Path(__file__).parents[2]
of_026 = pytest.mark.skipif(version() >= (0, 27), reason="pages are of scikit-image 0.26")
AGAIN = "run: SKIMAGE_GPU_SIMULATOR=1 python -m tests.differential"


@of_026
@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS])
def test_record_is_of_todays_calls(sweep):
    assert load()[sweep.name]["digest"] == digest(sweep), AGAIN


@of_026
def test_page_is_of_todays_catalog_and_record():
    assert table.PAGE.read_text() == table.render(load()), AGAIN


def test_every_public_name_has_a_row():
    page = table.PAGE.read_text()
    members = {f"skimage.{name}": getattr(skimage, name) for name in skimage.__all__}
    modules = [name for name, member in members.items() if inspect.ismodule(member)]
    *dispatched, rest = page.split("\n## ")[1:]
    told = {section.partition("\n")[0]: section for section in dispatched}
    assert {*told, *on_cpu.NOT_DISPATCHED} == {*modules, "skimage.filters.rank"}
    for module in (*modules, "skimage.filters.rank"):
        of_module = told.get(module, "").splitlines()
        of_module += [line for line in rest.splitlines() if line.startswith(f"| `{module}` |")]
        rows = [line for line in of_module if line.startswith("| `")]
        missing = [n for n in callables(module) if not any(f"`{n}`" in row for row in rows)]
        assert not missing, module


def test_every_function_that_stays_on_the_cpu_has_a_reason():
    assert on_cpu.need_reason() == set(on_cpu.ON_CPU)


@of_026
def test_the_readme_counts_functions_as_the_table_does():
    found = table.counts()
    told = (ROOT / "README.md").read_text("utf-8").replace("\n  ", " ")
    assert f"of scikit-image's {found.total()} public functions {found['kernel']} have" in told
    design = found["CPU by design"]
    assert f"{found['CPU'] + design} stay on the CPU, {design} of them by design" in told
