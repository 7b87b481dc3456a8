"""Times of predicted calls: what is timed, told and kept."""

import json

import pytest

import cuda_simulator
from benchmarks import bounds
from benchmarks.predict import timed
from skimage_gpu_backend.device.source import kernel_source


class Clock:
    """In place of a `Timer`: a device and a host that take what a call says."""

    def __init__(self):
        self.held = []

    def device(self, call, held=0.0):
        us, host_us, waits = call()
        self.held.append(held)
        return {"us": us, "host_us": host_us, "waited": waits or 1e6 * held < host_us}


def test_the_device_is_held_up_for_longer_than_the_host_takes():
    clock = Clock()
    told = timed.timed(clock, {"gpu": lambda: (50.0, 4000.0, False)}, limit=1)
    assert told["gpu"] == {"first_us": 4000, "waits": False, "us": 50, "host_us": 4000}
    assert clock.held[:2] == [0, 0] and all(4e-3 < held < 1e-2 for held in clock.held[2:])


def test_a_call_that_waits_is_timed_as_it_is():
    clock = Clock()
    told = timed.timed(clock, {"gpu": lambda: (90.0, 80.0, True)}, limit=1)
    assert told["gpu"]["waits"]
    assert clock.held[-timed.ROUNDS :] == [0] * timed.ROUNDS


def test_ways_take_turns_and_what_is_refused_or_long_is_told():
    seen = []

    def run(name, seconds=1e-5):
        seen.append(name)
        if name == "refused":
            raise ValueError("no")
        return 1e6 * seconds, 10.0, False

    runs = {name: lambda name=name: run(name) for name in ("gpu", "cucim", "refused")}
    told = timed.timed(Clock(), runs | {"long": lambda: run("long", 2)}, limit=1)
    assert told["refused"] == {"refused": "ValueError: no"}
    assert seen.count("long") == 2 and told["long"]["us"] == 2e6
    assert seen[-4:] == ["gpu", "cucim", "gpu", "cucim"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where results are kept."""
    monkeypatch.setattr("benchmarks.environment.results_folder", lambda: tmp_path)
    return tmp_path


def test_rows_are_in_their_file_at_once_and_not_made_again(folder, capsys):
    class Copy:
        bandwidth = 3e12

    rows = timed.Rows("times.json", "m", Copy())
    asked = [(name, images) for name, images, _ in rows.calls(["filters:sobel_h"], 32)]
    assert asked == [("skimage.filters:sobel_h", "float32"), ("skimage.filters:sobel_h", "uint8")]
    rows.add({"function": asked[0][0], "images": "float32", "side": 32, "gpu": {"us": 5}})
    kept = json.loads((folder / "times.json").read_text())
    assert kept["where"]["copy_bandwidth"] == 3e12 and kept["rows"][0]["gpu"] == {"us": 5}
    again = timed.Rows("times.json", "m", Copy())
    assert [images for _, images, _ in again.calls(["filters:sobel_h"], 32)] == ["uint8"]
    assert len(list(again.calls(["filters:sobel_h"], 64))) == 2
    assert again.of(*asked[0], 32)["gpu"]["us"] == 5


@pytest.mark.skipif(not cuda_simulator.active(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_timed(capsys):
    assert timed.main([]) == bounds.main([]) == 0
    assert capsys.readouterr().out.count("nothing is timed") == 2


def test_bounds_and_numbers_of_kernels_are_changed_in_their_text():
    text = kernel_source("filters/gaussian.cu")
    assert "__launch_bounds__(256, (1024 / (256)))" in bounds.with_bounds(text, 1024)
    assert bounds.in_floats(text).count("!= 900") == text.count("!= 900") - 1
