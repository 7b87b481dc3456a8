"""Rounds of launches: who asks is told of them, and what is launched stays the same."""

import ast
from pathlib import Path

import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend
from cuda_simulator import faults
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.device import rounds
from skimage_gpu_backend.tiles import progress
from tests.differential.check import by_position
from tests.differential.sweeps import SWEEPS

from .failing import Device
from .test_every_function import _arguments, _case
from .test_interrupts import ROUNDS, function_of

pytestmark = pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
IMAGE = ski.data.camera()[:64, :80] / 255.0
PACKAGE = Path(skimage_gpu_backend.__file__).parent
# Loops over a few things: axes, levels, pieces of an image, passes that follow pointers; and where.
FEW = {
    "functions/metrics/hausdorff.py range(1, len(shape) - 1)",
    "functions/registration/phase_cross_correlation.py range(last, -1, -1)",
    "functions/restoration/bilateral.py range(0, image.size, most)",
    "functions/restoration/denoise_wavelet.py range(3)",
    "functions/restoration/denoise_wavelet.py range(asked.levels)",
    "functions/restoration/denoise_wavelet.py range(axes - 1, -1, -1)",
    "functions/restoration/denoise_wavelet.py range(axes)",
    "functions/restoration/denoise_wavelet.py range(1, len(bands))",
    "functions/restoration/tv_bregman.py range(0, channels, layers)",
    "primitives/max_trees.py range(passes)",
}


class Told(progress.Telling):
    """What would be on the terminal."""

    def __init__(self, name):
        super().__init__(name)
        told.append(self)
        self.loops = []

    def begin(self, total, unit="rounds", patience=None):
        super().begin(total, unit, np.inf)
        self.loops.append([0, total])

    def advance(self, count=1):
        super().advance(count)
        self.loops[-1][0] += count

    def end(self, count=0):
        if self.busy:
            self.loops[-1][0] += count
        super().end(count)


told = []


@pytest.fixture
def heard(monkeypatch):
    told.clear()
    monkeypatch.setattr(progress, "Telling", Told)
    yield told
    assert not any(each.busy for each in told)
    assert rounds.asked.get() is None


def _met(function, args, kwargs, **options):
    device = Device()
    with use_backends("gpu", **options), faults.observed(device):
        function(*args, **kwargs)
    return [kind for kind in device.met if kind not in ("event", "wait", "allocation", "query")]


@pytest.mark.parametrize("name", ROUNDS)
def test_who_asks_is_told_and_nothing_else_is_done(name, heard):
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == f"skimage.{name}")
    case = _case(sweep, "cupy")
    args, kwargs = by_position(sweep.name, _arguments(case, "cupy"))
    function = function_of(sweep)
    before = _met(function, args, kwargs)
    args, kwargs = by_position(sweep.name, _arguments(case, "cupy"))
    assert _met(function, args, kwargs, progress=True) == before
    loops = heard[0].loops
    assert max(done for done, _ in loops) > 0
    assert all(total is None or done <= total for done, total in loops)


def test_a_bar_is_shown_where_a_loop_takes_long(monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with use_backends("gpu", progress=True):
        ski.restoration.denoise_tv_chambolle(IMAGE, eps=0)
        ski.filters.threshold_li(IMAGE)
    shown = capfd.readouterr().err
    assert "restoration.denoise_tv_chambolle" in shown
    assert "199/199 rounds" in shown
    assert "filters.threshold_li" in shown
    assert "/? " in shown


def test_nothing_is_shown_of_what_is_over_soon(monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 1e9)
    monkeypatch.setattr("skimage_gpu_backend.device.loading.reported", True)
    with use_backends("gpu", progress=True):
        ski.restoration.denoise_tv_chambolle(IMAGE)
    assert capfd.readouterr() == ("", "")


def test_who_tells_may_stop_the_call(monkeypatch, heard):
    def stop(self, count=1):
        raise KeyboardInterrupt

    expected = ski.restoration.denoise_tv_chambolle(IMAGE)
    monkeypatch.setattr(Told, "advance", stop)
    with use_backends("gpu", progress=True), pytest.raises(KeyboardInterrupt):
        ski.restoration.denoise_tv_chambolle(IMAGE)
    with use_backends("gpu"):
        np.testing.assert_array_equal(ski.restoration.denoise_tv_chambolle(IMAGE), expected)


@pytest.mark.parametrize(("total", "ends"), [(100, [16, 48, 100]), (16, [16]), (0, [])])
@pytest.mark.parametrize("asks", [False, True])
def test_batches(total, ends, asks):
    token = rounds.asked.set(Told("skimage.a:b") if asks else None)
    try:
        found = [(end, list(numbers)) for end, numbers in rounds.batches(total, 16, 64)]
    finally:
        rounds.asked.reset(token)
    assert [end for end, _ in found] == ends
    assert [number for _, numbers in found for number in numbers] == list(range(total))


def _loops(path):
    """Loops that launch, without those inside a loop whose rounds are told."""
    text = path.read_text(encoding="utf-8")
    if "launch(" not in text:
        return
    tree = ast.parse(text)
    launching = {"launch"}
    calls = {each.name: _called(each) for each in ast.walk(tree) if type(each) is ast.FunctionDef}
    before = None
    while before != launching:
        before = set(launching)
        launching |= {name for name, called in calls.items() if called & before}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.For | ast.While) and _called(node) & launching:
            head = ast.unparse(node.iter if isinstance(node, ast.For) else node.test)
            if any(word in head for word in ("rounds(", "batches(", "turns")):
                continue
            if isinstance(node, ast.While) or head.startswith("range("):
                yield head
        waiting += ast.iter_child_nodes(node)


def _called(node):
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {getattr(each, "attr", getattr(each, "id", "")) for each in calls}


def test_rooms_that_launch_in_a_loop_tell_of_its_rounds():
    found = {
        f"{path.relative_to(PACKAGE).as_posix()} {head}"
        for folder in ("functions", "primitives", "device")
        for path in (PACKAGE / folder).rglob("*.py")
        for head in _loops(path)
    }
    assert found == FEW
