"""scikit-image's functions are left as they were: `use_backends` makes them dispatchable."""

import pytest

import skimage_gpu_backend


@pytest.fixture(scope="module", autouse=True)
def restored():
    yield
    skimage_gpu_backend.disable()
