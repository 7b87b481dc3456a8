"""Names and signatures of modules, as JSON: run for the real CuPy, imported for the stand-in.

``python describe.py cupy cupy.linalg`` prints what the CuPy of that process has.
"""

import importlib
import inspect
import json
import re
import sys
from unittest.mock import MagicMock

# Where Cython embeds a signature: its dotted name, what stands in the parentheses.
_EMBEDDED = re.compile(r"\s*[\w.]*?(\w+)\((.*?)\)\s*(?:->.*)?$", re.MULTILINE)
_TYPED = re.compile(r"^(\**)(?:[\w.]+ )?(\w+|\*|/)((?:=.*)?)$", re.DOTALL)


def describe(modules, declared=False):
    """For each module, what its public names are; `declared` ones only, where it says which."""
    described = {}
    for name in modules:
        module = _module(name)
        names = getattr(module, "__all__", None) if declared else None
        described[name] = _members(module, dir(module) if names is None else names)
    return described


def _module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:  # an attribute that is a module of another name, or nothing
        parent, _, last = name.rpartition(".")
        return getattr(_module(parent), last, None) if parent else importlib.import_module(name)


def _members(owner, names):
    """What each public name is: kind, signature and, of a class, its own members."""
    described = {}
    for name in names:
        if name.startswith("_"):
            continue
        try:
            value = getattr(owner, name)
        except Exception:
            continue
        if inspect.ismodule(value):
            continue
        entry = {"kind": "value", "signature": None}
        if isinstance(getattr(value, "nin", None), int):
            types = [str(t) for t in getattr(value, "types", ())]
            entry = {"kind": "ufunc", "signature": [value.nin, value.nout, types]}
        elif isinstance(value, type):
            entry = {"kind": "class", "signature": _signature(value)}
            if not issubclass(value, BaseException) and value.__module__.startswith("cupy"):
                entry["members"] = _members(value, dir(value))
        elif callable(value):
            entry = {"kind": "function", "signature": _signature(value)}
        described[name] = entry
    return described


def _signature(function):
    """Parameters as lists of name, kind and default; None where nothing tells them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = _embedded(function)
    if signature is None:
        return None
    parameters = list(signature.parameters.values())
    if inspect.isbuiltin(function) and parameters and parameters[0].name == "self":
        del parameters[0]  # Cython's module, which Python 3.13 shows
    return [[p.name, p.kind.name, _default(p)] for p in parameters]


def _embedded(function):
    """The signature that Cython put into the first line of a docstring."""
    lines = (getattr(function, "__doc__", None) or "").strip().split("\n\n")[0]
    match = _EMBEDDED.match(lines.replace("\n", " "))
    if match is None or match[1] != function.__name__:
        return None
    parameters = [_TYPED.match(part.strip()) for part in _split(match[2])]
    if None in parameters:
        return None
    text = ", ".join("".join(p.groups()) for p in parameters)
    names = {"numpy": importlib.import_module("numpy")}
    try:
        return inspect.signature(eval(f"lambda {text}: None", names))
    except (SyntaxError, NameError, AttributeError):
        return None


def _split(text):
    """Parameters of a signature's text; commas within brackets and quotes do not count."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _default(parameter):
    if parameter.default is parameter.empty:
        return "required"
    return re.sub(r" (at 0x|from ').*", "", repr(parameter.default))


def _prepare():
    """Let CuPy's modules import where CUDA's libraries, which they load, are not installed."""
    try:
        libraries = importlib.import_module("cupy_backends.cuda.libs")
    except ModuleNotFoundError:
        return
    for name in ("cublas", "curand", "cusolver", "cusparse"):
        try:
            getattr(libraries, name)
        except ImportError:
            setattr(libraries, name, MagicMock())
    assert importlib.import_module("cupy.random").Generator  # is there once it is asked for


if __name__ == "__main__":
    _prepare()
    json.dump(describe(sys.argv[1:]), sys.stdout)
