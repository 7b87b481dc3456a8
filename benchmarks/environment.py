"""Where and with what something was measured."""

import argparse
import datetime
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUT = ROOT / "benchmark-results"  # git ignores it
SIDES = (512, 2048)


def parser(module, description) -> argparse.ArgumentParser:
    """Parser of the command ``python -m module``, which writes results into a folder."""
    made = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--out", default=OUT, help="folder of results")
    return made


def parser_of_calls(module, description, limit) -> argparse.ArgumentParser:
    """`parser` of a command that measures the standard calls of functions."""
    made = parser(module, description)
    made.add_argument("names", nargs="*", help="parts of functions' names; default: all")
    made.add_argument("--sides", type=int, nargs="+", default=SIDES, help="pixels, growing")
    made.add_argument("--limit", type=float, default=limit, help="seconds that a call may take")
    return made


def environment(module, on_cpu=False) -> dict:
    """Device, versions, commit and command of this run of ``python -m module``.

    What concerns a GPU is left out with `on_cpu`.
    """
    packages = ("scikit-image", "numpy", "scipy")
    return {
        **({} if on_cpu else _gpu()),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        **{package: importlib.metadata.version(package) for package in packages},
        "commit": commit(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": " ".join([f"python -m {module}", *sys.argv[1:]]),
    }


def commit() -> str:
    """Of the working tree, with a plus where it is changed; "" where there is none."""
    if shutil.which("git") is None:
        return ""

    def git(*command):
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("diff", "HEAD") else "")


def results_folder(out=OUT, on_cpu=False) -> Path:
    """Folder in `out` for the results of the device under test; it is made."""
    from cuda_simulator import active

    device = _cpu() if on_cpu else "simulator" if active() else _device()
    folder = Path(out) / re.sub(r"\W+", "-", device.lower()).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _gpu():
    import cupy as cp

    return {
        "device": _device(),
        "driver": _version(cp.cuda.runtime.driverGetVersion()),
        "cupy": cp.__version__,
        "cucim": _cucim(),
    }


def _device():
    import cupy as cp

    name = cp.cuda.runtime.getDeviceProperties(0)["name"]
    return name.decode() if isinstance(name, bytes) else name


def _version(number):
    """13010 as "13.1": the newest CUDA that the driver runs."""
    return f"CUDA {number // 1000}.{number % 1000 // 10}"


def _cucim():
    try:
        import cucim
    except ImportError:
        return "not installed"
    return cucim.__version__


def _cpu():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()
