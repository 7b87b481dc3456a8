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


def parser(module, description) -> argparse.ArgumentParser:
    """Parser of the command ``python -m module``, which writes results into a folder."""
    made = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--out", default=OUT, help="folder of results")
    return made


def environment(module) -> dict:
    """Device, versions, commit and command of this run of ``python -m module``."""
    import cupy as cp

    packages = ("scikit-image", "numpy", "scipy")
    return {
        "device": _device(),
        "driver": _version(cp.cuda.runtime.driverGetVersion()),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "cupy": cp.__version__,
        "cucim": _cucim(),
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


def results_folder(out=OUT) -> Path:
    """Folder in `out` for the results of the device under test; it is made."""
    from cuda_simulator import active

    name = "simulator" if active() else re.sub(r"\W+", "-", _device().lower()).strip("-")
    folder = Path(out) / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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
