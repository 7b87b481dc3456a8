"""From the text of a CUDA module to its kernels, compiled for the host."""

import ctypes
import os
import platform
import re
import shutil
import threading
from dataclasses import dataclass

from . import compiler, settings, translate
from .engine import engine, sanitizer_flags

# A source that says this (with #define) is correct for any block size, one thread included.
ANY_BLOCK_SIZE = "CUDA_SIMULATOR_ANY_BLOCK_SIZE"

HEADER = "arithmetic.hpp"
_UNIT = """\
#include "cuda.hpp"
{lockstep}{definitions}{includes}
{open}
#line 1 "kernel.cu"
{code}
#line 1 "name expression"
{close}
namespace cu_module {{ namespace {{
constexpr SimEntry sim_table[] = {{
{entries}
}};
}}
#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
SIM_EXPORT const SimEntry* sim_entries() {{ return sim_table; }}
SIM_EXPORT SIM_OUTSIDE void sim_attach(const SimApi* api) {{ sim_api = api; }}
{variables}
}}
"""
_VARIABLE = """\
SIM_EXPORT const void* sim_variable_{name}() {{ return &{name}; }}
SIM_EXPORT unsigned long long sim_size_{name}() {{ return sizeof({name}); }}
"""
_KERNEL_NAME = re.compile(
    r"\b__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+"
    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\("
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)(?:\\\n|[^\n])*$", re.MULTILINE)
_VARIABLE_NAME = re.compile(
    r"^[ \t]*(?:(?:static|volatile|__constant__|__device__)\s+)*(?:__constant__|__device__)\s+"
    r"[^;(){}=]*?\b(?!operator\b)(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|;|\{)",
    re.MULTILINE,
)
_WARP = re.compile(
    r"\b(__shfl\w*_sync|__ballot_sync|__any_sync|__all_sync|__match_\w+_sync|__reduce_\w+_sync"
    r"|__syncwarp|__activemask|warpSize)\b"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

# Results are the ones of IEEE arithmetic in the order of the source (no -ffast-math), yet
# loops are vectorized: neither errno nor floating-point traps are looked at.
_FLOATING = ("-fno-math-errno", "-fno-trapping-math")
# Across statements and functions, as NVIDIA's compiler does it unless told otherwise.
_CONTRACTED = ("-ffp-contract=fast", "-fexpensive-optimizations", "-DSIM_CONTRACT")
KERNEL = ("-w", "-fno-exceptions", "-fno-rtti", "-fdiagnostics-color=never")
_FAST = ("-O3", "-march=native", "-fopenmp-simd")
_LOCKSTEP = ("-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")


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
        ("watched", ctypes.c_void_p),
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
    lockstep: bool
    library: ctypes.CDLL


@dataclass(frozen=True)
class Module:
    """A compiled module: its kernels by name, and the library that they live in."""

    entries: dict[str, Entry]
    library: ctypes.CDLL

    def variable(self, name: str) -> tuple[int, int]:
        """Address and size of a ``__device__`` or ``__constant__`` variable; else KeyError."""
        try:
            address, size = self.library[f"sim_variable_{name}"], self.library[f"sim_size_{name}"]
        except AttributeError:
            raise KeyError(name) from None
        address.restype = ctypes.c_void_p
        size.restype = ctypes.c_ulonglong
        return address(), size()


def load(
    code: str,
    expressions: tuple[str, ...],
    key: tuple,
    options: tuple[str, ...] = (),
    api: int | None = None,
) -> Module:
    """Kernels of a module by name expression; `key` is what `build_key` gave.

    They call the functions of the `SimApi` at the address `api`, by default of the engine's.
    """
    strict, sanitizers, is_lockstep, optimize, rounding = key
    promised = is_for_any_block_size(code)
    flat = promised and not strict and not uses_warps(code)
    # Foreign modules are many and run seldom: the compiler's time counts.
    flags = [*floating(rounding), *KERNEL]
    fast = promised and not strict and optimize
    flags += _FAST if fast else quick(rounding)
    if flat:
        flags.append("-DSIM_FLAT")
    if fast and compiler.has_vector_math():
        flags.append("-DSIM_LIBMVEC")
    lockstep = is_lockstep and not promised and "__shared__" in code and compiler.is_gcc()
    if lockstep:
        flags += _LOCKSTEP
    source = translate.source(code)
    apart = source.has_std
    unit = _UNIT.format(
        lockstep='#include "lockstep.hpp"\n' if lockstep else "",
        definitions=translate.definitions(options),
        includes=source.includes,
        open="" if apart else "namespace cu_module { namespace {",
        code=source.code,
        close="" if apart else "} }",
        entries="\n".join(f"sim::Entry<(&{e})>::describe({_quoted(e)})," for e in expressions),
        variables="".join(_VARIABLE.format(name=n) for n in _variables(code)),
    )
    _, library = build(unit, flags, sanitizers, HEADER, api)
    library.sim_entries.restype = ctypes.POINTER(_Entry)
    table = library.sim_entries()
    return Module(
        {e: _entry(table[i], (flat, lockstep), library) for i, e in enumerate(expressions)}, library
    )


_attached = {}  # handle of an open library -> address of the `SimApi` that it calls
_attaching = threading.Lock()


def build(
    unit: str,
    flags: list[str],
    sanitizers: tuple[str, ...],
    header: str = "",
    api: int | None = None,
):
    """Path and opened library of a unit that the engine's functions are attached to."""
    libraries = ["-lm"]
    if "-DSIM_LIBMVEC" in flags:
        libraries.insert(0, "-lmvec")
    if sanitizers:
        flags = [*flags, "-DSIM_ONE_THREAD", *sanitizer_flags(sanitizers)]
    elif compiler.is_gcc():
        # a third of a small kernel's time goes into looking for libraries that it does not use
        libraries = ["-nostdlib", *libraries, "-lgcc"]
    path = compiler.compile_library(unit, tuple(flags), tuple(libraries), header)
    return path, _opened(path, api or engine().sim_engine_api())


def _opened(path, api):
    """The opened library, which calls the functions of the `SimApi` at this address."""
    opened = ctypes.CDLL(str(path))
    # not again where it is open already: the host thread that ran its kernels has no thread of
    # theirs any more, which what is compiled for lockstep would ask at each access
    with _attaching:
        if opened._handle not in _attached:
            opened.sim_attach(ctypes.c_void_p(api))
            _attached[opened._handle] = api
    if _attached[opened._handle] == api:
        return opened
    copy = path.with_suffix(".copy.so")  # open twice, a file is one library to the linker
    if not copy.exists():
        scratch = path.with_suffix(f".{threading.get_ident()}.{os.getpid()}.tmp")
        shutil.copyfile(path, scratch)
        os.replace(scratch, copy)
    return _opened(copy, api)


def kernel_names(code: str) -> tuple[str, ...]:
    """Names of a source's kernels that are surely there and no templates."""
    code = _unconditional(code)
    matches = _KERNEL_NAME.finditer(code)
    names = [m[1] for m in matches if not code[: m.start()].rstrip().endswith(">")]
    return tuple(dict.fromkeys(names))


def _variables(code):
    if "__constant__" not in code and "__device__" not in code:
        return ()
    return tuple(dict.fromkeys(_VARIABLE_NAME.findall(_unconditional(code))))


def _unconditional(code):
    """A source without comments, directives, and what stands under a condition."""
    code = without_comments(code)
    parts, start, depth = [], 0, 0
    for directive in _DIRECTIVE.finditer(code):
        if depth == 0:
            parts.append(code[start : directive.start()])
        depth += directive[1].startswith("if")
        depth -= directive[1] == "endif"
        start = directive.end()
    return "".join([*parts, code[start:]])


def build_key() -> tuple:
    """What decides, beside the source, how a module is compiled."""
    sanitizers = settings.sanitizers()
    lockstep = settings.lockstep() and not sanitizers
    return settings.strict(), sanitizers, lockstep, settings.optimize(), settings.rounding()


def floating(rounding: tuple[str, ...]) -> tuple[str, ...]:
    """Flags for how floating-point arithmetic is compiled."""
    if "contract" not in rounding:
        return (*_FLOATING, "-ffp-contract=off")
    has_flag = platform.machine() == "x86_64"  # elsewhere each processor has the instruction
    return (*_FLOATING, *_CONTRACTED, *(("-mfma",) if has_flag else ()))


def quick(rounding: tuple[str, ...]) -> tuple[str, ...]:
    """Flags for what is compiled more often than it runs."""
    # -Og takes two thirds of the time of -O1 for code that is as fast, but fuses nothing
    return "-O1" if "contract" in rounding else "-Og", "-fno-strict-aliasing"


def is_for_any_block_size(code: str) -> bool:
    """Whether a module says that it is correct for any block size."""
    return f"#define {ANY_BLOCK_SIZE}" in code


def uses_warps(code: str) -> bool:
    """Whether a module needs its real block size because it uses warp operations."""
    return _WARP.search(without_comments(code)) is not None


def without_comments(code: str) -> str:
    """A source with a space in place of each comment."""
    return _COMMENT.sub(" ", code)


def _entry(raw, ways, library):
    parameters = tuple(
        Parameter(p.kind.decode(), p.element_kind.decode(), p.size, p.offset, p.element_size)
        for p in raw.parameters[: raw.parameter_count]
    )
    name = raw.name.decode()
    address = ctypes.addressof(raw)
    return Entry(name, address, parameters, raw.arguments_size, *ways, library)


def _quoted(expression):
    return '"' + expression.replace("\\", "\\\\").replace('"', '\\"') + '"'
