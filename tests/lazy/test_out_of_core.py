"""From Zarr to Zarr, through workers that have room for a small part of the image."""

import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import skimage as ski

import cuda_simulator
from skimage_gpu_backend import profile, use_backends

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.thorough
K, M = 2**10, 2**20
HALO = 4  # of `gaussian` with a sigma of 1


@pytest.fixture
def folder(tmp_path):
    """For images that are too large to be kept."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def scan(folder, shape, chunk):
    """Zarr array of noise, written chunk by chunk."""
    made = zarr.create_array(
        folder / "scan.zarr", shape=shape, chunks=chunk, dtype=np.float32, compressors=None
    )
    rng = np.random.default_rng(0)
    for start in range(0, shape[0], chunk[0]):
        made[start : start + chunk[0]] = rng.random((chunk[0], *shape[1:]), np.float32)
    return made


def bands(rows, length):
    """Rows of each band, those with its halo, and where it lies in them."""
    for start in range(0, rows, length):
        stop, low = min(rows, start + length), max(0, start - HALO)
        yield slice(start, stop), slice(low, stop + HALO), slice(start - low, stop - low)


def watch():
    """Have this process note where its calls run, and which of them found no room."""
    global _watching, _profile, _missed
    from skimage_gpu_backend.tiles import start

    _watching = profile()  # which keeps no arrays
    _profile, _missed = _watching.__enter__(), []
    told = start._no_room
    start._no_room = lambda error: _missed.append(str(error)) or told(error)


def seen():
    """Where the calls of this process ran, those that found no room, and its most memory."""
    most = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * K
    return {case.where for case in _profile.tallies}, _missed, most


def prefixes(dask_scheduler):
    """Names that the dashboard shows of the scheduler's tasks."""
    return {*dask_scheduler.task_prefixes}


@pytest.mark.skipif(not cuda_simulator.active(), reason="the memory of a GPU is what it is")
@pytest.mark.parametrize(
    ("shape", "rows", "device", "worker"),
    [
        pytest.param((2560, 2048), 8, 512 * K, None, id="small"),
        pytest.param(
            (40 * 960, 16 * K), 64, 60 * M, 600 * M, marks=pytest.mark.exhaustive, id="large"
        ),
    ],
)
def test_an_image_of_forty_times_the_devices_memory(
    folder, monkeypatch, shape, rows, device, worker
):
    """The large one is of four times the memory of a worker, too."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(device))
    image = scan(folder, shape, (rows, shape[1]))
    assert image.nbytes >= 40 * device
    assert worker is None or image.nbytes >= 4 * worker
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None}
    if worker:
        options["memory_limit"] = worker
    with (
        distributed.LocalCluster(**options, local_directory=folder / "workers") as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(watch)
        with use_backends("gpu"):
            smooth = ski.filters.gaussian(da.from_zarr(image), sigma=1)
        smooth.to_zarr(folder / "smooth.zarr")
        told = client.run(seen)
        names = client.run_on_scheduler(prefixes)
    for sources, missed, most in told.values():
        assert (sources, missed) == ({"kernel"}, [])  # none had to begin again
        assert worker is None or most < worker
    assert any(name.startswith("gaussian") for name in smooth.dask.layers)
    assert all(name.replace("-", "").isalpha() for name in names), names  # no bare numbers
    monkeypatch.delenv("CUDA_SIMULATOR_MEMORY")
    result = zarr.open_array(folder / "smooth.zarr", mode="r")
    for band, with_halo, place in bands(shape[0], 512):
        with use_backends("gpu"):
            expected = ski.filters.gaussian(image[with_halo], sigma=1)[place]
        np.testing.assert_array_equal(result[band], expected)


def test_dasks_progress_bar_shows_how_far_it_is(however_small, folder):
    from dask.diagnostics import ProgressBar

    image = scan(folder, (128, 100), (32, 100))
    result = zarr.create_array(folder / "e.zarr", shape=(128, 100), chunks=(32, 100), dtype="f4")
    with use_backends("gpu"):
        edges = ski.filters.sobel(da.from_zarr(image))
        told = StringIO()
        with redirect_stdout(told), ProgressBar():
            edges.to_zarr(result)
        assert "100% Completed" in told.getvalue()
        np.testing.assert_array_equal(result[:], ski.filters.sobel(image[:]))
