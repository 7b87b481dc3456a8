"""scikit-image's public functions by the names that the protocol gives them."""

import functools
import importlib
import inspect
import operator
import sys

from .methods import OWN_FUNCTIONS, PRIVATE_STEPS
from .trouble import Idle

# What a conversion gives back as it is, in NumPy's characters of dtypes.
_KEPT = {
    "skimage.util:img_as_bool": "?",
    "skimage.util:img_as_float": "efdg",
    "skimage.util:img_as_float32": "f",
    "skimage.util:img_as_float64": "d",
    "skimage.util:img_as_int": "h",
    "skimage.util:img_as_ubyte": "B",
    "skimage.util:img_as_uint": "H",
}
ALREADY = Idle("image has the wanted dtype already; nothing to change")


def nothing_to_convert(name, dtype) -> bool:
    """Whether the function `name` is a conversion to what an image of `dtype` is already."""
    kept = _KEPT.get(name)
    return kept is not None and dtype.char in kept


def function_called(name):
    """The public function or method `name`, as ``"skimage.filters:gaussian"``."""
    module, _, function = name.partition(":")
    called = operator.attrgetter(function)
    try:
        return called(sys.modules[module])
    except (KeyError, AttributeError):  # not there, or another thread is importing it
        return called(importlib.import_module(module))


@functools.cache
def signature(name) -> inspect.Signature:
    """Signature of the public function `name`, of a private step or of what a method runs as."""
    private = PRIVATE_STEPS.get(name) or OWN_FUNCTIONS.get(name)
    if private:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = private[0].split()
        return inspect.Signature([inspect.Parameter(each, kind) for each in parameters])
    return inspect.signature(function_called(name))


@functools.cache
def parameter_places(name) -> dict[str, int]:
    """Positions of the positional parameters of the public function `name`."""
    parameters = signature(name).parameters.values()
    return {
        parameter.name: place
        for place, parameter in enumerate(parameters)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }


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
