"""Compiles the kernels of usual calls and of the examples into the wheel.

asked.json names them; where it is missing the build writes it, which takes minutes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "skimage_gpu_backend_kernels"


class Kernels(BuildHookInterface):
    """Hook of the wheel target: an archive of each target lies in the package."""

    def initialize(self, version, build_data):
        """Compile; the archives are the wheel's only files beside the package's."""
        from skimage_gpu_backend._compile import update
        from skimage_gpu_backend.device.compile import target_of

        file = Path(self.root, "asked.json")
        if not file.exists():
            command = [sys.executable, "-m", "tests.kernels.asked"]
            subprocess.run(command, cwd=file.parents[1], check=True)
        asked = json.loads(file.read_text())
        kernels = [(s, each) for s, expressions in asked["kernels"].items() for each in expressions]
        folder = Path(mkdtemp())
        for capability in asked["capabilities"]:
            target = target_of(capability)
            if failed := update(folder / f"{target}.zip", kernels, target, os.cpu_count()):
                raise failed[0]
            name = f"{PACKAGE}/{target}.zip"
            build_data["force_include"][str(folder / f"{target}.zip")] = name
