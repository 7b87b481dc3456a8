"""scikit-image's own tests are the judge; see `tests.conformance`."""

import json

import pytest

from tests.conformance import report, source
from tests.conformance.run import Run, run
from tests.upstream import need_version_of

# the judges themselves, not what they judge
pytestmark = pytest.mark.thorough

# those with kernels of ours; `python -m tests.conformance` takes all
MODULES = ("color", "exposure", "feature", "filters", "metrics", "transform", "util")


@pytest.mark.exhaustive
@pytest.mark.usefixtures("scikit_image_source")
@pytest.mark.parametrize("module", MODULES)
def test_what_passes_without_the_backend_passes_with_it(module):
    numbers = report.compared(run(module, backend=None), run(module, backend="gpu"))
    assert report.unexcused(numbers) == []
    assert numbers["passed"] > 50
    assert numbers["calls on the device"] > numbers["calls"] / 3


@pytest.mark.usefixtures("scikit_image_source")
@pytest.mark.parametrize(
    "module",
    [
        "color",
        *(
            pytest.param(name, marks=pytest.mark.exhaustive)
            for name in ("exposure", "filters", "measure")  # minutes
        ),
    ],
)
def test_what_passes_with_the_backend_passes_with_results_that_stay_on_the_device(module):
    ordinary, resident = (run(module, backend="gpu", resident=stay) for stay in (False, True))
    assert report.compared(ordinary, resident)["broken"] == {}
    assert resident.device_calls == ordinary.device_calls > 100


SMALL = """
import numpy as np
import pytest
from skimage.filters import gaussian
from skimage.measure import approximate_polygon
from skimage.util import img_as_float

def test_of_both():
    approximate_polygon(np.eye(5)[:, :2], 0)
    gaussian(gaussian(img_as_float(np.eye(5))))
def test_of_what_is_refused():
    with pytest.raises(ValueError):
        gaussian(np.eye(5), -1)
def test_that_fails(): assert {fails} is None
@pytest.mark.skip
def test_skipped(): pass
"""


def test_a_run_tells_outcomes_and_calls_and_goes_on_where_it_was_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "tests", lambda: tmp_path / "tests" / "skimage")
    folder = source.tests() / "little"
    folder.mkdir(parents=True)
    file = folder / "test_little.py"
    resume = tmp_path / "little.jsonl"
    name = f"{file.relative_to(tmp_path)}::"
    file.write_text(SMALL.format(fails=1))
    first = run("little", backend="gpu", resume=resume)
    assert (first.calls, first.device_calls) == (5, 2)
    assert (first.refused_calls, first.other_calls) == (1, 1)
    assert first.left == {"`util.img_as_float`, image has the wanted dtype already": 1}
    assert first.outcomes.pop(f"{name}test_that_fails").startswith("assert 1 is None")
    passed = {f"{name}test_of_both", f"{name}test_of_what_is_refused"}
    assert first.passed == passed
    assert first.outcomes[f"{name}test_skipped"] == "skipped"
    file.write_text(SMALL.format(fails=None).replace("gaussian(np", "1 / 0 + gaussian(np"))
    again = run("little", backend="gpu", resume=resume)
    assert again.passed == passed | {f"{name}test_that_fails"}
    assert (again.calls, again.device_calls) == (5, 2)


def test_a_run_that_is_killed_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "tests", lambda: tmp_path / "tests" / "skimage")
    folder = source.tests() / "little"
    folder.mkdir(parents=True)
    kills = "def test_a(): pass\ndef test_b():\n import os\n os.kill(os.getpid(), 9)\n"
    (folder / "test_little.py").write_text(kills)
    with pytest.raises(SystemExit, match="ended by signal 9"):
        run("little", backend=None)


def test_what_counts_as_broken():
    plain = Run({"a": "passed", "b": "passed", "c": "passed", "d": "no network", "e": "skipped"})
    backend = Run(
        {"a": "passed", "b": "Exception in a thread\nTraceback\nmore", "d": "no network"}, 10, 7
    )
    numbers = report.compared(plain, backend)
    assert numbers["broken"] == {"b": "Exception in a thread … more", "c": "did not run"}
    assert (numbers["tests"], numbers["passed"], numbers["passed with the backend"]) == (5, 3, 1)
    assert report.unexcused(numbers) == ["b", "c"]


def test_the_share_is_of_the_calls_that_can_run():
    counted = dict.fromkeys(_COLUMNS, 1000) | {"calls on the device": 700, "broken": {}}
    new = counted | {"calls refused": 200, "calls of others": 100}
    text = report.page({"simulator": {"new": new, "old": counted}})
    assert "| `new` | 1,000 | 1,000 | 1,000 | 1,000 | 200 | 100 | 700 | 100 % |" in text
    assert "| `old` | 1,000 | 1,000 | 1,000 | 1,000 |  |  | 700 |  |" in text


def test_an_excuse_needs_a_reason(monkeypatch, tmp_path):
    excused = tmp_path / "excused.toml"
    monkeypatch.setattr(report, "EXCUSED", excused)
    excused.write_text('[[excused]]\ntests = "module::test_one[*]"\nreason = "it cannot"\n')
    numbers = {"broken": {"module::test_one[a]": "x", "module::test_two": "y"}}
    assert report.unexcused(numbers) == ["module::test_two"]
    every = {"simulator": {"module": {**dict.fromkeys(_COLUMNS, 1), **numbers}}}
    assert "`module::test_one[a]`: it cannot" in report.page(every)
    assert "`module::test_two`: not excused: `y`" in report.page(every)


_COLUMNS = ("tests", "passed", "passed with the backend", "calls", "calls on the device")


def test_the_page_is_of_the_results():
    need_version_of(report.PAGE)
    assert report.PAGE.read_text() == report.page(json.loads(report.RESULTS.read_text()))
