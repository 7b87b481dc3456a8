"""Somebody's test suite with the backend on, and the summary at its end."""

import pytest

TESTS = """
import numpy as np, pytest, warnings
from skimage import draw, filters

@pytest.mark.parametrize("side", range(300, 304))
def test_edges(side):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert filters.sobel(np.ones((side, side))).max() == 0

def test_disk():
    draw.disk((5, 5), 3)
"""
DEVICE = {"SKIMAGE_BACKENDS_MIN_SIZE": "0", "SKIMAGE_GPU_SIMULATOR": "1"}


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.thorough)], ids=["alone", "xdist"]
)
def test_the_summary_tells_what_ran_where(python, workers):
    tests = python.script(TESTS, "test_theirs.py")
    plugin = ("-p", "skimage_gpu_backend.pytest_plugin")
    done = python("-m", "pytest", *plugin, *workers, tests, **DEVICE)
    assert "5 passed" in done.stdout
    assert "scikit-image backends: gpu" in done.stdout
    table = {line.split("│")[1].strip(): line for line in done.stdout.splitlines() if "│" in line}
    _, ran_by, calls, *_ = (cell.strip() for cell in table["filters.sobel"].split("│")[1:])
    assert (ran_by, calls) == ("our kernel", "4")
    assert "no kernel" in table["draw.disk"]
    assert "4 of 5 calls ran on the device" in done.stdout
