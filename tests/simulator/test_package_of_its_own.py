"""`cuda_simulator` is no part of the backend: it runs where only itself is there."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_simulator
from cuda_simulator import settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(cuda_simulator.__file__).parent
PAGE = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
KNOWN = {
    *sys.stdlib_module_names,
    "cuda_simulator",
    "cupy",
    "cupyx",
    "cupy_backends",
    "numpy",
    "scipy",
}
OF_TESTS = {"packaging", "pytest"}  # cupy.testing alone
LIBRARIES = """
import sys

for name in ("skimage_gpu_backend", "skimage"):
    sys.modules[name] = None  # importing it fails
import cuda_simulator

cuda_simulator.activate()
import cupy
"""
KERNELS = """
twice = cupy.RawKernel(
    'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }', "twice"
)
x = cupy.arange(4, dtype=cupy.float32)
twice((1,), (4,), (x,))
print(x)
print(cupy.ElementwiseKernel("T x, T y", "T z", "z = x - y", "less")(x, x[::-1]))
print(cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(x), x.max())
print(sorted(name for name in sys.modules if "skimage" in name and sys.modules[name]))
"""


@pytest.fixture
def alone(tmp_path):
    """Runs a program where `cuda_simulator` is installed, and nothing that is beside it here."""
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "cuda_simulator", ignore=unwanted)

    def run(program, **variables):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("SKIMAGE_", "CUDA_"))}
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**inherited, "PYTHONPATH": str(tmp_path), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def imported(file):
    """Top-level names that a file imports, in functions too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def test_its_files_import_numpy_and_scipy_and_nothing_else():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 50
    for file in files:
        allowed = KNOWN | OF_TESTS if file.parent.name == "testing" else KNOWN
        assert set(imported(file)) <= allowed, file


def test_its_files_name_neither_the_backend_nor_scikit_image():
    for file in PACKAGE.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            named = re.findall(r"skimage\w*|scikit.image|cucim", file.read_text("utf-8"), re.I)
            # cuComplex's cuCimag, of which a macro pastes the end, is no cuCIM
            assert {*named} <= {"cuCim"}, file


def test_the_backend_knows_of_it_how_to_turn_it_on_and_what_both_keep_on_disk():
    known = set()
    package = ROOT / "skimage_gpu_backend"
    cpu = package / "devices" / "cpu"  # still compiles by the simulator's compiler
    for file in {*package.rglob("*.py")} - {*cpu.rglob("*.py")}:
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        names = {
            a.name for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names
        }
        modules = {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and not n.level}
        assert {m for m in modules if m.startswith("cuda_simulator")} <= {"cuda_simulator.kept"}, (
            file
        )
        assert not any(n.startswith("cuda_simulator.") for n in names), file
        known |= {
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "cuda_simulator"
        }
    assert known == {"activate", "active", "cache_folder", "NoCompilerError"}


def test_kernels_run_where_nothing_of_the_backend_is_there(alone):
    done = alone(LIBRARIES + KERNELS)
    assert done.stdout == "[0. 2. 4. 6.]\n[-6. -2.  2.  6.]\n12.0 6.0\n[]\n", done.stderr


@pytest.mark.thorough
def test_the_program_of_the_page_prints_what_the_page_says(alone):
    program, printed = re.search(
        r"## A program\n.*?```python\n(.*?)```\n.*?```text\n(.*?)```", PAGE, re.DOTALL
    ).groups()
    done = alone(program)
    assert done.stdout == printed, done.stderr


def test_each_of_its_variables_is_on_its_page():
    table = re.findall(r"^\| `(CUDA_SIMULATOR_\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(table) == sorted(settings.VARIABLES)
    in_docstring = re.findall(r"^``(CUDA_SIMULATOR_\w+)``", settings.__doc__, re.MULTILINE)
    assert sorted(in_docstring) == sorted(settings.VARIABLES)


@pytest.mark.thorough
def test_its_variables_count_and_are_its_own(alone):
    stand_in = "import cuda_simulator as s; s.activate(); import cupy; "
    count = stand_in + "print(cupy.cuda.runtime.getDeviceCount())"
    assert alone(count, CUDA_SIMULATOR_DEVICES="3").stdout == "3\n"
    assert alone(count, SKIMAGE_GPU_SIMULATOR_DEVICES="3").stdout == "1\n"


def test_kernels_are_kept_in_a_folder_of_its_own(alone, tmp_path):
    folder = "from cuda_simulator import settings; print(settings.cache_folder())"
    cache = str(tmp_path / "cache")
    assert alone(folder, XDG_CACHE_HOME=cache).stdout == f"{cache}/cuda-simulator\n"
    assert alone(folder, CUDA_SIMULATOR_CACHE=cache).stdout == f"{cache}\n"


def test_a_misspelt_variable_is_met_with_help(alone):
    program = "import cuda_simulator as s; s.activate(); s.activate()"
    wrong = {"CUDA_SIMULATOR_MOED": "strict", "CUDA_SIMULATOR_XYZZY": "1"}
    told = alone(program, **wrong).stderr
    assert told.count("CUDA_SIMULATOR_MOED is no variable") == 1
    assert "CUDA_SIMULATOR_MODE is meant?" in told
    assert "CUDA_SIMULATOR_XYZZY is no variable of the CUDA simulator; there are" in told
    assert alone(program, CUDA_SIMULATOR_MODE="strict").stderr == ""
