"""What whole programs take, without the backend and with it: `python -m benchmarks.programs`.

Each time is a process of its own, from its start to its end, imports included: the plain program,
the first one on the device, which compiles what no archive has, and a second one. The proposal's
script has CuPy arrays, which scikit-image does not take: the plain one has NumPy's in their place.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Example -> a size at which a GPU has something to do.
SIZES = {
    "proposal": "512",  # that of its photo, which it does not ask for
    "stain_normalization": "256",
    "ultrasound_quality": "1024",
    "tv_tomography": "512",
    "template_matching": "128",
    "microscopy": "768",
}
ON_DEVICE = {
    "stain_normalization": ["cupy"],
    "tv_tomography": ["cupy"],
    "ultrasound_quality": ["cupy"],
}  # further arguments of the runs with the backend
# what is selected; the example's own backend keeps a transform, which ours makes at each call
SELECTED = {"template_matching": ["gpu", "kept,gpu"]}

PLAINLY = {
    "proposal": {
        "import cupy as cp": "import numpy as cp",
        ").get()": ")",
        'os.environ["SKIMAGE_BACKENDS"] = "cucim"': "",
    }
}  # what is another text in the plain program


def plain(example, folder):
    """Path of the program as it runs without a backend."""
    path = ROOT / "examples" / f"{example}.py"
    if example not in PLAINLY:
        return path
    text = path.read_text()
    for old, new in PLAINLY[example].items():
        assert text.count(old) == 1, f"{example} has no {old}"
        text = text.replace(old, new)
    changed = Path(folder) / path.name
    changed.write_text(text)
    return changed


def seconds(path, arguments, folder, *command, **environment):
    """Time of a process, or None where it fails; then its last line is printed."""
    kept = ("SKIMAGE_GPU_SIMULATOR", "SKIMAGE_GPU_DEVICES", "SKIMAGE_GPU_MEMORY_LIMIT")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SKIMAGE_") or k in kept}
    inherited["PYTHONPATH"] = os.pathsep.join(
        [os.environ.get("PYTHONPATH", ""), str(ROOT)]  # an installed package goes before it
    )
    inherited["XDG_CACHE_HOME"] = folder
    program = [path, Path(folder) / "picture.png", *arguments]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command, *program],
        env=inherited | environment,
        capture_output=True,
        text=True,
    )
    taken = time.perf_counter() - start
    if done.returncode:
        print(f"{path.stem}: {done.stderr.strip().rpartition(chr(10))[2]}")
        return None
    return taken


def main():
    """Print a line for each program as it is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs", description=__doc__)
    parser.add_argument("programs", nargs="*", help=f"default: {', '.join(SIZES)}")
    parser.add_argument("--size", help="of all of them")
    given = parser.parse_args()
    run = ("-m", "skimage_gpu_backend", "run")
    on_device = {"SKIMAGE_GPU_RESIDENT": "1", "SKIMAGE_GPU_NOTIFY": "none"}
    print(f"{'seconds':20}{'size':>8}{'backends':>10}{'plain':>10}{'first':>10}{'again':>10}")
    failed = False
    for name in given.programs or SIZES:
        size = [given.size or SIZES[name]]
        arguments = size + ON_DEVICE.get(name, [])
        with tempfile.TemporaryDirectory() as folder:
            plainly = seconds(plain(name, folder), size, folder)
        path = ROOT / "examples" / f"{name}.py"
        for backends in SELECTED.get(name, ["gpu"]):
            chosen = {**on_device, "SKIMAGE_BACKENDS": backends}
            with tempfile.TemporaryDirectory() as folder:
                times = [seconds(path, arguments, folder, *run, **chosen) for _ in range(2)]
            failed |= None in (plainly, *times)
            told = ("failed" if t is None else f"{t:.1f}" for t in (plainly, *times))
            row = f"{name:20}{size[0]:>8}{backends:>10}"
            print(row + "".join(f"{t:>10}" for t in told), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
