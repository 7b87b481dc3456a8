"""Runs the host's C++ compiler and keeps what it made.

Libraries are kept in a folder under a name that is the hash of everything they were made
from; they appear there by an atomic rename, so that processes may share the folder.
"""

import collections
import functools
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from . import kept, settings
from .errors import NoCompilerError

RUNTIME = Path(__file__).resolve().parent / "runtime"

_COMMON = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-pipe")
_RUNTIME = ("-I", str(RUNTIME))
_CUDA = (*_RUNTIME, "-I", str(RUNTIME / "include"))  # hides some of the host's headers
_LIMIT = 1 << 30  # bytes of the cache


def _renew_locks():
    global _locks, _header_lock
    _locks = collections.defaultdict(threading.Lock)  # by library: different ones side by side
    _header_lock = threading.Lock()


_renew_locks()
os.register_at_fork(after_in_child=_renew_locks)  # a thread that is not there may hold one


class CompileError(Exception):
    """The compiler's log."""


def compile_library(
    text: str,
    flags: tuple[str, ...],
    libraries: tuple[str, ...] = (),
    header: str = "",
    is_cuda: bool = True,
) -> Path:
    """Shared library made from C++ text; from the cache where it was made before.

    Parameters
    ----------
    text : str
        One translation unit.
    flags, libraries : tuple of str
        For the compiler and the linker.
    header : str
        A header of the runtime that the text begins with; it is precompiled.
    is_cuda : bool
        Whether the text sees CUDA's and CuPy's headers; else it sees the host's.

    Raises
    ------
    CompileError
        With the compiler's log; at once where the same text failed before, in whichever
        process.
    NoCompilerError
        Where there is no compiler.
    """
    command = (*compiler(), *_COMMON, *flags)
    key = _key(*command, *libraries, header, str(is_cuda), text)
    cache = _cache(settings.cache_folder())
    folder = cache.folder / key[:2]
    library = folder / f"{key}.so"
    log = folder / f"{key}.log"
    with _locks[key]:
        if library.exists():
            kept.used(library)
            return library
        if log.exists():
            raise CompileError(log.read_text())
        folder.mkdir(parents=True, exist_ok=True)
        first = ()
        if header:
            with _header_lock:
                first = _precompiled(header, flags, cache.folder)
        includes = _CUDA if is_cuda else _RUNTIME
        arguments = [*includes, "-shared", *first, "-x", "c++", "-", *libraries]
        done = _run([*command, *arguments], library, text)
        if done.returncode:
            if _is_final(done):
                log.write_text(done.stderr)
            raise CompileError(done.stderr)
        cache.stored()
    return library


@functools.cache
def _cache(folder):
    return kept.Kept(folder, _LIMIT, "??/*")


@functools.cache
def _precompiled(header, flags, cache):
    """Arguments that include a header of the runtime, precompiled with these flags."""
    command = (*compiler(), *_COMMON, *flags)
    folder = cache / "headers" / _key(*command, header)
    unit = folder / "unit.hpp"
    compiled = folder / "unit.hpp.gch"
    if not compiled.exists():
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f"unit.{os.getpid()}.tmp"
        scratch.write_text(f'#include "{header}"\n')
        os.replace(scratch, unit)  # another process may be reading it
        # where this fails, the text's own compilation includes the header and says why
        _run([*command, *_CUDA, "-x", "c++-header", str(unit)], compiled, "")
    return ("-include", str(unit))


def _run(command, result, text):
    """Run the compiler; `result` appears whole or not at all."""
    handle, scratch = tempfile.mkstemp(suffix=".tmp", dir=result.parent)
    os.close(handle)
    try:
        done = subprocess.run(
            [*command, "-o", scratch], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            os.replace(scratch, result)
    finally:
        Path(scratch).unlink(missing_ok=True)
    return done


def _is_final(done):
    """Whether a failure is the text's and not the machine's (memory, disk, a signal)."""
    return (
        done.returncode == 1
        and "error:" in done.stderr
        and not re.search("internal compiler error|fatal error:", done.stderr)
    )


def _key(*parts):
    identity = "\0".join((*parts, compiler_version(), cpu(), runtime_digest()))
    return hashlib.sha256(identity.encode()).hexdigest()[:40]


def compiler() -> tuple[str, ...]:
    """The C++ compiler's command: ``CXX``, else g++, else clang++."""
    return _find_compiler(os.environ.get("CXX"), os.environ.get("PATH"))


@functools.cache
def _find_compiler(named, path):
    candidates = [shlex.split(named)] if named else [["g++"], ["clang++"]]
    for command in candidates:
        if found := shutil.which(command[0], path=path):
            return (found, *command[1:])
    missing = f"CXX names {named!r}, which is not there" if named else "none was found"
    raise NoCompilerError(
        f"the simulator needs a C++ compiler, and {missing}: install g++ "
        "(Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; conda: "
        "conda install -c conda-forge gxx) or set CXX"
    )


def compiler_version() -> str:
    """First line of the compiler's ``--version``."""
    return _version(compiler())


@functools.cache
def _version(command):
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


@functools.cache
def cpu() -> str:
    """What ``-march=native`` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model name", "flags", "Features")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))


@functools.cache
def runtime_digest() -> str:
    """Hash of the runtime's headers, which every library includes."""
    digest = hashlib.sha256()
    for file in sorted(RUNTIME.rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()


def is_gcc() -> bool:
    """Whether the compiler is g++ on Linux, whose libraries may be named one by one."""
    return "clang" not in compiler_version() and platform.system() == "Linux"


def has_vector_math() -> bool:
    """Whether g++ can call vector variants of all functions that math.hpp declares."""
    return "clang" not in compiler_version() and _glibc_has_vector_math()


@functools.cache
def _glibc_has_vector_math():
    library, version = platform.libc_ver()
    if library != "glibc" or platform.machine() != "x86_64":
        return False
    return tuple(map(int, version.split(".")[:2])) >= (2, 35)
