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
DEVICE = {"SKIMAGE_BACKENDS_MIN_SIZE": "0", "SKIMAGE_GPU_SIMULATOR": "1"}


@pytest.fixture
def script(python):
    return python.script(PROGRAM)


def test_the_report_is_beside_the_programs_own_output(python, script):
    done = python(*RUN, "--profile", script, **DEVICE)
    assert done.stdout == "its own output\n"
    table = {line.split("│")[1].strip(): line for line in done.stderr.splitlines() if "│" in line}
    assert "our kernel" in table["filters.sobel"]
    assert "no kernel" in table["draw.disk"]
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize(("option", "lines"), [("-v", 1), ("-vv", 2)])
def test_logging(python, script, option, lines):
    done = python(*RUN, option, script, SKIMAGE_BACKENDS_NOTIFY="none", **DEVICE)
    logged = [line for line in done.stderr.splitlines() if line.startswith("skimage_gpu_backend:")]
    assert len(logged) == lines
    assert "skimage.draw:disk runs on scikit-image" in logged[-1]
    assert not logged[:-1] or "skimage.filters:sobel runs on gpu" in logged[0]


CHILDREN = """
import multiprocessing, sys
import numpy as np
from skimage.filters import gaussian, sobel
from skimage_gpu_backend.profiling import advice

advice._LEAST = 0  # starting processes takes most of the run

def edges(side):
    return sobel(gaussian(np.ones((side, side)))).max()

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:  # ended by a signal
        print(pool.map(edges, [300, 301, 302], 1))
"""


@pytest.mark.parametrize(
    "method", ["fork", "spawn", pytest.param("forkserver", marks=pytest.mark.thorough)]
)
def test_calls_of_children_are_in_the_report(python, method):
    program = python.script(CHILDREN)
    done = python(*RUN, "--profile", "--profile-json", "p.json", program, method, **DEVICE)
    profile = json.loads((python.directory / "p.json").read_text())
    calls = {row["function"]: (row["ran by"], row["calls"]) for row in profile["functions"]}
    assert calls == {"filters.gaussian": ("kernel", 3), "filters.sobel": ("kernel", 3)}
    assert profile["totals"]["child processes"] in (1, 2)
    assert {row["file"] for row in profile["lines"]} == {str(program)}
    assert "Among them are the calls of" in done.stderr
    assert "keep the image on the device between filters.gaussian" in done.stderr.replace("\n", " ")


NOTIFIED = """
import subprocess, sys
from skimage import draw
draw.disk((5, 5), 3)
subprocess.run([sys.executable, "-c", "from skimage import draw; draw.disk((5, 5), 3)"])
"""


def test_a_child_tells_what_fell_back_as_without_a_profile(python):
    done = python(*RUN, "--profile", python.script(NOTIFIED), **DEVICE)
    assert done.stderr.count("DispatchNotification") == 1
    assert "<string>:1: DispatchNotification: Call to " in done.stderr
    assert "0 of 2 calls ran on the device" in done.stderr


WORKERS = """
import joblib
from work import edges
print(joblib.Parallel(2, "loky")(joblib.delayed(edges)(side) for side in (300, 301)))
"""
NOTEBOOK = """
import nbformat, nbclient
cell = nbformat.v4.new_code_cell("from work import edges; edges(300)")
nbclient.NotebookClient(nbformat.v4.new_notebook(cells=[cell])).execute()
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "calls"), [(WORKERS, 2), (NOTEBOOK, 1)], ids=["joblib", "notebook"]
)
def test_workers_and_notebooks_are_in_the_report(python, text, calls):
    python.script(CHILDREN, "work.py")
    done = python(*RUN, "--profile", python.script(text), **DEVICE)
    assert f"{2 * calls} of {2 * calls} calls ran on the device" in done.stderr
