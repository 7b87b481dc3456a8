"""The functions of scikit-image that we have kernels for: a room for each, or each family.

The folders are scikit-image's modules; the catalog names the room of each function. In a room
stands, once, a function in scikit-image's signature that tells from shapes, dtypes and plain
arguments what a call will do: it returns a `Plan`, or raises `Declined` with the reason, or
`Invalid` where scikit-image refuses the arguments. Images, masks and ``out`` may be of any kind
and their data is not looked at; other arrays are NumPy's, and small. CuPy is not imported until
a plan runs.

A room also says which kernels it can ask for, so that tests compile them all: ``samples()``,
plans, where plans name their kernels, else ``specializations()``.
"""

import functools
import importlib
import inspect
import logging
import operator
import pkgutil

from .. import primitives
from ..availability import as_trouble
from ..catalog import CATALOG, METHODS, STEPS, row_of
from ..plan import Declined, Invalid, Plan
from ..scikit_image import parameter_places, signature

__all__ = ["find", "kernels", "plan"]

_log = logging.getLogger("skimage_gpu_backend.planning")


@functools.cache
def find(name):
    """The planner of the function or method `name`, with the installed scikit-image's defaults."""
    planner = operator.attrgetter(name.partition(":")[2])(room(row_of(name).room))
    _take_defaults(inspect.unwrap(planner), signature(name).parameters)
    return planner


def _take_defaults(planner, installed):
    """Give a planner the defaults of the installed version, which differ between versions."""
    parameters = inspect.signature(planner).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    for name in defaults.keys() & installed.keys():
        default = installed[name].default
        if default is not inspect.Parameter.empty and not inspect.isfunction(default):
            defaults[name] = default
    named = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    planner.__kwdefaults__ = {name: defaults[name] for name in defaults if name in named}
    planner.__defaults__ = tuple(defaults[name] for name in defaults if name not in named)


def room(path):
    """Module of a room, as ``"filters.gaussian"``."""
    return importlib.import_module(f"{__name__}.{path}")


def kernels(names=(*CATALOG, *STEPS, *METHODS)):
    """Every kernel that the rooms of functions, and what they are built of, can ask for.

    Parameters
    ----------
    names : iterable of str, optional
        Of the catalog.

    Yields
    ------
    source, expression : str
    """
    shared = [
        importlib.import_module(m.name)
        for m in pkgutil.iter_modules(primitives.__path__, f"{primitives.__name__}.")
    ]
    rows = map(row_of, names)
    rooms = map(room, dict.fromkeys(row.room for row in rows))
    for here in (*shared, *rooms):
        for sample in getattr(here, "samples", tuple)():
            yield from sample.launches.kernels
        yield from getattr(here, "specializations", tuple)()


def plan(name, args, kwargs) -> Plan:
    """Plan of a call.

    Raises
    ------
    Declined
        With the reason; `Invalid` where scikit-image is to raise.
    """
    function = find(name)
    _refuse_unknown(name, args, kwargs)
    try:
        return function(*args, **kwargs)
    except Declined:
        raise
    except Exception as error:
        if as_trouble(error):  # a small array on the device was read
            raise
        _refuse_what_no_room_takes(name, function, args, kwargs)
        # a mistake of ours, or arguments that scikit-image refuses too: it is asked
        _log.info("%s could not be planned", name, exc_info=True)
        raise Invalid(f"the call could not be planned: {type(error).__name__}: {error}") from error


def _refuse_unknown(name, args, kwargs):
    """Refuse arguments that only a planner knows: parameters of another scikit-image."""
    names, takes_any = _parameters(name)
    if len(args) > len(parameter_places(name)) and not takes_any:
        raise Invalid("the call has more arguments than the function has parameters")
    if not takes_any and not kwargs.keys() <= names:
        raise Invalid(f"{min(kwargs.keys() - names)} is not a parameter of the function")


@functools.cache
def _parameters(name):
    """Names of the installed function's parameters, and whether it takes any others."""
    parameters = signature(name).parameters
    takes_any = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values())
    return parameters.keys(), takes_any


def _refuse_what_no_room_takes(name, function, args, kwargs):
    known = inspect.signature(function)
    try:
        arguments = known.bind(*args, **kwargs).arguments
    except TypeError as error:
        given = [*list(parameter_places(name))[: len(args)], *kwargs]
        if unknown := [parameter for parameter in given if parameter not in known.parameters]:
            raise Declined(
                f"{unknown[0]} is unknown to its kernels; leave it out, which changes the result"
            ) from None
        raise Invalid(str(error)) from None
    for parameter in row_of(name).images:
        if isinstance(arguments.get(parameter), list | tuple):
            raise Declined(f"{parameter} is a list of arrays; give numpy.stack({parameter})")
