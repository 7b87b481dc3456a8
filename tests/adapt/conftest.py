"""An image, and a result of it that stayed on the device."""

import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.resident import block_of


@pytest.fixture
def everything_taken(monkeypatch):
    """Small images go to the device too; their results can stay there."""
    from skimage_gpu_backend.adapt import managed  # the device is chosen after this file is read

    if reason := managed.why_not(0):
        pytest.skip(reason)
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


@pytest.fixture(scope="module")
def image():
    return ski.data.camera()[:200, :160] / 255


@pytest.fixture
def result(image):
    """A result that stayed on the device."""
    with use_backends("gpu", output="resident"):
        found = ski.filters.gaussian(image, 2)
    assert block_of(found)
    return found


@pytest.fixture(scope="module")
def expected(image):
    return ski.filters.gaussian(image, 2)
