"""Device functions made from a declaration and the NumPy function that computes.

A declaration is the first line of a definition, with CuPy's parameters. An annotation says
what CuPy takes there; what has none goes to NumPy as it is::

    roll = declared("roll(a: array, shift, axis=None)")

=============  ===================================================================
``array``      a device array, nothing else
``operand``    a device array or a scalar
``arrays``     a sequence of device arrays
``operands``   a sequence of device arrays and scalars
``arraylike``  whatever `cupy.asarray` takes; from the host it is copied to the device
``either``     a device array or what NumPy takes there; nothing is copied
``out``        the device array that gets the result
=============  ===================================================================

A parameter with a default may be None.
"""

import inspect

import numpy as np

from ._creation import asarray
from ._ndarray import from_host, is_operand, ndarray


def array(value, name):
    """The argument where it is a device array, else `TypeError`."""
    if not isinstance(value, ndarray):
        raise TypeError(
            f"Argument '{name}' has incorrect type "
            f"(expected cupy.ndarray, got {type(value).__name__})"
        )
    return value


def operand(value, name):
    """The argument where it is a device array or a scalar, else `TypeError`."""
    if not is_operand(value):
        raise TypeError(f"Unsupported type {type(value)}")
    return value


def arrays(values, name):
    """A list of the device arrays in a sequence, else `TypeError`."""
    if isinstance(values, ndarray):
        return list(values)
    for value in values:
        if not isinstance(value, ndarray):
            raise TypeError(f"Only cupy arrays can be in '{name}', not {type(value).__name__}")
    return list(values)


def operands(values, name):
    """A list of the device arrays and scalars in a sequence, else `TypeError`."""
    return [operand(value, name) for value in values]


def arraylike(value, name):
    """The argument as a device array."""
    return asarray(value)


def either(value, name):
    """The argument as it is."""
    return value


# Decorates what computes on the host: a GPU warns of no division by zero and of no overflow.
quiet = np.errstate(all="ignore")
_KINDS = {f.__name__: f for f in (array, operand, arrays, operands, arraylike, either)}
_KINDS["out"] = array


def parsed(declaration):
    """Name, signature without annotations, and the kinds of parameters by name."""
    namespace = {}
    exec(f"def {declaration}: pass", {"numpy": np, **_KINDS}, namespace)
    ((name, function),) = namespace.items()
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return name, signature.replace(parameters=parameters), function.__annotations__


def named(function, name, signature, module="cupy", doc=None):
    """Give a function its name, signature and docstring."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature
    function.__doc__ = doc or f"As `{module.replace('cupy', 'numpy', 1)}.{name}`, on the device."
    return function


def declared(declaration, host, module="cupy"):
    """The device function of a declaration; `host` computes."""
    name, signature, kinds = parsed(declaration)
    host = quiet(host)
    takes_out = "out" in kinds
    required = [p.name for p in signature.parameters.values() if p.default is p.empty]

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        target = bound.arguments.get("out") if takes_out else None
        sources = []
        for parameter, kind in kinds.items():
            value = bound.arguments.get(parameter)
            if value is not None or parameter in required:
                value = kind(value, parameter)
                sources += value if isinstance(value, list | tuple) else [value]
                bound.arguments[parameter] = _host(value)
        read = [s for s in sources if isinstance(s, ndarray) and s is not target]
        return wrapped(host(*bound.args, **bound.kwargs), *read, out=target)

    return named(call, name, signature, module)


def _host(value):
    if isinstance(value, list):
        return [_host(v) for v in value]
    return value._host if isinstance(value, ndarray) else value


def wrapped(result, *sources, out=None):
    """What a NumPy function returned, with device arrays for its arrays and scalars."""
    if isinstance(result, tuple):
        return tuple(wrapped(r, *sources) for r in result)
    if isinstance(result, list):
        return [wrapped(r, *sources) for r in result]
    if isinstance(result, np.ndarray | np.generic):
        return from_host(result, *sources, out=out)
    return result


def define(namespace, *declarations, module="cupy", numpy=np):
    """Put the functions of several declarations into a module's namespace; their names."""
    names = []
    for declaration in declarations:
        name = declaration.partition("(")[0]
        namespace[name] = declared(declaration, getattr(numpy, name), module)
        names.append(name)
    return names
