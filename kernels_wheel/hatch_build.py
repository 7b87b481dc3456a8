"""Compiles the kernels that asked.json names into the wheel."""

import json
import os
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

        asked = json.loads((Path(self.root) / "asked.json").read_text())
        kernels = [(s, each) for s, expressions in asked["kernels"].items() for each in expressions]
        folder = Path(mkdtemp())
        for capability in asked["capabilities"]:
            target = target_of(capability)
            if failed := update(folder / f"{target}.zip", kernels, target, os.cpu_count()):
                raise failed[0]
            name = f"{PACKAGE}/{target}.zip"
            build_data["force_include"][str(folder / f"{target}.zip")] = name
