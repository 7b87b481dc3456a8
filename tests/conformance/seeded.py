"""The pytest plugin inside both runs: random images are the same, and markers are known."""

import numpy as np
import pytest


def pytest_configure(config):
    """Register a marker of pytest-run-parallel, which the tests of 0.27 use."""
    config.addinivalue_line("markers", "thread_unsafe: not for several threads")


@pytest.fixture(autouse=True)
def seeded():
    """NumPy's global generator begins anew with each test."""
    np.random.seed(0)
