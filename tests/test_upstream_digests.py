"""A function that scikit-image changed runs in scikit-image, with a reason; no other does."""

import ast
import functools
import gc
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import skimage

from skimage_gpu_backend.upstream import check, digest
from skimage_gpu_backend.upstream.sources import Sources
from tests.record_digests import NAMES
from tests.upstream import upstream

SITE = Path(skimage.__file__).parent.parent
PACKAGES = [name for name in ("skimage", "_skimage2") if (SITE / name).is_dir()]


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_the_installed_version_are_known(name):
    assert check.why_unknown(name) is None


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of scikit-image, of links to its files."""
    site = tmp_path / "copy"

    def link(source, target):
        Path(target).symlink_to(source)

    for package in PACKAGES:
        skip = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(SITE / package, site / package, copy_function=link, ignore=skip)
    return site


def edit(copy, module, old, new):
    """Replace a text in the file that implements a module."""
    path = copy / Path(upstream(module).__file__).relative_to(SITE)
    text = path.read_text()
    assert text.count(old) == 1
    path.unlink()
    path.write_text(text.replace(old, new))


PROGRAM = """
import numpy as np, skimage as ski, skimage_gpu_backend
from skimage_gpu_backend import profile
image = np.random.default_rng(0).random((300, 300), np.float32)
with profile() as p:
    print(float(ski.filters.threshold_mean(image)))
    ski.filters.threshold_mean(image)
    ski.filters.sobel(image)
print({tally.function: tally.on_device for tally in p.tallies})
"""
MODULE, MEAN = "filters.thresholding", "return np.mean(image)"
HEAD = "def threshold_mean(image):"


def _run(python, copy, **variables):
    script = python.script(PROGRAM)
    options = {
        "SKIMAGE_BACKENDS": "gpu",
        "SKIMAGE_GPU_SIMULATOR": "1",
        "SKIMAGE_BACKENDS_MIN_SIZE": "0",
    }
    options |= {"PYTHONDONTWRITEBYTECODE": "1"}
    python.path.insert(0, str(copy))
    return python(script, **options, **variables)


def test_an_edited_function_runs_in_scikit_image_with_one_notification(python, copy):
    edit(copy, MODULE, MEAN, f"{MEAN} + 7")
    done = _run(python, copy)
    value, where = done.stdout.splitlines()
    assert 7.4 < float(value) < 7.6
    on_device = ast.literal_eval(where)
    assert on_device == {
        "skimage.filters:threshold_mean": False,
        "skimage.filters:sobel": True,
    }
    assert done.stderr.count("scikit-image's threshold_mean changed in") == 1
    assert "sobel" not in done.stderr


def test_the_comparison_can_be_switched_off(python, copy):
    edit(copy, MODULE, MEAN, f"{MEAN} + 7")
    done = _run(python, copy, SKIMAGE_BACKENDS_UNCHECKED="1")
    assert float(done.stdout.splitlines()[0]) < 1
    assert "changed in" not in done.stderr


def digests(copy):
    made = digest.Digests(Sources(copy))
    return {name: made.of(name) for name in NAMES if name.startswith("skimage.filters:")}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("value based on the mean of grayscale", "value: the mean of all", set()),
        (HEAD, "def threshold_mean(image: T) -> float:", set()),
        (MEAN, "return np.mean(image, None)", {"threshold_mean"}),
        (HEAD, "def threshold_mean(image, *, axis=None):", {"threshold_mean"}),
    ],
    ids=["docstring", "annotation", "expression", "keyword"],
)
def test_what_counts(copy, old, new, changed):
    before = digests(copy)
    edit(copy, MODULE, old, new)
    after = digests(copy)
    assert {n.partition(":")[2] for n in before if after[n] != before[n]} == changed


def test_a_constant_that_is_used_counts(copy):
    before = digests(copy)
    edit(copy, "filters.edges", "SOBEL_SMOOTH = np.array([1, 2, 1]) / 4", "SOBEL_SMOOTH = 1")
    after = digests(copy)
    changed = {name.partition(":")[2] for name in before if after[name] != before[name]}
    assert changed == {"sobel", "sobel_h", "sobel_v"}


def test_threads_may_call_functions_for_the_first_time_together(monkeypatch):
    monkeypatch.setattr(check, "_installed", functools.cache(check._installed.__wrapped__))
    monkeypatch.setattr(check, "_why_unknown", functools.cache(check._why_unknown.__wrapped__))

    def switch(phase, info):  # Dask's workers have such a function, in which threads switch
        time.sleep(1e-5)

    gc.callbacks.append(switch)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(check.why_unknown, NAMES)) == {None}
    finally:
        gc.callbacks.remove(switch)
