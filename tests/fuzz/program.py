"""A call as a program that shows the difference."""

import itertools

import numpy as np

from skimage_gpu_backend.catalog import spoken
from tests.differential.inputs import Input

from .arrays import Array
from .calls import Listed, Same
from .odd import ODD
from .of_methods import maker
from .options import ROWS, SWEEP, listed

_PROGRAM = """\
import os

os.environ |= {{"SKIMAGE_GPU_SIMULATOR": "1", "SKIMAGE_BACKENDS_MIN_SIZE": "0"}}
import numpy as np
import skimage as ski
from skimage_gpu_backend import use_backends
{imports}

def call(xp):
{lines}{call}


def shown(xp, *backends, output=None):
    with use_backends(*backends, output=output):
        try:
            result = call(xp)
            return list(result) if hasattr(result, "__next__") else result
        except Exception as error:
            return repr(error)


print("scikit-image:", shown(np))
print("on the device:", shown({xp}, "gpu"{output}))
"""
_OF_METHOD = """\
    made = {made}
    try:
        result = made{method}({arguments})
    except Exception as error:
        result = repr(error)
    return result, getattr(made, "__dict__", None)"""
_SHOWN = 80  # elements of an array that are written out


def program(call) -> str:
    """Text of a program that prints what scikit-image gives and what the device gives."""
    imports = {"import cupy as cp"} if call.kind == "cupy" else set()
    lines, texts = [], {}
    for name, value in call.arguments.items():
        texts[name] = _text(value, imports)
        if isinstance(value, Array | np.ndarray) or len(texts[name]) > 60:
            variable = name.replace("self.", "its_")
            of_host = f"{variable} = {texts[name]}".replace("xp.as", "np.as").replace("(xp", "(np")
            lines.append(of_host if variable != name else f"{name} = {texts[name]}")
            if getattr(value, "read_only", False):
                lines.append(f"{variable}.flags.writeable = xp is not np")
            texts[name] = variable
    args, kwargs = call.by_position(texts)
    arguments = _arguments(args, kwargs)
    lines = "".join(f"    {line}\n" for line in lines)
    if maker(call.name):
        own = {n.removeprefix("self."): t for n, t in texts.items() if n.startswith("self.")}
        made = f"{_function(maker(call.name), imports)}({_arguments((), own)})"
        method = f".{call.name.rpartition('.')[2]}".replace(".__call__", "")
        text = _OF_METHOD.format(made=made, method=method, arguments=arguments)
    else:
        text = f"    return {_function(call.name, imports)}({arguments})"
    return _PROGRAM.format(
        imports="".join(f"{line}\n" for line in sorted(imports)),
        lines=lines,
        call=text,
        xp="cp" if call.kind == "cupy" else "np",
        output="" if ROWS[call.name].images else ', output="cupy"',
    )


def _arguments(args, kwargs):
    return ", ".join([*args, *(f"{name}={text}" for name, text in kwargs.items())])


def _function(name, imports):
    """How a program calls a function of scikit-image's, or what a sweep makes objects by."""
    if name.startswith("skimage."):
        return f"ski.{spoken(name)}"
    module, _, function = name.partition(":")
    imports.add(f"from {module} import {function}")
    return function


def _text(value, imports):
    """Python text of a value; adds what it needs to `imports`."""
    if isinstance(value, Same):
        return value.parameter
    if isinstance(value, Array):
        return _array(value, imports)
    if isinstance(value, Listed):
        text = _text(value.value, set())
        if "<" not in text:
            return text
        imports.add("from tests.fuzz.options import listed")
        return f"listed({value.name!r}, {value.parameter!r})[{value.number}]"
    if isinstance(value, list):
        return f"[{', '.join(_text(item, imports) for item in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(f'{_text(item, imports)}, ' for item in value)})"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return f"xp.asarray({_literal(value)})"
    if isinstance(value, np.generic) and value.dtype.char not in "gGM":
        return f"np.{type(value).__name__}({_text(value.item(), imports)})"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return f"{'-' * (value < 0)}10**{len(str(abs(value))) - 1}"
    name = getattr(value, "__name__", "")
    if callable(value) and getattr(np, name, None) is value:
        return f"np.{name}"
    number = next((n for n, odd in enumerate(ODD) if odd is value), None)
    text = repr(value)
    if number is not None and ("<" in text or isinstance(value, np.ndarray | np.generic)):
        imports.add("from tests.fuzz.odd import ODD")
        return f"ODD[{number}]"
    return text


def _array(array, imports):
    values = array.values()
    if values.size > _SHOWN:
        imports.add("from tests.fuzz.arrays import Array")
        own = array.own
        if isinstance(own, Input):
            imports.add("from tests.differential.inputs import Input")
            own = f"Input({own.content!r}, {own.shape}, {own.dtype!r})"
        elif own.size > _SHOWN:
            imports.add("from tests.fuzz.options import listed")
            own = _listed(own)
        else:
            own = _literal(own)
        usual = Array(None, (), "")
        options = "".join(
            f", {name}={_named(repr(getattr(array, name)))}"
            for name in ("content", "seed", "special", "layout", "swapped", "read_only")
            if getattr(array, name) != getattr(usual, name)
        )
        return f"Array({own}, {array.shape}, {array.dtype!r}{options}).made(xp)"
    text = _literal(values)
    if array.swapped:
        text += f".astype({values.dtype.newbyteorder('S').str!r})"
    if array.layout == "C" or not values.ndim:
        return f"xp.asarray({text})"
    imports.add("from tests.fuzz.arrays import laid_out")
    return f"laid_out(xp, {text}, {array.layout!r})"


def _listed(own):
    """Where a sweep has an array."""
    for sweep in SWEEP.values():
        names = (*sweep.call, *sweep.vary, *itertools.chain(*sweep.also))
        for parameter in dict.fromkeys(names):
            for number, value in enumerate(listed(sweep.name, parameter)):
                if value is own:
                    return f"listed({sweep.name!r}, {parameter!r})[{number}]"
    return _literal(own)  # inside of something else


def _literal(values):
    if values.size == 0:
        return f"np.zeros({values.shape}, {values.dtype.name!r})"
    with np.printoptions(threshold=10**6, floatmode="unique", linewidth=10**6):
        shown = " ".join(np.array2string(values, separator=", ").split())
    return f"np.array({_named(shown)}, {values.dtype.name!r})"


def _named(text):
    return text.replace("nan", "np.nan").replace("inf", "np.inf")
