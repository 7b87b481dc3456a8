"""The script of the proposal for backends, and a backend of another package beside ours."""

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from skimage import color, data, filters, metrics, util

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

# the programs' own starts take seconds
pytestmark = pytest.mark.thorough
EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPT = EXAMPLES / "proposal.py"
TOY = EXAMPLES / "toy_backend"


def _plain(left):
    """What scikit-image makes of the arrays that the script has left, as NumPy arrays."""
    with use_backends():
        gray = color.rgb2gray(data.astronaut())
        smooth = filters.gaussian(gray, sigma=3)
        edges = filters.sobel(smooth)
        return {
            "error": metrics.mean_squared_error(left["img0"].get(), left["img1"].get()),
            "gray": gray,
            "smooth": smooth,
            "edges": edges,
            "root": metrics.normalized_root_mse(gray, smooth),
            "ratio": metrics.peak_signal_noise_ratio(gray, smooth, data_range=1),
            "similarity": metrics.structural_similarity(gray, smooth, data_range=1),
            "outlines": util.invert(edges / edges.max()),
        }


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
@pytest.mark.parametrize("selected", ["cucim", "cucim that is not installed", "gpu"])
def test_the_proposal_s_script_runs_unchanged(enabled, monkeypatch, capsys, counting, selected):
    import cupy as cp

    monkeypatch.setattr("sys.argv", [str(SCRIPT)])
    monkeypatch.setenv("SKIMAGE_BACKENDS", "False")  # is put back after the script has set it
    if selected == "cucim":
        pytest.importorskip("cucim")
    else:
        monkeypatch.setattr(
            "skimage_gpu_backend.availability.no_cucim_because", lambda: "left out here"
        )
    chosen = use_backends("gpu") if selected == "gpu" else contextlib.nullcontext()
    with chosen, counting() as counts, observe() as calls:
        left = runpy.run_path(SCRIPT)
    assert os.environ["SKIMAGE_BACKENDS"] == "cucim"
    by = ("cucim", "cucim") if selected == "cucim" else ("gpu", "kernel")
    assert [(call.backend, call.source) for call in calls] == [by] * 8  # all of them

    expected = _plain(left)
    share = 1e-4 if selected == "cucim" else 1e-10  # cuCIM has images in single precision
    for name, value in expected.items():
        assert isinstance(left[name], np.ndarray) == (name == "outlines")
        np.testing.assert_allclose(
            cp.asnumpy(left[name]), value, rtol=0, atol=share * np.max(value)
        )
    assert f"{expected['error']:.6g}" in capsys.readouterr().out

    few = 3000  # bytes: weights, and numbers of the metrics
    made = 2 * left["img0"].nbytes  # by a generator, of the stand-in's on the host
    assert counts.bytes_to_device <= left["photo"].nbytes + made + few
    assert counts.bytes_to_host <= left["outlines"].nbytes + few


def test_the_proposal_s_own_lines_need_no_variable_at_the_start(python):
    """scikit-image 0.26 dispatches this function itself."""
    text = SCRIPT.read_text().partition('"""\n\n#')[2].partition("# %%")[0]
    assert 'os.environ["SKIMAGE_BACKENDS"] = "cucim"' in text
    assert text.count("import") == 5
    start = "import cuda_simulator; cuda_simulator.activate()\n" if cuda_simulator.active() else ""
    end = "\nassert 'skimage_gpu_backend.dispatch.startup' not in sys.modules"
    done = python(python.script(f"{start}#{text}{end}"))
    assert float(done.stdout.partition(": ")[2]) > 10_000
    pytest.importorskip("cucim")
    assert "dispatched to the 'cucim' backend" in done.stderr


CALLS = """
import json
from cuda_simulator import counters
from skimage import data, filters, metrics, util
from skimage_gpu_backend.dispatch.observe import observe

photo = data.camera()
ran = {}
for name, call in {
    "invert": lambda: util.invert(photo),
    "error": lambda: metrics.mean_squared_error(photo, photo[::-1]),
    "error of floats": lambda: metrics.mean_squared_error(photo / 255, photo / 300),
    "smooth": lambda: filters.gaussian(photo, 3),
}.items():
    with observe() as calls, counters.counting() as counts:
        result = call()
    copied = [counts.bytes_to_device, counts.bytes_to_host]
    ran[name] = [calls[0].backend, copied, float(abs(result).mean())]
print(json.dumps(ran))
"""


@pytest.fixture
def with_toy(python, tmp_path, monkeypatch):
    """Runs programs where the backend of ``examples/toy_backend`` is installed."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    folder = tmp_path / "site-packages"
    folder.mkdir()
    runpy.run_path(TOY / "try_it.py")["install"](str(folder))
    python.path += [str(TOY), str(folder)]
    return python


@pytest.mark.skipif(not cuda_simulator.active(), reason="copies are counted on the simulator")
@pytest.mark.parametrize("order", ["toy,gpu", "gpu,toy"])
def test_a_backend_of_another_package_is_asked_in_its_turn(with_toy, order):
    given = {"SKIMAGE_GPU_SIMULATOR": "1", "SKIMAGE_BACKENDS_NOTIFY": "none"}
    sizes = {"SKIMAGE_BACKENDS_MIN_SIZE": "0"}
    done = with_toy("-c", CALLS, SKIMAGE_BACKENDS=order, **given, **sizes)
    ran, image = json.loads(done.stdout), data.camera()
    photo = image.nbytes
    expected = {
        "invert": util.invert(image).mean(),
        "error": metrics.mean_squared_error(image, image[::-1]),
        "error of floats": metrics.mean_squared_error(image / 255, image / 300),
        "smooth": filters.gaussian(image, 3).mean(),
    }
    copied = {"invert": [photo, photo], "error": [2 * photo, 8], "smooth": [photo, 8 * photo]}
    first = order.partition(",")[0]
    for name, (backend, (there, back), mean) in ran.items():
        assert backend == (first if name in ("invert", "error") else "gpu")
        bytes_there, bytes_back = copied.get(name, [16 * photo, 8])
        few = 2000  # bytes: weights of the Gaussian, a mean
        assert there <= (backend == "gpu") * (bytes_there + few)
        assert back == (backend == "gpu") * bytes_back
        assert mean == pytest.approx(expected[name], rel=1e-12)


def test_small_images_go_on_to_the_next_backend(with_toy):
    done = with_toy(TOY / "try_it.py")
    first, second, _, orders, *rows = done.stdout.splitlines()
    assert first == "toy, gpu: all results are scikit-image's"
    assert second == "gpu, toy: all results are scikit-image's"
    assert orders.split("  ")[-1] == "gpu, toy"
    ran = {name: tuple(by.split()) for name, by in ((row[:32].strip(), row[32:]) for row in rows)}
    assert ran["mean_squared_error, few bytes"] == ("toy", "toy")
    assert ran["mean_squared_error, CuPy bytes"] == ("gpu", "gpu")
    assert ran["gaussian, bytes"] == ("gpu", "gpu")


def test_scikit_image_alone_finds_the_backend_too(with_toy):
    """Its own dispatcher asks in alphabetical order, and ours decline what nobody selected."""
    code = """
import numpy as np
from skimage.metrics import mean_squared_error

print(mean_squared_error(np.zeros((9, 9), np.uint8), np.full((9, 9), 3, np.uint8)))
"""
    done = with_toy("-c", code)
    assert done.stdout == "9.0\n"
    assert "was dispatched to the 'toy' backend" in done.stderr
