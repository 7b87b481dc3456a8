"""scikit-image's public functions by the names that the protocol gives them."""

import importlib
import sys


def function_called(name):
    """The public function `name`, as ``"skimage.filters:gaussian"``."""
    module, _, function = name.partition(":")
    return getattr(sys.modules.get(module) or importlib.import_module(module), function)


def on_host(name, *args, **kwargs):
    """What scikit-image's own function `name` makes of arrays on the host, whatever is selected."""
    from .dispatch.selection import Selection, selected

    with selected(Selection()):
        return function_called(name)(*args, **kwargs)
