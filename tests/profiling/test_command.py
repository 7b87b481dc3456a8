"""`run --profile`, `--profile-json`, `--trace` and `-v`, as a user types them."""

import json

import pytest

RUN = ("-m", "skimage_gpu_backend", "run")
PROGRAM = """
import numpy as np
from skimage import draw, filters
filters.sobel(np.ones((300, 300)))
draw.disk((5, 5), 3)
print("its own output")
"""
DEVICE = {"SKIMAGE_GPU_MIN_SIZE": "0", "SKIMAGE_GPU_SIMULATOR": "1"}


@pytest.fixture
def script(python):
    return python.script(PROGRAM)


def test_the_report_is_beside_the_programs_own_output(python, script):
    done = python(*RUN, "--profile", script, **DEVICE)
    assert done.stdout == "its own output\n"
    table = {line.split("│")[1].strip(): line for line in done.stderr.splitlines() if "│" in line}
    assert "our kernel" in table["filters.sobel"]
    assert "no GPU version" in table["draw.disk"]
    assert "1 of 2 calls ran on the device" in done.stderr
    assert "DispatchNotification" not in done.stderr  # the report has said it


def test_files(python, script):
    python(*RUN, "--profile-json", "profile.json", "--trace", "trace.json", script, **DEVICE)
    profile = json.loads((python.directory / "profile.json").read_text())
    assert {row["function"] for row in profile["functions"]} == {"filters.sobel", "draw.disk"}
    assert profile["lines"][0]["file"] == str(script)
    trace = json.loads((python.directory / "trace.json").read_text())
    categories = {event.get("cat") for event in trace["traceEvents"]}
    assert {"call", "transfer", "kernel"} <= categories


def test_the_report_comes_also_when_the_program_fails(python):
    program = python.script(PROGRAM + "raise SystemExit(3)\n")
    done = python(*RUN, "--profile", program, check=False, **DEVICE)
    assert done.returncode == 3
    assert "filters.sobel" in done.stderr


def test_a_program_without_scikit_image_is_met_with_help(python):
    done = python(*RUN, "--profile", python.script("print(1)"), **DEVICE)
    assert "No function of scikit-image was called" in done.stderr


def test_a_file_that_cannot_be_written_is_told_before_the_program_runs(python, script):
    done = python(*RUN, "--trace", "no/such/folder/t.json", script, check=False, **DEVICE)
    assert done.returncode == 2
    assert "its own output" not in done.stdout
    assert "no/such/folder/t.json" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("option", "lines"), [("-v", 1), ("-vv", 2)])
def test_logging(python, script, option, lines):
    done = python(*RUN, option, script, SKIMAGE_GPU_NOTIFY="none", **DEVICE)
    logged = [line for line in done.stderr.splitlines() if line.startswith("skimage_gpu_backend:")]
    assert len(logged) == lines
    assert "skimage.draw:disk runs on scikit-image" in logged[-1]
    assert not logged[:-1] or "skimage.filters:sobel runs on gpu" in logged[0]
