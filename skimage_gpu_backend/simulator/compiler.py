"""Runs the host's C++ compiler and keeps what it made.

Libraries are kept in a folder under a name that is the hash of everything they were made
from; they appear there by an atomic rename, so that processes may share the folder.
"""

import functools
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from . import settings
from .errors import NoCompilerError

RUNTIME = Path(__file__).resolve().parent / "runtime"

_COMMON = ("-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden")
_failures: dict[str, str] = {}
_lock = threading.RLock()


class CompileError(Exception):
    """The compiler's log."""


def compile_library(text: str, flags: tuple[str, ...], libraries: tuple[str, ...] = ()) -> Path:
    """Shared library made from C++ text; from the cache where it was made before.

    Raises
    ------
    CompileError
        With the compiler's log; at once where the same text failed before.
    NoCompilerError
        Where there is no compiler.
    """
    command = (*compiler(), *_COMMON, *flags)
    identity = "\0".join((*command, *libraries, compiler_version(), cpu(), runtime_digest(), text))
    key = hashlib.sha256(identity.encode()).hexdigest()[:40]
    folder = settings.cache_folder() / key[:2]
    library = folder / f"{key}.so"
    if library.exists():
        return library
    with _lock:
        if key in _failures:
            raise CompileError(_failures[key])
        folder.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(suffix=".tmp", dir=folder)
        os.close(handle)
        try:
            arguments = ["-I", str(RUNTIME), "-x", "c++", "-", "-o", scratch, *libraries]
            done = subprocess.run(
                [*command, *arguments], input=text, capture_output=True, text=True, check=False
            )
            if done.returncode:
                _failures[key] = done.stderr
                raise CompileError(done.stderr)
            os.replace(scratch, library)
        finally:
            Path(scratch).unlink(missing_ok=True)
    return library


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


def has_vector_math() -> bool:
    """Whether g++ can call vector variants of all functions that math.hpp declares."""
    return "clang" not in compiler_version() and _glibc_has_vector_math()


@functools.cache
def _glibc_has_vector_math():
    library, version = platform.libc_ver()
    if library != "glibc" or platform.machine() != "x86_64":
        return False
    return tuple(map(int, version.split(".")[:2])) >= (2, 35)
