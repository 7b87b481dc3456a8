"""`python -m tests.kernels.asked [FOLDER]`: which kernels the wheel of compiled kernels has.

Those of the usual call of every function, of images in uint8, float32 and float64, and those that
runs have left in FOLDER: a cache folder (``XDG_CACHE_HOME``), empty before runs of the demo,
the examples, the gallery or the benchmark on the simulator. What the list has already stays, where
there still is such a kernel.
"""

import argparse
import json
import os
from pathlib import Path

from skimage_gpu_backend import functions
from skimage_gpu_backend._compile import CAPABILITIES
from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.device import cubins
from skimage_gpu_backend.device.loading import loaded
from skimage_gpu_backend.device.source import kernel_source

FILE = Path(__file__).parents[2] / "kernels_wheel" / "asked.json"
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
                check(case, sweep.kinds[-1], "gpu")
    return {(source, expression) for source, expression, _ in loaded}


def listed():
    """Source and expression of the kernels in the list that still are ones."""
    kernels = json.loads(FILE.read_text())["kernels"]
    known = {(source, each) for source, expressions in kernels.items() for each in expressions}
    return known & set(functions.kernels())


def by_source(kernels):
    """Source -> its expressions, sorted."""
    found = {}
    for source, expression in sorted(set(kernels)):
        found.setdefault(source, []).append(expression)
    return found


def main():
    """Write the list."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernels.asked", description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    folders = parser.parse_args().folders
    os.environ["SKIMAGE_GPU_NOTIFY"] = "none"
    choose_device()
    from skimage_gpu_backend import enable

    enable()
    kernels = usual().union(listed(), *map(kept_in, folders))
    content = {"capabilities": CAPABILITIES, "kernels": by_source(kernels)}
    FILE.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
