"""A cut run of tests goes on where it stopped."""

import pytest

from tests.done import Done

pytestmark = pytest.mark.thorough

TESTS = """
import pytest


def test_a(): pass
def test_b(): assert {fails} is None
@pytest.mark.skip
def test_c(): pass
"""


def test_what_ended_well_is_left_out_the_next_time(python):
    python.path.append(str(python.directory))
    command = ("-m", "pytest", "-p", "tests.resume", "--resume", "done.txt")
    first = python(*command, python.script(TESTS.format(fails=1), "test_it.py"), check=False)
    assert "1 failed, 1 passed, 1 skipped" in first.stdout
    again = python(*command, python.script(TESTS.format(fails=None), "test_it.py"))
    assert "1 passed, 2 deselected" in again.stdout
    last = python(*command, python.directory / "test_it.py", check=False)
    assert "3 deselected" in last.stdout


def test_done_is_kept_in_its_file(tmp_path):
    done = Done(tmp_path / "done.txt")
    assert "a" not in done
    done.add("a")
    assert "a" in Done(tmp_path / "done.txt")
    nowhere = Done(None)
    nowhere.add("a")
    assert "a" not in nowhere
