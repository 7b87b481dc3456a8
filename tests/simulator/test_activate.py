"""`activate` before CuPy is imported, and what it says when it comes too late."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(script):
    """Output of a program for which nothing has been activated at its start."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if k != "SKIMAGE_GPU_SIMULATOR"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip(), done.stderr


def test_activation_gives_the_stand_in_and_may_be_repeated():
    out, error = run(
        "import cuda_simulator as s\n"
        "print(s.active()); s.activate(); s.activate(); print(s.active())\n"
        "import cupy, cupy.cuda.runtime; s.activate(); print(cupy.__version__)\n"
        "print(cupy.ndarray.__module__, cupy.zeros(2).device)"
    )
    assert out.splitlines() == ["False", "True", "14.2.0+simulator", "cupy <CUDA Device 0>"], error


def test_activation_after_the_real_cupy_is_an_error(tmp_path):
    out, error = run(
        "import sys, types\n"
        "real = types.ModuleType('cupy'); real.__file__ = '/somewhere/cupy/__init__.py'\n"
        "sys.modules['cupy'] = real\n"
        "import cuda_simulator as s\n"
        "try:\n    s.activate()\nexcept RuntimeError as e:\n    print(e)\n"
        "print(s.active())"
    )
    message, active = out.splitlines()
    assert "before CuPy is imported" in message, error
    assert "/somewhere/cupy" in message
    assert active == "False"


def test_importing_the_simulator_imports_nothing_heavy():
    out, error = run(
        "import sys, cuda_simulator\n"
        "heavy = 'numpy', 'cupy', 'ctypes', 'skimage', 'subprocess'\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    assert out == "[]", error


def test_packages_of_the_real_cupy_are_hidden():
    out, error = run(
        "import cuda_simulator as s; s.activate()\n"
        "try:\n    import cupy_backends.cuda.libs.nccl\n"
        "except ModuleNotFoundError as e:\n    print(e)"
    )
    assert out == "No module named 'cupy_backends.cuda.libs.nccl'", error
