"""`python -m skimage_gpu_backend tune`, as a user runs it."""

import functools
import json
import re
import sys
import time

import numpy as np
import pytest

import cuda_simulator
from skimage_gpu_backend import status
from skimage_gpu_backend.adapt import pinned, transfer
from skimage_gpu_backend.sizes import least, machine, model, table, timing, tune
from skimage_gpu_backend.sizes.calls import CLASSES

from .conftest import crossing_at

SOBEL = "skimage.filters:sobel_h"
COMMAND = ("-m", "skimage_gpu_backend", "tune")


@pytest.fixture
def quick(configuration, monkeypatch):
    """`tune` in this process, with times that are made up; the names that it measured."""
    measured = []

    def made_up(name, backend):
        measured.append(name)
        return {"float32": [(0, crossing_at(1000))]}

    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")  # which it sets, and the test takes back
    monkeypatch.setattr(timing, "measured", made_up)
    monkeypatch.setattr(timing, "costs", lambda: {"to_device": 1e9})
    monkeypatch.setattr(tune, "_FUNCTIONS", tune._FUNCTIONS[:5])
    return measured


@pytest.mark.thorough
def test_a_function_is_measured_and_stored_whatever_is_selected(python, configuration):
    simulate = str(int(cuda_simulator.active()))
    environment = {"XDG_CONFIG_HOME": str(configuration), "SKIMAGE_GPU_SIMULATOR": simulate}
    environment |= {"SKIMAGE_NO_DISPATCHING": "1", "SKIMAGE_GPU_CONVERT": "0"}
    done = python(*COMMAND, "filters.sobel_h", "--plot", "sizes.png", **environment)
    assert ("times of the simulator" in done.stdout) == cuda_simulator.active()
    (path,) = configuration.rglob("sizes-*.json")
    kept = json.loads(path.read_text())
    assert str(path) in done.stdout.replace("\n", "")
    assert kept["key"] == machine.key()
    assert kept["costs"].keys() < model.TYPICAL.keys()
    assert all(cost > 0 for cost in kept["costs"].values())
    assert list(kept["functions"]) == [SOBEL]
    assert list(kept["functions"][SOBEL]) == list(CLASSES)
    for ((work, points),) in kept["functions"][SOBEL].values():
        assert work == 0
        assert len(points) > 1
        elements, cpu, gpu = np.array(points).T
        assert (np.diff(elements) > 0).all()
        assert (cpu > 0).all()
        assert (gpu > 0).all()
    assert (python.directory / "sizes.png").stat().st_size > 10_000


@pytest.mark.thorough
def test_copies_are_measured_as_calls_make_them_and_by_direction(monkeypatch):
    """Images from `LARGE` bytes cross in pieces, by which smaller ones would seem faster."""
    seen = []

    def crossing(direction, rate, array):
        seen.append((direction, array.nbytes))
        time.sleep(array.nbytes / rate)
        return array

    to_device, to_host = (
        functools.partial(crossing, direction, rate)
        for direction, rate in (("to_device", 4e9), ("to_host", 1e9))
    )
    monkeypatch.setattr(transfer, "to_device", to_device)
    monkeypatch.setattr(transfer, "to_host", to_host)
    costs = timing.costs()
    assert costs["to_device"] == pytest.approx(4e9, rel=0.3)
    assert costs["to_host"] == pytest.approx(1e9, rel=0.3)
    for direction in ("to_device", "to_host"):
        sizes = {nbytes for which, nbytes in seen if which == direction}
        assert {1 << 20, 8 << 20, 32 << 20} <= sizes
        assert max(sizes) < pinned.LARGE


def test_an_interrupted_run_goes_on_where_it_was(quick, monkeypatch, capsys):
    first = timing.measured

    def interrupted(name, backend):
        if len(quick) == 2:
            raise KeyboardInterrupt
        return first(name, backend)

    monkeypatch.setattr(timing, "measured", interrupted)
    assert tune.main() == 130
    assert "2 of 5 functions are stored" in capsys.readouterr().out
    assert len(table.load().functions) == 2
    monkeypatch.setattr(timing, "measured", first)
    assert tune.main() == 0
    assert quick == list(tune._FUNCTIONS)
    assert list(table.load().functions) == quick
    tune.main()
    assert len(quick) == 5, "what is measured is not measured again"
    tune.main([quick[0]])
    assert quick[5:] == quick[:1], "but where it is named"


def test_minutes_bound_it(quick, capsys):
    assert tune.main(minutes=1e-9) == 0
    assert quick == []
    assert "5 functions are left" in capsys.readouterr().out


