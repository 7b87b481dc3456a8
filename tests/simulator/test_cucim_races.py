"""The reproductions in docs/cucim_races.md print what stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_simulator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cucim_races.md"
REPRODUCTIONS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)

pytestmark = [
    pytest.mark.skipif(not cuda_simulator.active(), reason="races show on the simulator"),
    pytest.mark.thorough,
]


@pytest.mark.parametrize(("script", "expected"), REPRODUCTIONS)
def test_a_race_shows_without_lockstep_and_not_with_a_barrier(script, expected):
    pytest.importorskip("cucim")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout == expected, run.stderr
