"""The side-by-side benchmark measures what it says, and its page tells losses."""

import json
import subprocess
import sys

import pytest

import cuda_simulator
from benchmarks import programs, side_by_side
from benchmarks.calls import AT_SIDE, calls, sized, volume
from benchmarks.ways import Call
from tests.differential.sweeps import SWEEPS


@pytest.fixture(scope="module")
def rows():
    command = [sys.executable, "-m", "benchmarks", "sobel_h", "rgb2hed"]
    done = subprocess.run(
        [*command, "--sides", "32", "64"], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_dtype_and_size_is_measured(rows):
    assert [(r["function"].partition(":")[2], r["images"], r["size"]) for r in rows] == [
        ("rgb2hed", "float32 RGB", "32^2"),
        ("rgb2hed", "float32 RGB", "64^2"),
        ("rgb2hed", "uint8 RGB", "32^2"),
        ("rgb2hed", "uint8 RGB", "64^2"),
        ("sobel_h", "float32", "32^2"),
        ("sobel_h", "float32", "64^2"),
        ("sobel_h", "uint8", "32^2"),
        ("sobel_h", "uint8", "64^2"),
    ]


def test_a_volume_stands_for_planes_only():
    sweeps = {sweep.name: sweep for sweep in SWEEPS}
    call = volume(sweeps["skimage.filters:threshold_otsu"])
    assert call["image"].array().shape == (160, 160, 160)
    assert volume(sweeps["skimage.color:rgb2hed"]) is None


def test_an_outputs_shape_grows_with_the_image():
    sweeps = {sweep.name: sweep for sweep in SWEEPS}
    name = "skimage.transform:resize"
    shapes = {told: sized(name, call, 410)["output_shape"] for told, call in calls(sweeps[name])}
    assert shapes["float32"] == (310, 542)
    assert shapes["uint8, output_shape=2 times"] == (820, 820)


@pytest.mark.parametrize("name", [*AT_SIDE, "skimage.segmentation:random_walker"])
def test_scikit_image_takes_calls_of_another_size(name):
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == name)
    for _, call in calls(sweep):
        Call(name, sized(name, call, 64)).run("scikit-image")


def test_cucim_gets_its_own_transforms():
    sweeps = {sweep.name: sweep for sweep in SWEEPS}
    call = Call("skimage.transform:warp", sweeps["skimage.transform:warp"].call)
    assert call.run("cucim").shape == call.run("scikit-image").shape


def test_useful_bytes_are_those_of_image_and_result(rows):
    assert [row["bytes"] for row in rows[::2]] == [
        32 * 32 * channels * size for channels, size in ((3, 4 + 8), (3, 1 + 8), (1, 8), (1, 1 + 8))
    ]


def test_every_way_is_timed(rows):
    timed = {"scikit-image", "gpu", "gpu NumPy"}
    for row in rows:
        assert timed <= {way for way, seen in row["ways"].items() if seen.get("ms", 0) > 0}


@pytest.mark.skipif(not cuda_simulator.active(), reason="launches are counted on the simulator")
def test_launches_are_counted_and_compared_with_cucims(rows):
    ways = rows[5]["ways"]
    assert (ways["gpu"]["launches"], ways["gpu"]["bytes"]) == (1, 64 * 64 * 4 * 2)
    assert side_by_side.ratio(rows[5], "launches") == ways["cucim"]["launches"]


@pytest.mark.skipif(not cuda_simulator.active(), reason="bytes are counted on the simulator")
def test_the_page_tells_losses_and_what_was_left_out(rows):
    slower = json.loads(json.dumps(rows))
    slower[4]["ways"]["cucim"] = {"launches": 1, "bytes": 2048}
    slower[5]["ways"]["cucim"] = {"left_out": "would take 99 s"}
    page = side_by_side.markdown(slower, {"device": "none", "commit": "0"}, "A\n\nB")
    (told,) = (line for line in page.splitlines() if line.startswith("- bytes moved at 32 x 32"))
    assert "filters.sobel_h of float32 (0.25)" in told
    assert "- filters.sobel_h of float32: would take 99 s (cucim)" in page


def test_the_figure_is_drawn(rows, tmp_path):
    side_by_side.figure(rows, {"device": "none", "commit": "0"}, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000


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
    assert programs.seconds(path, [], tmp_path) > 0
    assert (tmp_path / "picture.png").exists()
    for name in programs.SIZES:
        assert programs.plain(name, tmp_path).exists()
