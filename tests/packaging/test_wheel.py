"""The package as users install it: from a wheel, and as an editable checkout."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PTH = "zz_skimage_gpu_backend.pth"


def build(directory, *options):
    """Path of the wheel that hatchling builds from the checkout, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory]
    subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Python of a fresh environment that has the wheel, and all else from this one."""
    directory = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(directory, with_pip=False, symlinks=True)
    python = directory / "bin" / "python"
    sites = directory / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", sites, wheel], check=True, capture_output=True)
    # added at the end of the path, as plain folder: its own .pth files are not processed
    outer = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (sites / "a_outer.pth").write_text("\n".join(outer) + "\n")
    return python


def files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_every_kernel_the_runtime_and_the_start_up_file(wheel):
    names = set(files(wheel))
    needed = {
        f"skimage_gpu_backend/kernels/{path.relative_to(ROOT / 'kernels')}"
        for pattern in ("*.cu", "*.cuh")
        for path in (ROOT / "kernels").rglob(pattern)
    }
    needed.add("skimage_gpu_backend/examples/immunohistochemistry.py")
    needed |= {
        str(path.relative_to(ROOT))
        for package in ("skimage_gpu_backend", "cuda_simulator")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert len(needed) > 20
    assert "cuda_simulator/runtime/engine.cpp" in needed
    assert needed <= names
    assert PTH in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_nothing_else(wheel):
    allowed = ("skimage_gpu_backend/", "cuda_simulator/", "skimage_gpu_backend-")
    assert {name for name in files(wheel) if not name.startswith(allowed)} == {PTH}


def test_an_editable_install_has_the_start_up_file_the_checkout_and_no_kernels(tmp_path):
    code = (
        "import sys; from hatchling.build import build_editable; print(build_editable(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True, capture_output=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = files(wheel)
    assert PTH in names
    assert not [name for name in names if name.endswith(".cu")]
    # processed in alphabetical order: ours finds the package that the other one names
    (editable,) = (name for name in names if name.endswith(".pth") and name != PTH)
    assert editable < PTH
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(editable).decode().split() == [str(ROOT)]
    assert (ROOT / "cuda_simulator" / "__init__.py").is_file()


def test_an_installed_wheel_runs_an_unchanged_script(installed, python, tmp_path):
    python.path.clear()
    script = python.script(
        "import numpy as np\n"
        "import skimage as ski\n"
        "image = np.linspace(0, 1, 300).reshape(10, 10, 3)\n"
        "print(float(ski.metrics.mean_squared_error(image, image / 2)))\n"
    )
    environment = {
        "SKIMAGE_BACKENDS": "gpu",
        "SKIMAGE_GPU_SIMULATOR": "1",
        "SKIMAGE_BACKENDS_MIN_SIZE": "0",
        "SKIMAGE_BACKENDS_NOTIFY": "all",
    }
    done = python(script, python=installed, **environment)
    assert "'skimage.metrics:mean_squared_error' was dispatched to the 'gpu'" in done.stderr
    plain = python(script, python=installed)
    assert plain.stderr == ""
    assert float(done.stdout) == pytest.approx(float(plain.stdout), rel=1e-10)


@pytest.mark.thorough
def test_the_script_of_the_proposal_runs_on_cucim(installed, python):
    python.path.clear()
    script = python.script(
        "import os\n"
        "from skimage.metrics import mean_squared_error\n"
        "import cupy as cp\n"
        "os.environ['SKIMAGE_BACKENDS'] = 'cucim'\n"
        "img0 = cp.random.randint(0, 256, (256, 256, 3), dtype=cp.uint8)\n"
        "img1 = cp.random.randint(0, 256, (256, 256, 3), dtype=cp.uint8)\n"
        "print(mean_squared_error(img0, img1))\n"
        "a, b = (cp.asnumpy(image) / 1 for image in (img0, img1))\n"
        "print(((a - b) ** 2).mean())\n"
    )
    done = python(script, python=installed, SKIMAGE_GPU_SIMULATOR="1")
    assert "'skimage.metrics:mean_squared_error' was dispatched to the 'cucim'" in done.stderr
    printed, expected = map(float, done.stdout.split())
    assert printed == pytest.approx(expected, rel=1e-6)


def test_what_runs_is_what_was_installed(installed, python):
    python.path.clear()
    code = (
        "import cuda_simulator, skimage_gpu_backend\n"
        "from skimage_gpu_backend.device.source import KERNELS\n"
        "print(skimage_gpu_backend.__file__, KERNELS, cuda_simulator.__file__)\n"
    )
    places = python("-c", code, python=installed, SKIMAGE_GPU_SIMULATOR="1").stdout.split()
    assert len(places) == 3
    assert all(place.startswith(str(installed.parent.parent)) for place in places)


def test_upstream_s_own_dispatcher_finds_both_backends(installed, python):
    python.path.clear()
    code = (
        "from skimage.util._backends import all_backends\n"
        "found = all_backends()\n"
        "print(*sorted(found))\n"
        "for name in ('cucim', 'gpu'):\n"
        "    assert found[name]['info'].supported_functions\n"
        "    assert found[name]['implementation'].load().can_has\n"
    )
    assert {"cucim", "gpu"} <= set(python("-c", code, python=installed).stdout.split())


def test_nothing_of_ours_is_imported_at_start_where_nothing_is_selected(installed, python):
    python.path.clear()
    code = "import sys; print([m for m in sys.modules if 'skimage' in m])"
    assert python("-c", code, python=installed).stdout == "[]\n"
    done = python("-c", code, python=installed, SKIMAGE_BACKENDS="gpu")
    assert "skimage_gpu_backend.dispatch.hook" in done.stdout
