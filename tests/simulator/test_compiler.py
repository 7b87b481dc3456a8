"""Compiling kernels with the host's compiler: once, safely, and with clear errors."""

import multiprocessing
import os
import shutil

import cupy as cp
import pytest

from cuda_simulator import NoCompilerError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
GOOD = """#define CUDA_SIMULATOR_ANY_BLOCK_SIZE
template <int N> __global__ void put(int* out) { if (!threadIdx.x) *out = N; }
"""
BAD = """#line 1 "color/planted.cu"
template <class T> __global__ void broken(T* out) {
    *out = undeclared_name;
}
"""


def value(number, code=GOOD):
    """Compiles and runs the kernel that writes `number`."""
    out = cp.zeros(1, cp.int32)
    module = cp.RawModule(code=code, name_expressions=(f"put<{number}>",))
    module.get_function(f"put<{number}>")((1,), (1,), (out,))
    return out.item()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder of compiled kernels."""
    value(0)  # the engine is there before
    folder = tmp_path / "cache"
    monkeypatch.setenv("CUDA_SIMULATOR_CACHE", str(folder))
    return folder


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Counts how often the compiler has been asked for a library."""
    real = shutil.which("g++") or shutil.which("clang++")
    log = tmp_path / "log"
    script = tmp_path / "cxx"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *" -shared "*) echo run >> {log};; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    return lambda: log.read_text().count("run") if log.exists() else 0


def test_a_kernel_is_compiled_once_and_found_again(cache, runs):
    assert [value(11), value(11), value(12), value(11)] == [11, 11, 12, 11]
    assert runs() == 2
    assert len(list(cache.rglob("*.so"))) == 2
    assert not list(cache.rglob("*.tmp"))


def test_other_code_mode_or_compiler_is_another_library(cache, runs, monkeypatch):
    for mode in ("fast", "strict", "fast"):
        monkeypatch.setenv("CUDA_SIMULATOR_MODE", mode)
        value(13)
    assert runs() == 2
    value(13, GOOD + "\n// another text")
    assert runs() == 3
    monkeypatch.setenv("CXX", os.environ["CXX"] + " -g")
    value(13)
    assert runs() == 4


def test_expressions_that_are_asked_for_together_are_compiled_together(cache, runs):
    names = tuple(f"put<{n}>" for n in range(20, 26))
    module = cp.RawModule(code=GOOD, name_expressions=names)
    out = cp.zeros(1, cp.int32)
    for n, name in enumerate(names, 20):
        module.get_function(name)((1,), (1,), (out,))
        assert out.item() == n
    assert runs() == 1


def test_a_compile_error_names_file_and_line_and_is_remembered(cache, runs):
    for _ in range(3):
        module = cp.RawModule(code=BAD, name_expressions=("broken<float>",))
        with pytest.raises(cp.cuda.compiler.CompileException) as caught:
            module.get_function("broken<float>")
        assert "color/planted.cu:2:" in str(caught.value)
        assert "error" in str(caught.value)
        assert "undeclared_name" in str(caught.value)
    assert runs() == 1


def test_a_header_that_is_missing_is_looked_for_again(cache, tmp_path):
    header = tmp_path / "planted.h"
    code = f'#include "{header}"\n{GOOD}'
    with pytest.raises(cp.cuda.compiler.CompileException, match="No such file"):
        value(51, code)
    header.touch()
    assert value(51, code) == 51


def test_a_specialization_that_does_not_exist_is_a_compile_error(cache):
    module = cp.RawModule(code=GOOD, name_expressions=("put<float>",))
    with pytest.raises(cp.cuda.compiler.CompileException, match="put<float>"):
        module.get_function("put<float>")


def test_a_function_that_was_not_named_is_refused(cache):
    module = cp.RawModule(code=GOOD, name_expressions=("put<1>",))
    with pytest.raises(ValueError, match="put<2>"):
        module.get_function("put<2>")


def test_without_a_compiler_one_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NoCompilerError, match=r"needs a C\+\+ compiler.*apt install g\+\+"):
        value(31)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(NoCompilerError, match="CXX names 'no-such-compiler'"):
        value(31)


def test_processes_that_compile_the_same_kernel_do_not_disturb_each_other(cache):
    context = multiprocessing.get_context("fork")
    with context.Pool(4) as pool:
        assert (
            pool.map_async(value, [41, 41, 41, 41, 42, 42, 42, 42], 1).get(60)
            == [41] * 4 + [42] * 4
        )
    assert len(list(cache.rglob("*.so"))) == 2
    assert not list(cache.rglob("*.tmp"))
