"""Worker processes run the chunks as the client has selected, with what they have."""

import os
import signal

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
IMAGE = np.random.default_rng(0).random((203, 190))


@pytest.fixture
def client(monkeypatch, tmp_path, request):
    """Of two worker processes with two threads each."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    for name, value in getattr(request, "param", {}).items():
        monkeypatch.setenv(name, value)
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options, processes=True, local_directory=tmp_path) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def watch():
    """Have this process note its calls from now on."""
    global _watching, _calls
    _watching = observe()
    _calls = _watching.__enter__()


def sources():
    """What ran each of the calls of this process."""
    return [call.source for call in _calls]


def smoothed():
    with use_backends("gpu"):
        return ski.filters.sobel(ski.filters.gaussian(da.from_array(IMAGE, (50, 60)), sigma=2))


@pytest.fixture
def expected():
    return ski.filters.sobel(ski.filters.gaussian(IMAGE, sigma=2))


def test_workers_take_the_selection_of_the_client(client, expected):
    client.run(watch)
    np.testing.assert_array_equal(smoothed().compute(), expected)
    for found in client.run(sources).values():
        assert found
        assert {*found} == {"kernel"}


def test_a_worker_that_is_killed_is_replaced(client, expected):
    result = client.compute(smoothed())
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)
    np.testing.assert_array_equal(result.result(timeout=120), expected)


@pytest.mark.parametrize("client", [{"SKIMAGE_GPU_SIMULATOR": "0"}], indirect=True)
def test_workers_without_a_device_run_scikit_image(client, expected):
    client.run(watch)
    np.testing.assert_array_equal(smoothed().compute(), expected)
    for found in client.run(sources).values():
        assert {*found} == {None}


def test_regions_are_joined_across_workers(client):
    image = ski.filters.gaussian(IMAGE, sigma=2)

    def measured(image):
        large = ski.morphology.remove_small_objects(image > 0.5, max_size=20)
        labels, count = ski.measure.label(large, return_num=True)
        inner = ski.segmentation.relabel_sequential(ski.segmentation.clear_border(labels))[0]
        return labels, count, inner, ski.measure.regionprops_table(inner)

    with use_backends("gpu"):
        lazy = measured(da.from_array(image, 30))
    found, expected = dask.compute(*lazy), measured(image)
    for one, other in zip(found[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert {k: list(v) for k, v in found[3].items()} == {k: list(v) for k, v in expected[3].items()}


def test_reconstructions_come_back_across_workers(client):
    image = ski.filters.gaussian(IMAGE, sigma=2)
    with use_backends("gpu"):
        found = ski.morphology.h_maxima(da.from_array(image, 40), 0.05).compute()
    np.testing.assert_array_equal(found, ski.morphology.h_maxima(image, 0.05))
