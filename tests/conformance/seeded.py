"""The pytest plugin inside both runs: a test that draws images at random draws the same ones."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def seeded():
    """NumPy's global generator begins anew with each test."""
    np.random.seed(0)
