"""The examples run on the device, and print what they print without it."""

import runpy
from pathlib import Path

import pytest

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

EXAMPLES = Path(__file__).parents[1] / "examples"
STAY = {"galaxies": {"circle_perimeter"}, "vessels": {"skeletonize"}}  # on the CPU


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(
            path, marks=[pytest.mark.thorough] * (path.stem != "registration"), id=path.stem
        )
        for path in sorted(EXAMPLES.glob("*.py"))
    ],
)
def test_example_runs_on_the_device_and_prints_the_same(enabled, capsys, monkeypatch, example):
    monkeypatch.setattr("sys.argv", [str(example)])
    runpy.run_path(example)
    expected = capsys.readouterr().out
    assert expected
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")  # a conversion to gray is not worth the bus
    with use_backends("gpu"), observe() as calls:
        runpy.run_path(example)
    assert capsys.readouterr().out == expected
    ran = {call.name.partition(":")[2]: call.backend for call in calls}
    assert len(ran) > 3
    assert {name for name, backend in ran.items() if backend is None} == STAY.get(
        example.stem, set()
    )
