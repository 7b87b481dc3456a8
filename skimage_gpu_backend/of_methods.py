"""Calls of methods in the place of which a function runs."""

from .adapt.kinds import NUMPY, kind_of
from .methods import AS_FUNCTION


def as_function(name, args, kwargs):
    """A method's call as one of the function that does the same; its name is None for neither."""
    function, attributes = AS_FUNCTION[name]
    owner, *given = args
    taken = {parameter: getattr(owner, at, None) for parameter, at in attributes.items() if at}
    odd = any(kind_of(value) is not NUMPY for value in taken.values())
    taken |= {parameter: owner for parameter, at in attributes.items() if not at}
    if odd or len(given) + len(kwargs) != 1 or taken.keys() & kwargs.keys():
        return None, args, kwargs
    return function, tuple(given), kwargs | taken
