"""Kernels on the device under test: compiled once, kept, found again, refused in words."""

import multiprocessing
import os
import time

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import _compile, availability, use_backends
from skimage_gpu_backend.device import compile, cubins, launch, loading
from skimage_gpu_backend.trouble import DeviceTrouble, KernelCompileError

BROKEN = """#line 1 "color/broken.cu"
template <class T> __global__ void broken(T* out) {
  *out = nobody_knows;
}
"""
PUT = """#define CUDA_SIMULATOR_ANY_BLOCK_SIZE
template <int N> __global__ void put(int* out) { if (!threadIdx.x) *out = N; }
"""


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """Nothing is loaded, and the cache is an empty folder, the only one that is looked into."""
    from cuda_simulator import settings

    monkeypatch.setenv("CUDA_SIMULATOR_CACHE", str(settings.cache_folder()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SKIMAGE_GPU_KERNELS", raising=False)
    monkeypatch.setattr(cubins, "_installed", list)
    loading.forget()
    yield
    loading.forget()


@pytest.fixture
def text(monkeypatch):
    """Sets the text of every kernel file."""

    def of(text):
        monkeypatch.setattr(loading, "kernel_source", lambda name: text)

    return of


@pytest.fixture
def compiled(monkeypatch):
    """Expressions that the compiler was asked for."""
    real, asked = loading.compile_image, []

    def compile_image(text, source, expressions, target):
        asked.extend(expressions)
        return real(text, source, expressions, target)

    monkeypatch.setattr(loading, "compile_image", compile_image)
    return asked


def value(number):
    """What the kernel writes that is compiled to write `number`."""
    out = cp.zeros(1, np.int32)
    launch("util/put.cu", f"put<{number}>", (out,), work=1)
    return out.item()


def test_compile_error_names_file_line_and_specialization(text):
    text(BROKEN)
    with pytest.raises(KernelCompileError) as refused:
        launch("color/broken.cu", "broken<float>", (cp.empty(1, np.float32),), work=1)
    assert "kernel broken<float> of kernels/color/broken.cu" in str(refused.value)
    assert "color/broken.cu:2: " in str(refused.value)
    assert "nobody_knows" in str(refused.value)


def test_what_does_not_compile_is_not_compiled_at_each_call(text, compiled):
    text(BROKEN)
    for _ in range(3):
        with pytest.raises(KernelCompileError, match=r"color/broken\.cu:2: .*nobody_knows"):
            launch("color/broken.cu", "broken<float>", (cp.empty(1, np.float32),), work=1)
    assert compiled == ["broken<float>"]


def test_a_kernel_is_compiled_once_and_found_by_the_next_process(text, compiled):
    text(PUT)
    assert [value(1), value(2), value(1)] == [1, 2, 1]
    loading.forget()
    assert [value(2), value(1)] == [2, 1]
    assert compiled == ["put<1>", "put<2>"]
    text(PUT.replace("= N", "= N + 5"))
    loading.forget()
    assert value(1) == 6


def test_another_release_of_the_compiler_compiles_anew(text, compiled, monkeypatch):
    text(PUT)
    assert value(1) == 1
    monkeypatch.setattr("skimage_gpu_backend.device.compile.version", lambda: "99.0")
    loading.forget()
    assert value(1) == 1
    assert compiled == ["put<1>", "put<1>"]


def test_a_damaged_file_is_compiled_anew(text, compiled):
    text(PUT)
    assert value(1) == 1
    (file,) = (path for path in cubins.cache().folder.iterdir() if path.is_file())
    file.write_bytes(b"put<1>\0no machine code")
    for _ in range(2):
        loading.forget()
        assert value(1) == 1
    assert compiled == ["put<1>", "put<1>"]


def test_kernels_of_a_call_are_compiled_together(compiled, monkeypatch):
    tasks = []
    real = loading._compiled
    monkeypatch.setattr(
        loading, "_compiled", lambda kernels: tasks.append(len(kernels)) or real(kernels)
    )
    with use_backends("gpu"):
        ski.feature.canny(np.ones((200, 200)))
    assert max(tasks) > 1


def _with_text(text):
    loading.kernel_source = lambda name: text


def test_processes_that_need_the_same_kernel_do_not_disturb_each_other():
    with multiprocessing.get_context("spawn").Pool(4, _with_text, (PUT,)) as pool:
        numbers = [7, 7, 7, 7, 8, 8, 8, 8]
        assert pool.map_async(value, numbers, 1).get(60) == numbers
    files = list(cubins.cache().folder.iterdir())
    assert len(files) == 2


def test_archives_made_ahead_of_time_are_taken_first(text, compiled, tmp_path, monkeypatch):
    text(PUT)
    monkeypatch.setattr(_compile, "kernel_source", loading.kernel_source)
    kernels = [("util/put.cu", "put<1>"), ("util/put.cu", "put<2>")]
    monkeypatch.setattr(_compile.functions, "kernels", lambda: kernels)
    (tmp_path / "ahead").mkdir()
    path = tmp_path / "ahead" / "sm_90.zip"
    assert _compile.update(path, kernels[:1], "sm_90", 1) == []
    assert _compile.update(path, kernels[1:], "sm_90", 1) == []
    monkeypatch.setenv("SKIMAGE_GPU_KERNELS", f"{tmp_path / 'nowhere'}{os.pathsep}{path.parent}")
    assert [value(1), value(2)] == [1, 2]
    assert compiled == []
    assert value(3) == 3
    assert compiled == ["put<3>"]


def test_an_archive_that_is_none_or_for_another_device_is_passed_over(
    text, compiled, tmp_path, monkeypatch
):
    text(PUT)
    monkeypatch.setattr(_compile, "kernel_source", loading.kernel_source)
    monkeypatch.setattr("cuda_simulator.image._MAGIC", b"of another machine\n")
    monkeypatch.setattr(_compile.functions, "kernels", lambda: [("util/put.cu", "put<1>")])
    for name in "foreign", "broken":
        (tmp_path / name).mkdir()
    _compile.update(tmp_path / "foreign" / "sm_90.zip", [("util/put.cu", "put<1>")], "sm_90", 1)
    monkeypatch.undo()
    (tmp_path / "broken" / "sm_90.zip").write_bytes(b"no archive")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folders = os.pathsep.join(str(tmp_path / name) for name in ("foreign", "broken"))
    monkeypatch.setenv("SKIMAGE_GPU_KERNELS", folders)
    monkeypatch.setattr(loading, "kernel_source", lambda name: PUT)
    assert value(1) == 1


def test_a_kernel_that_does_not_compile_ahead_of_time_does_not_hinder_others(tmp_path, monkeypatch):
    monkeypatch.setattr(
        _compile, "kernel_source", lambda source: PUT if "put" in source else BROKEN
    )
    kernels = [("util/put.cu", "put<1>"), ("color/broken.cu", "broken<float>")]
    monkeypatch.setattr(_compile.functions, "kernels", lambda: kernels)
    (failed,) = _compile.update(tmp_path / "sm_90.zip", kernels, "sm_90", 2)
    assert "color/broken.cu:2: " in str(failed)
    archive = cubins.Archive(tmp_path / "sm_90.zip")
    assert archive.get(cubins.key(PUT, "put<1>", "sm_90"))


def test_a_gpu_that_is_newer_than_the_compiler_gets_code_that_its_driver_translates(
    text, monkeypatch
):
    text(PUT)
    known = int(availability.capability())
    monkeypatch.setattr(availability, "capability", lambda device=None: "999")
    monkeypatch.setattr(compile._nvrtc(), "getSupportedArchs", lambda: [70, known])
    assert value(1) == 1
    assert loading.target_of("999") == f"compute_{known}"


def test_a_gpu_that_is_too_old_is_told_so(monkeypatch):
    monkeypatch.setattr(availability, "capability", lambda device=None: "61")
    monkeypatch.setattr(availability, "_state", None)
    image = np.ones((200, 200))
    with (
        use_backends("gpu"),
        pytest.warns(DispatchNotification, match=r"capability 6\.1.* need 7\.0 or newer"),
    ):
        np.testing.assert_array_equal(ski.filters.sobel(image), 0)
    with pytest.raises(DeviceTrouble, match=r"capability 6\.1"):
        loading.target_of("61")


@pytest.fixture
def slow_compiler(text, monkeypatch):
    """One that takes longer than anybody waits without a message, and reports nothing yet."""
    text(PUT)
    real = loading.compile_image
    monkeypatch.setattr(loading, "LONG", 0.1)
    monkeypatch.setattr(loading, "reported", False)
    monkeypatch.setattr(loading, "_waited", 0.0)
    monkeypatch.setattr(loading, "compile_image", lambda *args: time.sleep(0.2) or real(*args))
    loading.asking.name = "skimage.filters:gaussian"


COMPILING = "skimage-gpu-backend: compiling a kernel for gaussian ..."
KEPT = "; compiled kernels are kept for later runs\n"


def test_a_long_compilation_is_reported_once_where_no_terminal_is(slow_compiler, capsys):
    for number in (1, 1, 2, 3):
        value(number)
    assert capsys.readouterr().err == COMPILING + KEPT


def test_short_compilations_add_up_to_a_long_one(slow_compiler, monkeypatch, capsys):
    monkeypatch.setattr(loading, "LONG", 10.0)
    value(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(loading, "LONG", loading._waited + 0.1)
    value(2)
    assert capsys.readouterr().err == COMPILING + KEPT


def test_each_long_compilation_is_reported_at_a_terminal(slow_compiler, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    value(1)
    value(2)
    value(2)
    assert capsys.readouterr().err == f"{COMPILING}{KEPT}{COMPILING}\n"


@pytest.mark.thorough
def test_a_cache_folder_that_cannot_be_used_ends_no_script(python, tmp_path):
    (tmp_path / "file").write_text("")
    script = python.script(
        "import logging\n"
        "logging.basicConfig()\n"
        "import numpy as np, skimage as ski\n"
        "print(ski.util.invert(np.zeros((40, 40), np.uint8)).sum())\n"
    )
    done = python(
        script,
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
        SKIMAGE_BACKENDS_NOTIFY="all",
        XDG_CACHE_HOME=str(tmp_path / "file"),
    )
    assert done.stdout == f"{40 * 40 * 255}\n"
    assert "was dispatched to the 'gpu' backend" in done.stderr
    assert "cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_commands_tell_what_is_kept_and_clear_it(python, tmp_path):
    def command(*words, **environment):
        return python(
            "-m",
            "skimage_gpu_backend",
            *words,
            SKIMAGE_GPU_SIMULATOR="1",
            XDG_CACHE_HOME=str(tmp_path),
            **environment,
        ).stdout

    kept = tmp_path / "skimage-gpu-backend" / "kernels" / "nvrtc-12.9"
    kept.mkdir(parents=True)
    (kept / "some").write_bytes(bytes(2500))
    assert "2.5 kB" in command("cache")
    command("cache", "--clear")
    assert not kept.exists()


def test_nothing_is_compiled_by_cupy_with_its_own_options(compiled, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("CuPy's own compilation")

    monkeypatch.setattr(cp, "RawModule", refuse)
    monkeypatch.setattr(cp, "RawKernel", refuse)
    image = np.eye(200)
    expected = ski.filters.sobel(image)
    with use_backends("gpu"):
        np.testing.assert_allclose(ski.filters.sobel(image), expected, atol=1e-12)
    assert compiled
