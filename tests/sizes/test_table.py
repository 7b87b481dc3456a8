"""Sizes that were measured decide, where they hold; else the model does."""

import json
import warnings

import numpy as np
import pytest
from skimage import filters

from skimage_gpu_backend import interface, status, use_backends
from skimage_gpu_backend.sizes import least, machine, model, table

from .conftest import crossing_at

GAUSSIAN = "skimage.filters:gaussian"
pytestmark = pytest.mark.usefixtures("configuration")


def least_bytes(name=GAUSSIAN, dtype="float32", **kwargs):
    """Bytes of NumPy images from which a call is taken."""
    least.forget()
    return least.least_bytes(name, np.dtype(dtype), (None,), kwargs)


def by_the_model(name=GAUSSIAN, dtype="float32"):
    points = model.curves(name, dtype, np.dtype(dtype).itemsize, model.TYPICAL)[0][1]
    return np.ceil(model.crossover(points) * np.dtype(dtype).itemsize)


def test_the_table_decides_by_dtype_and_by_work(stored):
    rows = {
        "float32": [(1, crossing_at(1_000_000)), (3, crossing_at(10_000))],
        "float64": [(1, crossing_at(7000))],
        "integer": [(1, crossing_at(500)), (3, crossing_at(100))],
    }
    stored({GAUSSIAN: rows})
    assert least_bytes() == 4_000_000
    assert least_bytes(sigma=3) == least_bytes(sigma=9) == 40_000
    assert 40_000 < least_bytes(sigma=2) < 4_000_000
    assert least_bytes(dtype="uint8") == 500
    assert least_bytes(dtype="int64") == 4000
    assert least_bytes(dtype="float64") == 56_000
    assert least_bytes(dtype="float16") == 2_000_000


def test_decisions_follow_it_and_tell_the_size(stored):
    stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}})
    with use_backends("gpu"):
        image = np.zeros((100, 199), np.float32)
        told = interface.gpu.decide(GAUSSIAN, (image,), {}).reason
        assert told == "image is 79.6 kB; gaussian pays off on the GPU from 80 kB"
        assert interface.gpu.decide(GAUSSIAN, (np.zeros((100, 200), np.float32),), {})


def test_what_never_pays_is_declined_at_any_size(stored):
    stored({GAUSSIAN: {"float32": [(1, [[100, 1.0, 2.0], [200, 2.0, 4.0]])]}})
    with use_backends("gpu"):
        told = interface.gpu.decide(GAUSSIAN, (np.zeros((2000, 2000), np.float32),), {}).reason
    assert told == "image is 16 MB; gaussian of NumPy arrays does not pay off on the GPU"


def test_the_variable_outranks_the_table(stored, monkeypatch):
    stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}})
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "64")
    with use_backends("gpu"):
        assert interface.gpu.decide(GAUSSIAN, (np.zeros((4, 4), np.float32),), {})
        assert not interface.gpu.decide(GAUSSIAN, (np.zeros((4, 3), np.float32),), {})


@pytest.mark.parametrize("part", ["GPU", "driver", "CPU", "CuPy", "scikit-image"])
def test_a_table_for_something_else_is_not_used(stored, part):
    stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}}, **{part: "another"})
    assert least_bytes() == by_the_model()


def test_functions_that_were_not_measured_follow_the_model_with_this_machines_bus(stored):
    stored({GAUSSIAN: {}}, {"to_device": 1e8, "to_host": 1e8, "copy": 1e-3})
    typical = by_the_model()
    assert least_bytes() > 5 * typical
    assert least_bytes("skimage.filters:sobel_h") > by_the_model("skimage.filters:sobel_h")


def test_a_class_of_dtypes_that_was_not_measured_follows_another(stored):
    stored({GAUSSIAN: {"float64": [(1, crossing_at(20_000))]}})
    assert least_bytes(dtype="uint8") == 20_000
    assert least_bytes(dtype="float16") == 40_000


def test_it_is_read_once(stored, monkeypatch):
    path = stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}})
    assert least_bytes() == 80_000
    path.unlink()
    for sigma in (1, 0.5):
        kwargs = {"sigma": sigma}
        found = least.least_bytes(GAUSSIAN, np.dtype("float32"), (None,), kwargs)
        assert found == 80_000


def test_without_tables_nobody_asks_for_the_machine(monkeypatch):
    monkeypatch.setattr(machine, "key", lambda: pytest.fail("asked"))
    assert least_bytes() == by_the_model()


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "{",
        "[]",
        "{}",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("functions", "function"),
        lambda text: text.replace("20", '"many"'),
        lambda text: text.replace("[[1", "[[[1]"),
    ],
)
def test_a_damaged_table_is_told_and_the_model_decides(stored, damaged, enabled):
    path = stored({GAUSSIAN: {"float32": [[1, [[20, 1.0, 2.0], [40, 3.0, 2.0]]]]}})
    path.write_text(damaged(path.read_text()) if callable(damaged) else damaged)
    least.forget()
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        filters.gaussian(np.zeros((4, 4), np.float32))
        filters.gaussian(np.zeros((4, 4), np.float32), 2)
    (told,) = (t for t in told if t.category is RuntimeWarning)
    assert str(path) in str(told.message)
    assert "tune` measures anew" in str(told.message)
    assert told.filename == __file__
    assert status()["sizes"] == str(told.message)


@pytest.mark.thorough
def test_status_tells_where_sizes_come_from(stored):
    assert status()["sizes"].startswith("from a model; `python -m skimage_gpu_backend tune`")
    stored({GAUSSIAN: {}}, GPU="another")
    told = status()["sizes"]
    assert told.startswith("from a model")
    assert f"1 in {table.folder()} for other than GPU {machine.key()['GPU']}, driver" in told
    path = stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}, "skimage.color:rgb2lab": {}})
    measured = json.loads(path.read_text())["measured"]
    assert status()["sizes"] == f"measured for 1 function, {measured}: {path}"
