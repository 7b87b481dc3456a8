"""scikit-image's public functions by the names that the protocol gives them."""

import importlib
import sys


def function_called(name):
    """The public function `name`, as ``"skimage.filters:gaussian"``."""
    module, _, function = name.partition(":")
    return getattr(sys.modules.get(module) or importlib.import_module(module), function)


def own_function(name):
    """scikit-image's own function `name`, past its dispatcher, which would ask backends."""
    function = function_called(name)
    if function.__globals__["__name__"] == "skimage.util._backends":
        return function.__wrapped__
    return function


def on_host(name, *args, **kwargs):
    """What scikit-image's own function `name` makes of arrays on the host, whatever is selected.

    Calls of this package are not dispatched by our own dispatcher.
    """
    return own_function(name)(*args, **kwargs)
