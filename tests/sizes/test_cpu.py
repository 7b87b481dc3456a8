"""From which size the cpu backend takes a call: measured sizes, shipped or the user's own."""

import json
import warnings

import numpy as np
import pytest
from skimage import util
from skimage.util._backends import DispatchNotification

import skimage_gpu_backend
from skimage_gpu_backend import interface, status, use_backends
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.sizes import least, machine, model, table, timing, tune
from skimage_gpu_backend.trouble import Idle

from .conftest import crossing_at

GAUSSIAN = "skimage.filters:gaussian"
INVERT = "skimage.util:invert"
IMAGE = np.zeros((2000, 2000), np.float32)
NEVER = float("inf")


def times(*gains):
    """What was measured at 100, 200, ... elements, from how many times as fast `cpu` was."""
    return [[100 * 2**step, gain, 1.0] for step, gain in enumerate(gains)]


def least_bytes(name=GAUSSIAN, dtype="float32", **kwargs):
    """Bytes of NumPy images from which the cpu backend takes a call."""
    least.forget()
    return least.least_bytes(name, np.dtype(dtype), (None,), kwargs, "cpu")


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ((2, 3), 100),  # always; smaller images were not measured
        ((0.05, 2.05, 3), 141.4),  # halfway, in logarithms
        ((0.5, 1.05, 3), 200),  # at a size that was measured
        ((0.5, 1.04), NEVER),  # not clearly
        ((0.5, 2, 0.9, 3, 4), 420.3),  # the last of two crossings
        ((0.5, 1.05, 1.02, 3), 200),  # level in between
        ((0.5, 2, 3, 0.9), NEVER),  # larger images are slower again
        ((0.5, 0.9), NEVER),
    ],
)
def test_crossover(gains, expected):
    assert model.lasting_crossover(times(*gains)) == pytest.approx(expected, rel=2e-3)


def test_the_shipped_table_has_every_function():
    """``python -m benchmarks.cpu_sizes`` writes what ``tune --device cpu`` has measured."""
    expected = {name for name, row in CATALOG.items() if row.images}
    assert set(model.shipped("cpu.json")) == expected


def test_the_shipped_table_says_where_it_was_measured():
    runs = json.loads((model.Path(model.__file__).parent / "cpu.json").read_text())["where"]
    assert all(run["command"].endswith("tune --device cpu") for run in runs)
    assert all(run["CPU"] and run["measured"] and run["scikit-image"] for run in runs)


def test_without_a_table_of_this_machine_the_shipped_one_decides(configuration):
    rows = model.shipped("cpu.json")[GAUSSIAN]["float32"]
    for work, points in rows:
        found = least_bytes(sigma=work)
        assert found == np.ceil(4 * model.lasting_crossover(points)) < IMAGE.nbytes


def test_the_table_of_this_machine_decides_by_dtype_and_by_work(stored):
    rows = {
        "float32": [(1, times(0.5, 1.05)), (3, times(2, 2))],
        "integer": [(1, times(0.5, 0.5)), (3, times(0.5, 0.5, 1.05))],
    }
    stored({GAUSSIAN: rows}, device="cpu")
    assert least_bytes() == 800
    assert least_bytes(sigma=3) == least_bytes(sigma=9) == 400
    assert 400 < least_bytes(sigma=2) < 800
    assert least_bytes(dtype="uint8") == NEVER
    assert least_bytes(dtype="uint8", sigma=3) == 400
    assert least_bytes(dtype="uint16", sigma=3) == 800


def test_beyond_the_last_work_a_gain_that_falls_ends(stored):
    rows = {"float32": [(1, times(9, 9)), (3, times(6, 6))], "integer": [(1, times(0.5, 1.05))]}
    stored({GAUSSIAN: rows}, device="cpu")
    assert least_bytes(sigma=30) == 400, "2.6 times as fast"
    assert least_bytes(sigma=1000) == NEVER
    assert least_bytes(dtype="uint8", sigma=1000) == 200
    stored({GAUSSIAN: {"float32": [(1, times(6, 6)), (3, times(9, 9))]}}, device="cpu")
    assert least_bytes(sigma=1000) == 400


def test_tables_of_both_devices_do_not_disturb_each_other(stored):
    stored({GAUSSIAN: {"float32": [(1, times(2, 2))]}}, device="cpu")
    stored({GAUSSIAN: {"float32": [(1, crossing_at(20_000))]}})
    assert least_bytes() == 400
    assert least.least_bytes(GAUSSIAN, np.dtype("float32"), (None,), {}) == 80_000
    table.reset("cpu")
    assert table.stored("cpu") == []
    assert least_bytes() != 400
    assert least.least_bytes(GAUSSIAN, np.dtype("float32"), (None,), {}) == 80_000


