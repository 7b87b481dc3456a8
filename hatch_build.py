"""Puts the .pth file into an editable install; pyproject.toml puts it into the wheel."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PTH = "zz_skimage_gpu_backend.pth"


class EditablePth(BuildHookInterface):
    """Hook of the wheel target: hatchling has no table for editable installs alone."""

    def initialize(self, version, build_data):
        """Add the file where `version` is "editable"."""
        if version == "editable":
            build_data["force_include_editable"][PTH] = PTH
