"""The demo shows what ran where, and observing calls sees what a user did."""

import numpy as np
import pytest
import skimage as ski

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_observed_calls_tell_where_they_ran_and_why_not(enabled):
    image = np.random.default_rng(0).random((300, 300))
    with use_backends("gpu"), observe() as calls:
        edges = ski.filters.sobel(image)
        ski.filters.sobel(image[:9, :9])
        ski.draw.disk((5, 5), 3)
    taken, small, none = calls
    assert (taken.name, taken.backend, taken.source) == ("skimage.filters:sobel", "gpu", "kernel")
    assert taken.result is edges
    assert taken.seconds > 0
    assert small.backend is None
    assert small.declined[0][1].startswith("image is 648 bytes")
    assert none.declined == [("gpu", "no kernel for this function", none.declined[0][2])]


@pytest.mark.thorough
def test_demo_compares_an_unchanged_script_with_itself(python):
    """Without a GPU it takes the simulator by itself."""
    done = python("-m", "skimage_gpu_backend", "demo")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("No GPU is used" if cuda_simulator.active() else "GPU: ")
    printed = [line.strip() for line in rest if "nuclei, " in line]
    assert len(printed) == 2
    assert printed[0] == printed[1], "the script printed the same twice"
    table = {line.split("│")[1].strip(): line for line in rest if line.startswith("│")}
    for function in ("color.rgb2hed", "measure.label", "util.img_as_ubyte"):
        assert "kernel" in table[function]
    assert not any("CPU:" in line for line in table.values())
    for picture in ("demo.png", "scikit-image.png", "gpu.png"):
        assert (python.directory / "demo-output" / picture).stat().st_size > 10_000


@pytest.mark.thorough
def test_demo_without_matplotlib_says_how_to_get_the_picture(python):
    lacking = "import sys; sys.modules['matplotlib'] = None; from skimage_gpu_backend import demo"
    told = python("-c", f"{lacking}; demo.main()").stdout.splitlines()[-2:]
    assert told[1].endswith("pip install matplotlib")
    for picture in told[0].partition(": ")[2].split():
        assert (python.directory / picture).stat().st_size > 10_000
    assert not (python.directory / "demo-output" / "demo.png").exists()
