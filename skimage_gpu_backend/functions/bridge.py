"""For modules of `ops`, `accept` and `tiles.reach` that have not become rooms.

Goes when the last function has its room.
"""

import functools
import importlib
import inspect

from .. import plan
from ..accept import Invalid
from ..call import bound
from ..catalog import module_of
from ..scikit_image import function_called
from ..trouble import Declined


def plan_of_op(name, args, kwargs):
    """Plan that runs an op which `accept` takes the call for."""
    module, function = module_of(name), name.partition(":")[2]
    accept = importlib.import_module(f"skimage_gpu_backend.accept.{module}")
    op = getattr(importlib.import_module(f"skimage_gpu_backend.ops.{module}"), function)
    raised(getattr(accept, function)(*args, **kwargs))
    arguments, rest = bound(_places(name), args, kwargs)

    def run(**arrays):
        return op(*rest, **(arguments | arrays))

    return plan.Plan(run, _reach(module, function, args, kwargs, arguments))


@functools.cache
def _places(name):
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(function_called(name)).parameters.values()
    return {p.name: place for place, p in enumerate(parameters) if p.kind in kinds}


def _reach(module, function, args, kwargs, arguments):
    try:
        reaches = importlib.import_module(f"skimage_gpu_backend.tiles.reach.{module}")
    except ModuleNotFoundError:
        return None
    tell = getattr(reaches, function, None)
    found = tell and tell(*args, **kwargs)
    if not isinstance(found, plan.Passes):
        return found
    return plan.Passes(
        lambda **pieces: found.find(**(arguments | pieces)),
        lambda seen, **arrays: found.make(seen, **(arguments | arrays)),
        found.reach,
    )


def verdict_of(function):
    """What an accept function answers: None, a reason, or `Invalid`."""

    @functools.wraps(function)
    def accept(*args, **kwargs):
        try:
            function(*args, **kwargs)
        except plan.Invalid as invalid:
            return Invalid(invalid.reason)
        except Declined as declined:
            return declined.reason

    return accept


def op_of(function, image):
    """Op that plans and runs; `image` is the name of its parameter."""

    @functools.wraps(function)
    def op(array, *args, out=None, **kwargs):
        if out is None:
            return function(array, *args, **kwargs).run(**{image: array})
        return function(array, *args, out=out, **kwargs).run(**{image: array}, out=out)

    return op


def raised(refusal):
    """Raise what an accept function has answered."""
    if refusal is not None:
        raise (plan.Invalid if isinstance(refusal, Invalid) else Declined)(refusal)
