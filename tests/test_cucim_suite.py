"""The command that runs cuCIM's own tests, on a small suite in cuCIM's place."""

import threading
import time

import pytest

from tests.cucim_suite import __main__ as command
from tests.cucim_suite import expected, report, runner, suite

# the judges themselves, not what they judge
pytestmark = pytest.mark.thorough

TESTS = """
import os, time
import pytest



def test_that_passes(): pass
def test_that_fails(): assert 1 == 2, "one is not two"
def test_that_ends_the_process(): os._exit(3)
def test_that_hangs(): time.sleep(100)
def test_after_all_that(): pass
def test_with_data():
    from skimage.data import _fetchers
    _fetchers._image_fetcher.fetch("data/brain.tiff")
@pytest.mark.skip(reason="no such thing")
def test_skipped(): pass
@pytest.mark.xfail
def test_expected_to_fail(): assert 0
@pytest.mark.parametrize("x", [1, 2])
def test_of[x](x): assert x == 1
""".replace("test_of[x]", "test_of")
NAME = "cucim/skimage/little/tests/test_little.py::"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command on the little suite with a list of expected failures."""
    folder = tmp_path / "cucim" / "skimage" / "little" / "tests"
    folder.mkdir(parents=True)
    monkeypatch.setattr(suite, "root", lambda: tmp_path / "cucim")
    monkeypatch.setattr(suite, "modules", lambda: {"little": folder})
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(report, "DOCUMENT", tmp_path / "page.md")
    monkeypatch.setattr(expected, "FILE", tmp_path / "expected.toml")

    def run(tests, *options, **listed):
        (folder / "test_little.py").write_text(tests)
        rows = (f'[[expected]]\ntests = "{NAME}{t}"\ncause = "{c}"\n' for t, c in listed.items())
        expected.FILE.write_text("".join(rows))
        status = command.main(["--limit", "2", *options])
        page = report.DOCUMENT.read_text() if report.DOCUMENT.exists() else ""
        return status, capsys.readouterr().out, page

    return run


def test_a_test_that_hangs_or_ends_the_process_fails_and_the_others_run(run):
    status, out, page = run(TESTS)
    assert status == 1
    assert "little: 3 passed, 1 download, 1 skipped, 1 xfailed, 4 failed" in out
    assert "test_that_hangs: time limit of 2 s" in out
    assert "test_that_ends_the_process: the process ended with status 3" in out
    assert "test_that_fails: AssertionError: one is not two" in out
    assert "| `little` | 10 | 3 | 1 | 1 | 1 | 4 |" in page
    assert f"- `{NAME}test_that_fails`" in page


def test_failures_with_a_cause_are_no_complaint(run):
    failing = "import pytest\n@pytest.mark.parametrize('x', [1, 2])\ndef test_f(x): assert 0\n"
    status, _, page = run(failing, **{"test_f*": "The moon is full."})
    assert status == 0
    assert f"The moon is full.\n\n- `{NAME}test_f[1]`\n- `{NAME}test_f[2]`" in page


def test_a_listed_test_that_passes_is_a_complaint(run):
    status, out, _ = run("def test_f(): pass\n", test_f="The moon is full.")
    assert status == 1
    assert f"PASSED, but is listed as failing: {NAME}test_f" in out


def test_a_listed_test_that_does_not_exist_is_a_complaint(run):
    status, out, _ = run("def test_f(): pass\n", test_g="The moon is full.")
    assert status == 1
    assert f"LISTED as failing, but there is no such test: {NAME}test_g" in out


def test_a_file_that_cannot_be_imported_fails(run):
    status, out, _ = run("import no_such_thing\n")
    assert status == 1
    assert "No module named 'no_such_thing'" in out


def test_a_cut_run_goes_on_where_it_stopped(run, tmp_path, monkeypatch):
    stopped = threading.Event()
    monkeypatch.setattr(runner, "_stopped", stopped)
    events = tmp_path / "resumed" / "little.jsonl"

    def stop_after_the_first_test():
        while not (events.exists() and '"end"' in events.read_text()):
            time.sleep(0.05)
        stopped.set()

    threading.Thread(target=stop_after_the_first_test, daemon=True).start()
    once = "import time\ndef test_a(): pass\ndef test_b(): time.sleep({seconds})\n"
    resume = ("--resume", str(tmp_path / "resumed"))
    _, out, page = run(once.format(seconds=1.8), *resume)
    assert "little: 1 passed, and the time was up" in out
    assert page == ""
    stopped.clear()
    _, out, page = run(once.format(seconds=0).replace("pass", "assert 0"), *resume)
    assert "little: 2 passed (" in out
    assert "| `little` | 2 | 2 |" in page
