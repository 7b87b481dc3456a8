"""What a call of a method needs: an object, which is made of arguments of its own."""

import functools
import inspect

import numpy as np

from skimage_gpu_backend.scikit_image import function_called
from tests.differential.sweep import MethodSweep

from .options import SWEEP

_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@functools.cache
def maker(name) -> str | None:
    """Module and name of what makes a method's object; None for functions and class methods."""
    if not isinstance(SWEEP[name], MethodSweep):
        return None
    owner, _, method = name.rpartition(".")
    if isinstance(inspect.getattr_static(function_called(owner), method), classmethod):
        return None
    return SWEEP[name].make or owner


@functools.cache
def parameters(name) -> tuple[str, ...]:
    """Names of parameters: "self.mode" is one of what makes the object."""
    plain = tuple(each.name for each in _own(name) if each.kind not in _REST)
    if maker(name) is None:
        return plain
    of_object = inspect.signature(function_called(maker(name))).parameters.values()
    return tuple(f"self.{each.name}" for each in of_object if each.kind not in _REST) + plain


@functools.cache
def places(name) -> tuple[str, ...]:
    """Parameters of a function or method that may be given by position, in order."""
    named = (inspect.Parameter.KEYWORD_ONLY, *_REST)
    return tuple(each.name for each in _own(name) if each.kind not in named)


def _own(name):
    """Parameters of a function or method, but for the object or class that it belongs to."""
    called = function_called(name)
    # of inherited class methods scikit-image's own signature lacks the first parameter
    found = inspect.signature(getattr(called, "__func__", called)).parameters.values()
    return [each for each in found if each.name not in ("self", "cls")]


def target(name, made):
    """The function of a call, or a bound method, and its object, or None."""
    if maker(name) is None:
        return function_called(name), None
    own = {each.removeprefix("self."): v for each, v in made.items() if each.startswith("self.")}
    owner = function_called(maker(name))(**own)
    return getattr(owner, name.rpartition(".")[2]), owner


def kept(name, owner) -> dict:
    """What an object keeps, as it can be compared."""
    if owner is None:
        return {}
    attributes = getattr(owner, "__dict__", {}).items()
    return {key: _state(value) for key, value in attributes if key not in SWEEP[name].hidden}


def _state(value):
    return value.bit_generator.state if isinstance(value, np.random.Generator) else value
