"""The examples run on the device, call by call, and print what they print without it."""

import runpy
from pathlib import Path

import pytest

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
def test_registration_runs_wholly_on_the_device(enabled, capsys, monkeypatch):
    script = str(EXAMPLES / "registration.py")
    monkeypatch.setattr("sys.argv", [script])
    runpy.run_path(script)
    expected = capsys.readouterr().out
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")  # a conversion to gray is not worth the bus
    with use_backends("gpu"), observe() as calls:
        runpy.run_path(script)
    assert capsys.readouterr().out == expected
    assert [call.name.partition(":")[2] for call in calls] == [
        *("rgb2gray", "rgb2gray", "phase_cross_correlation", "warp"),
        *("structural_similarity", "structural_similarity"),
    ]
    assert {call.backend for call in calls} == {"gpu"}
