"""Private modules of scikit-image, which tests compare with or change."""

import importlib
import importlib.metadata
import importlib.util
import re

import pytest

from skimage_gpu_backend.availability import no_cucim_because


def upstream(module):
    """The module of this name below ``skimage``, where scikit-image has its implementation."""
    root = "_skimage2" if importlib.util.find_spec("_skimage2") else "skimage"
    return importlib.import_module(f"{root}.{module}")


def need_cucim():
    """Skip where there is no cuCIM, or none that supports the installed scikit-image."""
    if reason := no_cucim_because():
        pytest.skip(reason)


def need_version_of(page):
    """Skip where a page was recorded with another minor version of scikit-image."""
    recorded = re.search(r"scikit-image (\d+\.\d+)", page.read_text("utf-8"))[1]
    installed = importlib.metadata.version("scikit-image")
    if not installed.startswith(f"{recorded}."):
        pytest.skip(f"{page.name} was recorded with scikit-image {recorded}, not {installed}")
