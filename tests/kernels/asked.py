"""`python -m tests.kernels.asked FOLDER`: the kernels that runs asked for, for the wheel of them.

FOLDER is the cache folder (``XDG_CACHE_HOME``) of runs on the simulator that began with an empty
one: of the demo, the examples, the gallery and the benchmark.
"""

import json
import sys
from pathlib import Path

from skimage_gpu_backend import functions
from skimage_gpu_backend._compile import CAPABILITIES
from skimage_gpu_backend.device import cubins
from skimage_gpu_backend.device.source import kernel_source

FILE = Path(__file__).parents[2] / "kernels_wheel" / "asked.json"
TARGET = "sm_90"  # the simulator's


def asked(folder):
    """Source -> its expressions, of the kernels that are in a cache folder."""
    there = {path.name for path in Path(folder).rglob("kernels/nvrtc-*/*")}
    found = {}
    for source, expression in sorted(set(functions.kernels())):
        if cubins.key(kernel_source(source), expression, TARGET) in there:
            found.setdefault(source, []).append(expression)
    return found


def main(folder):
    """Write the list."""
    content = {"capabilities": CAPABILITIES, "kernels": asked(folder)}
    FILE.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
