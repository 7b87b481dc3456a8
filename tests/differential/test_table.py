"""The table in the documentation is what the sweeps and the catalog say today."""

import inspect

import pytest
import skimage

from . import on_cpu, table
from .public import callables


@pytest.fixture(scope="module")
def page():
    """The tables."""
    return table.render()


def test_every_public_name_has_a_row(page):
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
