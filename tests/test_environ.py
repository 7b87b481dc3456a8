"""Variables: what they may say, and that the user is told of what they may not."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.environ import nbytes, parsed, truth

SCRIPT = "import numpy as np, skimage as ski\nfor i in 1, 2: ski.util.invert(np.ones(3))"
SIMULATOR = {
    "SKIMAGE_BACKENDS": "gpu",
    "SKIMAGE_GPU_SIMULATOR": "1",
    "SKIMAGE_BACKENDS_MIN_SIZE": "0",
}


@pytest.mark.parametrize("text", ["1", "true", "True", "yes", "ON", " on "])
def test_truths(text):
    assert truth(text) is True


@pytest.mark.parametrize("text", ["0", "false", "no", "Off", ""])
def test_their_opposites(text):
    assert truth(text) is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("4096", 4096), ("4k", 4096), ("1.5 GB", 3 << 29), ("64KiB", 64 << 10)],
)
def test_bytes(text, expected):
    assert nbytes(text) == expected


@pytest.mark.parametrize("text", ["4x", "", "-1", "k", "1e3", "nan"])
def test_no_bytes(text):
    with pytest.raises(ValueError):
        nbytes(text)


def test_a_least_size_has_a_unit(monkeypatch):
    for size, backend in (("4k", "gpu"), ("8k", None)):
        monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", size)
        with use_backends("gpu"), observe() as calls:
            ski.filters.sobel(np.zeros((32, 20)))  # 5 kB
        assert calls[0].backend == backend


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "SKIMAGE_BACKENDS_MIN_SIZE",
            "4x",
            "is a number of bytes, as 4M, not '4x'; each function has",
        ),
        (
            "SKIMAGE_BACKENDS_NOTIFY",
            "al",
            "is fallback, all or none, not 'al'; calls that do not run",
        ),
        ("SKIMAGE_GPU_CONVERT", "maybe", "is True or False, not 'maybe'; NumPy arrays go to"),
        ("SKIMAGE_GPU_SIMULATOR", "please", "is True or False, not 'please'; the simulator is not"),
    ],
)
def test_what_a_variable_does_not_know_is_told_once_and_the_script_runs(python, name, text, told):
    done = python("-W", "always", "-c", SCRIPT, **SIMULATOR | {name: text})
    assert done.stderr.count(f"{name} {told}") == 1


@pytest.mark.thorough
def test_the_simulator_is_asked_for_in_many_ways(python):
    code = "import cupy; print('simulator' in cupy.__file__)"
    for text in ("true", "yes", "on"):
        assert python("-c", code, SKIMAGE_GPU_SIMULATOR=text).stdout == "True\n"


def test_the_likeliest_slip_is_told(python):
    done = python("-c", "print('runs')", SKIMAGE_BACKEND="gpu")
    assert done.stdout == "runs\n"
    assert done.stderr.splitlines() == [
        "skimage-gpu-backend: SKIMAGE_BACKEND selects nothing; SKIMAGE_BACKENDS is meant?"
    ]
    assert python("-c", "", SKIMAGE_BACKEND="gpu", SKIMAGE_BACKENDS="gpu").stderr == ""


USES = "import skimage as ski, numpy as np\nski.filters.sobel(np.eye(9))\n"


@pytest.mark.parametrize("variable", ["SKIMAGE_GPU_RESIDENT", "SKIMAGE_GPU_SIMULATOR"])
def test_a_variable_that_needs_a_selection_is_reported_without_one(python, variable):
    told = f"{variable} is set, but no backend was selected; set SKIMAGE_BACKENDS=gpu, too"
    assert python("-c", USES, **{variable: "1"}).stderr == f"skimage-gpu-backend: {told}\n"
    assert python("-c", "import numpy", **{variable: "1"}).stderr == ""
    assert python("-c", USES, **{variable: "0"}).stderr == ""
    selects = "from skimage_gpu_backend import use_backends\nwith use_backends(): import skimage"
    assert python("-c", selects, **{variable: "1"}).stderr == ""
    with_cupy = f"import cupy\n{USES}"
    assert python("-c", with_cupy, SKIMAGE_GPU_SIMULATOR="1").stderr == ""  # it is used
    run = ("-m", "skimage_gpu_backend", "run", python.script(USES))
    assert "is set, but" not in python(*run, **{variable: "1"}).stderr
    explain = ("-m", "skimage_gpu_backend", "explain", "filters.sobel")
    assert python(*explain, **{variable: "1"}).stderr == ""  # it runs no program


def test_it_is_told_once_of_several_calls_in_a_process(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "loud")
    parsed.cache_clear()
    with use_backends("gpu"), pytest.warns(UserWarning) as told:
        for _ in range(3):
            ski.filters.sobel(np.zeros((3, 3)))
    assert sum("'loud'" in str(warning.message) for warning in told) == 1
