"""Threads that share a device wait for each other rather than run out of its memory."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.tiles import start

from .device import MEGABYTE, on_the_simulator

pytestmark = on_the_simulator
IMAGE = np.random.default_rng(0).random((512, 512))  # 2 MB


def smooth(sigma):
    with use_backends("gpu"):
        return ski.filters.gaussian(IMAGE, sigma=sigma)


@pytest.mark.parametrize("megabytes", [10, 100])
def test_calls_of_many_threads_do_not_run_out_of_memory(memory, monkeypatch, megabytes):
    missing = []
    told = start._no_room
    monkeypatch.setattr(start, "_no_room", lambda error: missing.append(error) or told(error))
    sigmas = [1 + n / 8 for n in range(24)]
    with memory(megabytes * MEGABYTE), ThreadPoolExecutor(8) as pool:
        results = list(pool.map(smooth, sigmas))
    assert missing == []
    for sigma, result in zip(sigmas, results, strict=True):
        np.testing.assert_array_equal(result, smooth(sigma))


def test_a_call_that_fails_lets_the_next_one_in(memory, monkeypatch):
    def failing(run, call):
        raise ValueError("no such luck")

    with memory(10 * MEGABYTE), ThreadPoolExecutor(2) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(start, "call_on_device", failing)
            failed = [pool.submit(smooth, 1) for _ in range(4)]
            assert {type(each.exception(timeout=60)) for each in failed} == {ValueError}
        assert pool.submit(smooth, 1).result(timeout=60).shape == IMAGE.shape
