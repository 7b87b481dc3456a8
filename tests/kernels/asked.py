"""`python -m tests.kernels.asked`: which kernels the wheel of compiled kernels has.

Those of the usual call of every function, of images in uint8, float32 and float64, and those that
the examples launch. The build of the wheel runs it, on the simulator.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from cuda_simulator import settings
from skimage_gpu_backend import functions
from skimage_gpu_backend._compile import CAPABILITIES
from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.device import cubins
from skimage_gpu_backend.device.loading import loaded
from skimage_gpu_backend.device.source import kernel_source

ROOT = Path(__file__).parents[2]
FILE = ROOT / "kernels_wheel" / "asked.json"
LABELS = ("standard", "uint8", "float32", "float64")
TARGET = "sm_90"  # the simulator's


def kept_in(folder):
    """Source and expression of the kernels in a cache folder."""
    there = {path.name for path in Path(folder).rglob("kernels/nvrtc-*/*")}
    for source, expression in set(functions.kernels()):
        if cubins.key(kernel_source(source), expression, TARGET) in there:
            yield source, expression


def usual():
    """Source and expression of the kernels of usual calls, which are made."""
    from tests.differential.check import check
    from tests.differential.sweeps import SWEEPS

    for sweep in SWEEPS:
        for case in sweep.cases():
            if case.label in LABELS:
                check(case, sweep.kinds[-1])
    return {(source, expression) for source, expression, _ in loaded}


def of_examples():
    """Source and expression of the kernels that the examples launch."""
    with TemporaryDirectory() as folder:
        simulator = {
            "SKIMAGE_GPU_SIMULATOR": "1",
            "SKIMAGE_BACKENDS": "gpu",
            "CUDA_SIMULATOR_CACHE": str(settings.cache_folder()),
            "CUDA_SIMULATOR_OPTIMIZE": "0",
            "MPLBACKEND": "agg",
            "XDG_CACHE_HOME": folder,
        }
        for example in sorted((ROOT / "examples").glob("*.py")):
            file = [f"{folder}/x.png"] * (example.stem != "out_of_core")  # which takes a size
            side = ["64"] * (example.stem == "stain_normalization")  # of tiles, to be quick
            command = [sys.executable, example, *file, *side]
            subprocess.run(command, env=os.environ | simulator, check=True)
        return set(kept_in(folder))


def by_source(kernels):
    """Source -> its expressions, sorted."""
    found = {}
    for source, expression in sorted(set(kernels)):
        found.setdefault(source, []).append(expression)
    return found


def main():
    """Write the list."""
    os.environ["SKIMAGE_BACKENDS_NOTIFY"] = "none"
    choose_device()
    from skimage_gpu_backend import enable

    enable()
    content = {"capabilities": CAPABILITIES, "kernels": by_source(usual() | of_examples())}
    FILE.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
