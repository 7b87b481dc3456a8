"""Where CuPy is the real one, the simulator's tests run in a process that has the stand-in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_simulator


@pytest.mark.skipif(cuda_simulator.active(), reason="the tests run in this process")
def test_the_simulator_passes_its_tests_beside_a_gpu():
    folder = Path(__file__).resolve().parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        env={**os.environ, "SKIMAGE_GPU_SIMULATOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
