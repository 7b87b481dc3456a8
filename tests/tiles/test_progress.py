"""The progress bar of work in tiles."""

import numpy as np
import rich.progress
import skimage as ski

from skimage_gpu_backend import use_backends

from .device import MEGABYTE, on_the_simulator

pytestmark = on_the_simulator
IMAGE = np.random.default_rng(0).random((401, 503))


def test_who_asks_sees_how_many_tiles_are_done(memory, capfd):
    with memory(MEGABYTE), use_backends("gpu", progress=True):
        ski.filters.gaussian(IMAGE, 1)
        ski.filters.threshold_otsu(IMAGE)
    told = capfd.readouterr().err
    assert "filters.gaussian" in told
    assert "filters.threshold_otsu" in told
    done = [word.split("/") for word in told.split() if word.count("/") == 1]
    assert len(done) == 3  # the threshold reads its image twice
    assert all(one == other and int(one) > 3 for one, other in done)


def test_who_does_not_ask_sees_nothing(memory, monkeypatch, capfd):
    monkeypatch.setattr("skimage_gpu_backend.device.loading.reported", True)
    with memory(MEGABYTE), use_backends("gpu"):
        ski.filters.gaussian(IMAGE, 1)
    assert capfd.readouterr() == ("", "")


def test_the_programs_own_bar_is_left_alone(memory):
    with rich.progress.Progress() as bar, memory(MEGABYTE), use_backends("gpu", progress=True):
        for _ in bar.track(range(2)):
            result = ski.filters.gaussian(IMAGE, 1)
    np.testing.assert_allclose(result, ski.filters.gaussian(IMAGE, 1), atol=1e-10)
