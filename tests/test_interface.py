"""The backends under scikit-image's own dispatcher, without our hook."""

import cupy as cp
import numpy as np
import pytest
from skimage import metrics
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import availability, interface

NAME = "skimage.metrics:mean_squared_error"


@pytest.fixture
def images():
    rng = np.random.default_rng(0)
    return rng.random((300, 300)), rng.random((300, 300))


def test_protocol_takes_and_runs_cupy_arrays(images):
    given = [cp.asarray(image) for image in images]
    assert interface.gpu.can_has(NAME, *given) is True
    result = interface.gpu.get_implementation(NAME)(*given)
    assert result == pytest.approx(metrics.mean_squared_error(*images), rel=1e-12)


def test_protocol_declines_numpy_arrays_until_selected(images, monkeypatch):
    assert interface.gpu.can_has(NAME, *images) is False
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    assert interface.gpu.can_has(NAME, *images) is True


def test_trouble_of_the_device_ends_on_scikit_image(images, monkeypatch):
    given = [cp.asarray(image) for image in images]
    implementation = interface.gpu.get_implementation(NAME)
    monkeypatch.setattr(availability, "_state", "no CUDA device")
    with pytest.warns(DispatchNotification, match="no CUDA device"):
        assert implementation(*given) == metrics.mean_squared_error(*images)


def test_tab_completion_offers_the_public_names_before_they_are_used(python):
    code = "import skimage_gpu_backend as s; print(*dir(s)); print(*s.__all__)"
    offered, public = python("-c", code).stdout.splitlines()
    assert offered == public
    assert "use_backends" in offered.split()
