"""Private modules of scikit-image, which tests compare with or change."""

import importlib
import importlib.util


def upstream(module):
    """The module of this name below ``skimage``, where scikit-image has its implementation."""
    root = "_skimage2" if importlib.util.find_spec("_skimage2") else "skimage"
    return importlib.import_module(f"{root}.{module}")
