"""Benchmarks measure what they say, keep each row, and go on where they were cut."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_simulator
from benchmarks import __main__ as side_by_side
from benchmarks import bounds, programs, table, timing, transfers
from benchmarks.calls import AT_SIDE, TABLE, calls, of_table, sized, volume
from benchmarks.rows import Rows
from benchmarks.ways import Call, where_run
from skimage_gpu_backend.device import loading
from skimage_gpu_backend.device.source import kernel_source
from skimage_gpu_backend.trouble import DeviceTrouble
from tests.benchmarked import kept
from tests.differential.sweeps import SWEEPS

ROOT = Path(__file__).parent.parent
SWEEP = {sweep.name: sweep for sweep in SWEEPS}
simulated = pytest.mark.skipif(not cuda_simulator.active(), reason="the simulator counts")


def page(folder, name):
    (file,) = folder.glob(f"*/{name}.md")
    return file.read_text()


# --- every function


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Folder with the results of a few functions."""
    folder = tmp_path_factory.mktemp("results")
    command = [sys.executable, "-m", "benchmarks", "sobel_h", "rgb2hed", "warp_coords"]
    subprocess.run([*command, "--sides", "32", "64", "--out", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def rows(out):
    return [row for row in kept(out, "functions") if "warp_coords" not in row["function"]]


def test_each_dtype_and_size_is_measured(rows):
    expected = [
        (name, images, side)
        for side in (32, 64)
        for name, images in (
            ("rgb2hed", "float32 RGB"),
            ("rgb2hed", "uint8 RGB"),
            ("sobel_h", "float32"),
            ("sobel_h", "uint8"),
        )
    ]
    expected.append(("sobel_h", "float32 volume", 160))
    assert [(r["function"].partition(":")[2], r["images"], r["side"]) for r in rows] == expected


def test_every_way_is_timed(rows):
    for row in rows[:-1]:
        assert row["scikit-image"]["us"] > 0 and row["gpu NumPy"]["us"] > 0


@simulated
def test_launches_and_useful_bytes_are_counted(rows):
    sobel = rows[6]["gpu"]  # of float32
    assert (sobel["launches"], sobel["bytes"], sobel["useful"]) == (1, 64 * 64 * 8, 64 * 64 * 8)
    if "cucim" in rows[6]:
        assert rows[6]["cucim"]["launches"] > 1


def test_what_scikit_image_runs_is_not_reported_as_the_backend_s(out):
    for row in kept(out, "functions"):
        if "warp_coords" in row["function"]:
            assert row["gpu NumPy"].keys() == {"declined"}
            assert f"{row['gpu NumPy']['declined']} (gpu NumPy)" in page(out, "functions")


def test_a_call_that_fails_on_the_device_is_not_reported_as_the_backend_s(
    monkeypatch, kept_environment
):
    def refuse(*args):
        raise DeviceTrouble("no such kernel image")

    monkeypatch.setattr(loading, "_function", refuse)
    loading.forget()
    name = "skimage.util:invert"
    call = Call(name, sized(name, SWEEP[name].call, 32))
    found = where_run(call, timing.in_turns({"gpu NumPy": lambda: call.run("gpu NumPy")}))
    assert found == {"gpu NumPy": {"declined": "no such kernel image"}}


def test_the_page_has_means_and_what_was_left_out():
    row = {"function": "skimage.filters:sobel_h", "images": "uint8", "side": 64}
    row |= {"scikit-image": {"us": 900.0}, "gpu NumPy": {"us": 100.0}}
    slow = row | {"images": "float32", "scikit-image": {"left_out": "would take 99 s"}}
    shown = side_by_side.page(dict.fromkeys(WHERE, "?"), [row, slow])
    assert "scikit-image takes 9.00 times as long as gpu, NumPy (geometric mean of 1 calls" in shown
    assert "| `filters.sobel_h` | uint8 | 0.9 | 0.1 |" in shown
    assert "- `filters.sobel_h` of float32: would take 99 s (scikit-image)" in shown


WHERE = ("device", "cpu", "cores", "scikit-image", "cupy", "cucim", "commit", "date")


def test_large_images_are_left_out_of_what_would_take_too_long(kept_environment, tmp_path):
    call = ["filters:sobel_h", "--out", str(tmp_path), "--sides"]
    side_by_side.main([*call, "32"])
    side_by_side.main([*call, "32", "320", "--limit", "1e-9"])
    large = [row for row in kept(tmp_path, "functions") if row["side"] == 320]
    assert large and all("left_out" in row["scikit-image"] for row in large)


class HostTimer:
    """In place of a `Timer`, without a GPU."""

    bandwidth = 1e12

    def device(self, call, held=0.0):
        call()
        return {"us": 5.0, "host_us": 7.0, "waited": False}


def test_on_a_gpu_the_device_is_timed_with_cupy_arrays(monkeypatch, kept_environment, tmp_path):
    monkeypatch.setattr(timing, "Timer", HostTimer)
    monkeypatch.setattr(cuda_simulator, "active", lambda: False)
    side_by_side.main(["filters:sobel_h", "--sides", "32", "--out", str(tmp_path)])
    row, *_ = kept(tmp_path, "functions")
    assert row["gpu"] == {"first_us": 7, "waits": False, "us": 5, "host_us": 7}
    assert row["gpu NumPy"]["us"] > 0
    assert "| 0.005 |" in page(tmp_path, "functions")


def test_a_volume_stands_for_planes_only():
    call = volume(SWEEP["skimage.filters:threshold_otsu"], 16)
    assert call["image"].array().shape == (16, 16, 16)
    assert volume(SWEEP["skimage.color:rgb2hed"], 16) is None


def test_an_outputs_shape_grows_with_the_image():
    name = "skimage.transform:resize"
    shapes = {what: sized(name, call, 410)["output_shape"] for what, call in calls(SWEEP[name])}
    assert shapes["float32"] == (310, 542)
    assert shapes["uint8, output_shape=2 times"] == (820, 820)


@pytest.mark.parametrize("name", [*AT_SIDE, "skimage.segmentation:random_walker"])
def test_scikit_image_takes_calls_of_another_size(name):
    for _, call in calls(SWEEP[name]):
        Call(name, sized(name, call, 64)).run("scikit-image")


def test_cucim_gets_its_own_transforms():
    call = Call("skimage.transform:warp", SWEEP["skimage.transform:warp"].call)
    if "cucim" not in call.ways(["cucim"]):
        pytest.skip("cuCIM is not installed")
    assert call.run("cucim").shape == call.run("scikit-image").shape


# --- the README's table


def test_the_table_has_ten_functions_and_five_scripts():
    assert [name for name, *_ in of_table()] == list(TABLE)
    assert (len(TABLE), len(table.SIDES), len(table.SCRIPTS)) == (10, 3, 5)
    assert all((ROOT / "examples" / f"{name}.py").exists() for name in table.SCRIPTS)


def test_a_table_that_was_cut_keeps_its_rows_and_goes_on(kept_environment, monkeypatch, tmp_path):
    command = ["gaussian", "median", "ultrasound", "--sides", "32", "--out", str(tmp_path)]
    measured = []

    def cut(*args):
        if measured:
            raise KeyboardInterrupt
        measured.append(args[0])
        return whole(*args)

    whole = table._function
    monkeypatch.setattr(table, "_function", cut)
    with pytest.raises(KeyboardInterrupt):
        table.main(command)
    assert [row["function"] for row in kept(tmp_path, "table")] == ["skimage.filters:gaussian"]
    assert "`filters.gaussian`" in page(tmp_path, "table")

    monkeypatch.setattr(table, "_function", lambda *args: measured.append(args[0]) or whole(*args))
    table.main(command)
    table.main(command)
    assert measured == ["skimage.filters:gaussian", "skimage.filters:median"]
    *functions, script = kept(tmp_path, "table")
    assert len(functions) == 2 and script["script"] == "ultrasound_quality"
    assert script["same_output"]
    for row in (*functions, script):
        assert row["scikit-image"]["us"] > 0 and row["gpu NumPy"]["us"] > 0
    shown = page(tmp_path, "table").splitlines()
    assert sum("→" in line and line.endswith("x) |") for line in shown) == 2
    assert sum("ultrasound_quality.py" in line for line in shown) == 1


def test_the_table_shows_both_times_and_their_ratio():
    row = {"function": "skimage.filters:median", "images": "uint8", "side": 512}
    row |= {"scikit-image": {"us": 12_300.0}, "gpu NumPy": {"us": 1000.0}}
    other = row | {"side": 2048, "gpu NumPy": {"refused": "ValueError: no"}}
    shown = table.page(dict.fromkeys(WHERE, "?"), [row, other])
    assert "| `filters.median` | uint8 | 12.3 → 1 (12x) |  |" in shown
    assert "- `filters.median` at 2048 x 2048: ValueError: no (gpu NumPy)" in shown


@pytest.mark.thorough
@simulated
def test_the_script_for_gpus_runs_its_first_minutes_and_goes_on(tmp_path):
    """A first run is cut in the table; the second one ends it, the third one has nothing to do."""
    others = ["functions", "launches", "tests", "conformance", "programs", "sizes"]
    command = [ROOT / "benchmarks" / "on_gpu.sh", tmp_path]
    command += [word for part in others for word in (f"--{part}", "0")]
    environment = os.environ | {"SKIMAGE_GPU_SIMULATOR": "1", "PYTHON": sys.executable}

    def run(*seconds):
        done = subprocess.run(
            [*command, *seconds], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert "table: the time was up; run again to go on" in run("--table", "8", "--transfers", "0")
    assert "`microscopy.py`" in run("--table", "400")
    assert len(kept(tmp_path, "table")) == 3 * 10 + 5
    assert not [r for r in kept(tmp_path, "table") if "us" not in r["gpu NumPy"]]
    again = run()
    assert "table: done before" in again and "transfers: done before" in again


# --- copies, launch bounds, chains, programs


def test_copies_are_timed_both_ways(monkeypatch, tmp_path):
    monkeypatch.setattr(transfers, "SIZES", (4096, 1 << 16))
    transfers.main(["--out", str(tmp_path)])
    transfers.main(["--out", str(tmp_path)])
    rows = kept(tmp_path, "transfers")
    assert [row["bytes"] for row in rows] == [4096, 1 << 16]
    ways = [f"to {end}, {how}" for end in ("device", "host") for how in ("pageable", "pinned")]
    assert all(row[way]["us"] > 0 for row in rows for way in ways)
    assert "| 65,536 |" in page(tmp_path, "transfers")


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
    found = timing.on_device(clock, {"gpu": lambda: (50.0, 4000.0, False)}, limit=1)
    assert found["gpu"] == {"first_us": 4000, "waits": False, "us": 50, "host_us": 4000}
    assert clock.held[:2] == [0, 0] and all(4e-3 < held < 1e-2 for held in clock.held[2:])


def test_a_call_that_waits_is_timed_as_it_is():
    clock = Clock()
    found = timing.on_device(clock, {"gpu": lambda: (90.0, 80.0, True)}, limit=1)
    assert found["gpu"]["waits"]
    assert clock.held[-timing.ROUNDS_ON_DEVICE :] == [0] * timing.ROUNDS_ON_DEVICE


def test_ways_take_turns_and_what_is_refused_or_long_says_so():
    seen = []

    def run(name, seconds=1e-5):
        seen.append(name)
        if name == "refused":
            raise ValueError("no")
        return 1e6 * seconds, 10.0, False

    runs = {name: lambda name=name: run(name) for name in ("gpu", "cucim", "refused")}
    found = timing.on_device(Clock(), runs | {"long": lambda: run("long", 2)}, limit=1)
    assert found["refused"] == {"refused": "ValueError: no"}
    assert seen.count("long") == 2 and found["long"]["us"] == 2e6
    assert seen[-4:] == ["gpu", "cucim", "gpu", "cucim"]

    seen.clear()
    found = timing.in_turns(runs)
    assert found["refused"] == {"refused": "ValueError: no"}
    assert seen[-4:] == ["gpu", "cucim", "gpu", "cucim"]
    assert found["gpu"]["rounds"] == timing.ROUNDS == seen.count("gpu") - 1


def test_a_call_that_takes_too_long_is_ended():
    def endless():
        while True:
            pass

    found = timing.in_turns({"gpu": endless}, limit=0.05)
    assert found == {"gpu": {"refused": "TooLong: takes more than 0.05 s"}}


def test_rows_are_in_their_file_at_once_and_belong_to_one_size(tmp_path, capsys):
    key = {"function": "f", "images": "uint8"}
    rows = Rows("times", "m", tmp_path, lambda where, rows: str(len(rows)), copy_bandwidth=3e12)
    for side in (32, 64):
        rows.add({**key, "side": side, "gpu": {"us": side}})
    (file,) = tmp_path.glob("*/times.json")
    assert json.loads(file.read_text())["where"]["copy_bandwidth"] == 3e12
    assert page(tmp_path, "times") == "2"
    again = Rows("times", "m", tmp_path)
    assert again.of(**key, side=32)["gpu"]["us"] == 32
    assert again.of(**key, side=128) is None
    assert again.smaller(**key, side=128)["side"] == 64
    assert again.smaller(**key, side=32) is None


@simulated
def test_without_a_gpu_no_launch_bounds_are_timed(capsys):
    assert bounds.main([]) == 0
    assert "nothing is timed" in capsys.readouterr().out


def test_bounds_and_numbers_of_kernels_are_changed_in_their_text():
    text = kernel_source("filters/gaussian.cu")
    assert "__launch_bounds__(256, (1024 / (256)))" in bounds.with_bounds(text, 1024)
    assert bounds.in_floats(text).count("!= 900") == text.count("!= 900") - 1


@pytest.mark.thorough
def test_a_chain_is_measured_in_each_mode():
    command = [sys.executable, "-m", "benchmarks.resident", "--sides", "64"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row = json.loads(done.stdout)
    assert (row.pop("side"), row.pop("bytes out")) == (64, 64 * 64 * 8)
    assert len(row) == 7 and all(time > 0 for time in row.values())


def test_the_plain_program_of_the_proposal_needs_nothing_but_scikit_image(tmp_path):
    path = programs.plain("proposal", tmp_path)
    code = path.read_text().rpartition('"""')[2]
    assert not [word for word in ("cupy", "cucim", ".get()") if word in code]
    with programs.Program("proposal") as program:
        program.without_backend()
    for name in programs.SIZES:
        assert programs.plain(name, tmp_path).exists()