def test_a_function_that_fails_does_not_stop_it(quick, monkeypatch, capsys):
    first = timing.measured

    def failing(name, backend):
        if not quick:
            quick.append(name)
            raise RuntimeError("no such luck")
        return first(name, backend)

    monkeypatch.setattr(timing, "measured", failing)
    assert tune.main() == 0
    assert f"{quick[0]}: RuntimeError: no such luck" in capsys.readouterr().out.replace("\n", " ")
    assert [bool(rows) for rows in table.load().functions.values()] == [False] + [True] * 4


def test_a_damaged_table_is_measured_anew(quick, configuration, capsys):
    path = table.path_of(machine.key())
    path.parent.mkdir()
    path.write_text("no table")
    assert tune.main() == 0
    assert "cannot be read" in capsys.readouterr().out
    assert len(table.load().functions) == 5


@pytest.mark.skipif(not cuda_simulator.active(), reason="a GPU's table does decide on it")
def test_the_simulators_times_decide_nothing_on_a_gpu(quick, monkeypatch):
    tune.main()
    least.forget()
    assert table.used().functions
    monkeypatch.setattr("cuda_simulator.active", lambda: False)
    least.forget()
    assert table.used() is None


@pytest.mark.skipif(not cuda_simulator.active(), reason="a GPU's table does decide on it")
def test_the_simulators_times_decide_on_it_only_where_they_are_asked_for(quick, monkeypatch):
    tune.main()
    for variable in ("0", "1"):
        monkeypatch.setenv("SKIMAGE_GPU_SIMULATOR_SIZES", variable)
        least.forget()
        assert bool(table.used()) == (variable == "1")
        told = "from a model; with SKIMAGE_GPU_SIMULATOR_SIZES=1 " * (variable == "0")
        assert status()["sizes"].startswith(f"{told}measured for 5 functions")


def test_reset_forgets_this_machine_s_times_and_no_others(quick, stored, capsys):
    tune.main()
    other = stored({SOBEL: {}}, GPU="another")
    tune.reset()
    told = capsys.readouterr().out
    assert f"deleted: {table.path_of(machine.key())}\n1 for other machines" in told
    assert table.load() is None and table.stored() == [other]
    tune.reset()
    assert "nothing was measured" in capsys.readouterr().out


def test_functions_are_called_as_a_user_does():
    assert tune._called("gaussian") == ["skimage.filters:gaussian"]
    for text in ("filters.rank.mean", "skimage.filters.rank:mean", "skimage.filters.rank.mean"):
        assert tune._called(text) == ["skimage.filters.rank:mean"]
    assert sorted(tune._called("median")) == [
        "skimage.filters.rank:median",
        "skimage.filters:median",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gausian"], "no function 'gausian'.*did you mean gaussian"),
        (["draw.line"], "draw.line has no GPU version"),
        (["--minutes", "few"], "--minutes: invalid float value: 'few'"),
    ],
)
def test_wrong_use_is_answered_with_help(python, arguments, told):
    done = python(*COMMAND, *arguments, check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert re.search(told, done.stderr)


def test_a_folder_that_cannot_be_written_is_told(quick, configuration, monkeypatch):
    (configuration / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(configuration / "file"))
    with pytest.raises(SystemExit, match=r"cannot write .*sizes-.*XDG_CONFIG_HOME"):
        tune.main()
    assert quick == []


def test_a_figure_without_matplotlib_is_refused_before_anything_is_measured(quick, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match=r"--plot needs matplotlib: pip install .*\[demo\]"):
        tune.main(plot="sizes.png")
    assert quick == []


def test_the_figure_has_both_curves_and_the_crossover(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    from skimage_gpu_backend.sizes.figure import draw

    kept = table.Table(None, {"GPU": "a GPU", "CPU": "a CPU"}, functions={SOBEL: None})
    kept.functions[SOBEL] = {
        "float32": [(0, crossing_at(1000))],
        "integer": [(0, [(10, 1.0, 2.0), (20, 2.0, 9.0)])],
    }
    made = []
    monkeypatch.setattr(plt, "close", made.append)
    draw(kept, "gpu", [SOBEL], tmp_path / "sizes.png")
    one, other = made[0].axes
    cpu, gpu, crossover = one.lines
    assert made[0].get_suptitle().startswith("scikit-image on a CPU (solid lines) and a GPU")
    assert [text.get_text() for text in one.get_legend().texts] == ["from 1,000"]
    assert (cpu.get_linestyle(), gpu.get_linestyle()) == ("-", "--")
    assert list(cpu.get_xdata()) == list(gpu.get_xdata()) == [500, 2000]
    assert list(cpu.get_ydata()) == [1, 4]
    assert list(gpu.get_ydata()) == [1.5, 3]
    assert (crossover.get_xdata(), crossover.get_ydata()) == ([1000], [2])
    assert len(other.lines) == 2 and other.get_legend() is None
