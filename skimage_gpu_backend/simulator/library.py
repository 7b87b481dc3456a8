"""From the text of a CUDA module to its kernels, compiled for the host."""

import ctypes
import re
from dataclasses import dataclass

from . import compiler, settings
from .engine import engine, sanitizer_flags

_UNIT = """\
#include "cuda.hpp"
namespace cu_module {{ namespace {{
#line 1 "kernel.cu"
{code}
#line 1 "name expression"
constexpr SimEntry sim_table[] = {{
{entries}
}};
}} }}
#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
SIM_EXPORT const SimEntry* sim_entries() {{ return cu_module::sim_table; }}
SIM_EXPORT void sim_attach(const SimApi* api) {{ sim_api = api; }}
"""
_WARP = re.compile(
    r"\b(__shfl\w*_sync|__ballot_sync|__any_sync|__all_sync|__match_\w+_sync|__reduce_\w+_sync"
    r"|__syncwarp|__activemask|warpSize)\b"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

# Results are the ones of IEEE arithmetic in the order of the source (no -ffast-math), yet
# loops are vectorized: neither errno nor floating-point traps are looked at.
_FLOATING = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
_KERNEL = ("-w", "-fno-exceptions", "-fno-rtti", "-fdiagnostics-color=never")
_FAST = ("-O3", "-march=native", "-fopenmp-simd")


class _Parameter(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_char),
        ("element_kind", ctypes.c_char),
        ("size", ctypes.c_uint),
        ("offset", ctypes.c_uint),
        ("element_size", ctypes.c_uint),
    )


class _Entry(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("parameter_count", ctypes.c_uint),
        ("arguments_size", ctypes.c_uint),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("blocks", ctypes.c_void_p),
        ("thread", ctypes.c_void_p),
        ("touch", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Parameter:
    """One kernel parameter; `kind` and `element_kind` as in ``runtime/interface.hpp``."""

    kind: str
    element_kind: str
    size: int
    offset: int
    element_size: int


@dataclass(frozen=True)
class Entry:
    """One specialization of one kernel, ready to be launched by the engine."""

    name: str
    address: int
    parameters: tuple[Parameter, ...]
    arguments_size: int
    flat: bool
    library: ctypes.CDLL


def load(code: str, expressions: tuple[str, ...], build: tuple) -> dict[str, Entry]:
    """Kernels of a module by name expression; `build` is what `build_key` gave."""
    strict, sanitizers = build
    flat = not strict and not uses_warps(code)
    flags = [*_FLOATING, *_KERNEL, *(_FAST if not strict else ("-O1",))]
    if flat:
        flags.append("-DSIM_FLAT")
    if sanitizers:
        flags.append("-DSIM_ONE_THREAD")
    libraries = ["-lm"]
    if not strict and compiler.has_vector_math():
        flags.append("-DSIM_LIBMVEC")
        libraries.insert(0, "-lmvec")
    flags += sanitizer_flags(sanitizers)
    entries = "\n".join(f"sim::Entry<(&{e})>::describe({_quoted(e)})," for e in expressions)
    text = _UNIT.format(code=code, entries=entries)
    path = compiler.compile_library(text, tuple(flags), tuple(libraries))
    library = ctypes.CDLL(str(path))
    library.sim_attach(ctypes.c_void_p(engine().sim_engine_api()))
    library.sim_entries.restype = ctypes.POINTER(_Entry)
    table = library.sim_entries()
    return {e: _entry(table[i], flat, library) for i, e in enumerate(expressions)}


def build_key() -> tuple:
    """What decides, beside the source, how a module is compiled."""
    return settings.strict(), settings.sanitizers()


def uses_warps(code: str) -> bool:
    """Whether a module needs its real block size because it uses warp operations."""
    return _WARP.search(_COMMENT.sub(" ", code)) is not None


def _entry(raw, flat, library):
    parameters = tuple(
        Parameter(p.kind.decode(), p.element_kind.decode(), p.size, p.offset, p.element_size)
        for p in raw.parameters[: raw.parameter_count]
    )
    name = raw.name.decode()
    address = ctypes.addressof(raw)
    return Entry(name, address, parameters, raw.arguments_size, flat, library)


def _quoted(expression):
    return '"' + expression.replace("\\", "\\\\").replace('"', '\\"') + '"'