@pytest.mark.parametrize("part", ["CPU", "NumPy", "scikit-image", "skimage-gpu-backend"])
def test_a_table_for_something_else_is_not_used(stored, part):
    shipped = least_bytes()
    stored({GAUSSIAN: {"float32": [(1, times(0.5, 0.5))]}}, device="cpu", **{part: "another"})
    assert least_bytes() == shipped
    assert f"for other than CPU {machine.cpu()}" in status()["sizes of cpu"]


def test_a_function_that_was_not_tried_is_taken_and_one_in_vain_is_not(configuration, monkeypatch):
    monkeypatch.setattr(model, "shipped", lambda file: {INVERT: {}})
    assert least_bytes() == 0
    assert least_bytes(INVERT) == NEVER


def test_a_small_call_is_declined_with_both_sizes(stored):
    stored({GAUSSIAN: {"float32": [(1, times(0.5, 1.05))]}}, device="cpu")
    with use_backends("cpu"):
        decision = interface.cpu.decide(GAUSSIAN, (IMAGE[:10, :19],), {})
        assert decision.reason == (
            "image is 760 bytes; gaussian pays off with the cpu backend from 800 bytes"
        )
        assert interface.cpu.decide(GAUSSIAN, (IMAGE[:10, :20],), {})


def test_what_never_wins_is_declined_and_only_a_profile_lists_it(stored, enabled):
    stored({INVERT: {"float32": [(0, times(0.5, 0.9))]}}, device="cpu")
    with warnings.catch_warnings(), use_backends("cpu"), skimage_gpu_backend.profile() as profile:
        warnings.simplefilter("error", DispatchNotification)
        assert isinstance(interface.cpu.decide(INVERT, (IMAGE,), {}).key, Idle)
        util.invert(IMAGE)
    (row,) = profile.to_dict()["fallbacks"]
    assert row["reason"] == "image is 16 MB; invert does not pay off with the cpu backend"
    assert row["remedy"] == "nothing: scikit-image is faster at this size"


@pytest.fixture
def curve(monkeypatch):
    """Measures with made-up times: sides that are measured where a pixel takes so many seconds."""

    def sides(theirs, ours):
        def fastest(*ways, seconds, clock):
            elements = ways[0].args[0].elements
            return theirs(elements) * elements, ours(elements) * elements

        monkeypatch.setattr(timing, "fastest", fastest)
        points = timing._curve("skimage.filters:sobel_h", "float32", 0, {}, "cpu")
        return [round(elements**0.5) for elements, *_ in points]

    return sides


def test_a_clear_winner_is_measured_at_large_sides_too(curve):
    assert curve(lambda n: 2e-9, lambda n: 1e-9) == [48, 100, 200, 2048, 3000]
    assert curve(lambda n: 2e-7, lambda n: 1e-7) == [48, 100, 200, 800, 1500], "in half a second"


def test_a_hopeless_function_is_left_at_a_large_side(curve):
    assert curve(lambda n: 1e-9, lambda n: 3e-9)[-1] == 800
    assert curve(lambda n: 1e-9, lambda n: 3e-9 - n * 3e-16)[-1] == 3000, "unless it catches up"


def test_calls_that_take_long_end_it(curve):
    assert curve(lambda n: 4e-6, lambda n: 4e-6) == [48, 100, 200, 400]


def test_times_of_both_sides_are_the_shortest_of_rounds_in_turns():
    calls, took = [], [9, 6, 2, 3, 4, 5]
    readings = iter(np.cumsum([[10, each] for each in took]))
    ways = (lambda: calls.append("a")), (lambda: calls.append("b"))
    assert timing.fastest(*ways, seconds=0, clock=readings.__next__) == [2, 3]
    assert calls == list("ababab")


@pytest.mark.thorough
def test_a_function_is_measured_and_stored(python, configuration):
    command = ("-m", "skimage_gpu_backend", "tune", "--device", "cpu", "filters.sobel_h")
    done = python(*command, "--plot", "sizes.png", XDG_CONFIG_HOME=str(configuration))
    (path,) = configuration.rglob("cpu-sizes-*.json")
    assert str(path) in done.stdout.replace("\n", "")
    kept = json.loads(path.read_text())
    assert kept["key"] == machine.key("cpu")
    assert list(kept["functions"]) == ["skimage.filters:sobel_h"]
    assert (python.directory / "sizes.png").stat().st_size > 10_000
    assert status()["sizes of cpu"].startswith("measured for 1 function")


def test_without_a_gpu_it_is_the_cpu_that_is_measured(configuration, monkeypatch):
    monkeypatch.setattr(tune, "_no_gpu_because", lambda: "no NVIDIA driver on this machine")
    monkeypatch.setattr(timing, "measured", lambda name, backend: {"integer": [(0, times(2, 2))]})
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")  # which it sets, and the test takes back
    assert tune.main(["sobel_h"]) == 0
    assert least_bytes("skimage.filters:sobel_h", "uint8") == 100
    tune.reset()
    assert least_bytes("skimage.filters:sobel_h", "uint8") != 100
    with pytest.raises(SystemExit, match="nothing to measure: no NVIDIA driver"):
        tune.main(["sobel_h"], device="gpu")
