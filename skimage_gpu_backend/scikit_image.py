"""scikit-image's public functions by the names that the protocol gives them."""

import importlib
import sys


def function_called(name):
    """The public function `name`, as ``"skimage.filters:gaussian"``."""
    module, _, function = name.partition(":")
    return getattr(sys.modules.get(module) or importlib.import_module(module), function)
