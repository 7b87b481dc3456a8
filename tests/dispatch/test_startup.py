"""What happens when Python starts, with the variables set and without."""

from pathlib import Path

import pytest

ROOT = str(Path(__file__).parent.parent.parent)

SHOW = (
    "import sys; print('hook' if any('skimage_gpu' in type(f).__module__ for f in sys.meta_path)"
    " else 'nothing', sum(m.partition('.')[0] == 'skimage_gpu_backend' for m in sys.modules))"
)


def test_nothing_is_imported_where_nothing_is_selected(python):
    assert python("-c", SHOW).stdout == "nothing 0\n"
    assert python("-c", SHOW, SKIMAGE_NO_DISPATCHING="1").stdout == "nothing 0\n"


@pytest.mark.parametrize(
    "variable", ["SKIMAGE_BACKENDS", "SKIMAGE_DISPATCHING", "SKIMAGE_BACKEND_PRIORITY"]
)
def test_each_selecting_variable_installs_the_hook(variable, python):
    assert python("-c", SHOW, **{variable: "gpu"}).stdout.startswith("hook")


def test_the_start_imports_neither_numpy_nor_scikit_image(python):
    code = "import sys; print([m for m in ('numpy', 'skimage', 'cupy') if m in sys.modules])"
    assert python("-c", code, SKIMAGE_BACKENDS="gpu").stdout == "[]\n"


def test_the_simulator_is_put_in_the_place_of_cupy(python):
    code = "import cupy; print(cupy.__file__)"
    assert "simulator" in python("-c", code, SKIMAGE_GPU_SIMULATOR="1").stdout


def test_the_file_may_be_processed_twice(python):
    twice = "import os, site\nsite.addsitedir(os.environ['ROOT'])\n"
    code = f"{twice}import sys; print(len(sys.meta_path) - len(set(map(type, sys.meta_path))))"
    done = python("-c", code, SKIMAGE_BACKENDS="gpu", SKIMAGE_GPU_SIMULATOR="1", ROOT=ROOT)
    assert done.stderr == ""
    assert done.stdout == python("-c", code, ROOT=ROOT).stdout


def test_an_error_becomes_one_line_and_python_starts(python, tmp_path):
    broken = tmp_path / "broken"
    (broken / "skimage_gpu_backend").mkdir(parents=True)
    (broken / "skimage_gpu_backend" / "__init__.py").write_text("raise OSError('disk\\non fire')")
    python.path.insert(0, str(broken))
    done = python("-c", "print('started')", SKIMAGE_BACKENDS="gpu")
    assert done.stdout == "started\n"
    # once for each time that the file is processed
    told = set(done.stderr.splitlines())
    assert told == {"skimage-gpu-backend is not enabled: OSError disk on fire"}


def test_a_child_process_is_enabled_too(python):
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SHOW!r}])"
    assert python("-c", code, SKIMAGE_BACKENDS="gpu").stdout.startswith("hook")


def test_an_unchanged_script_runs_on_the_device(python):
    script = python.script(
        "import numpy as np\n"
        "import skimage as ski\n"
        "print(float(ski.metrics.mean_squared_error(np.ones((9, 9)), np.zeros((9, 9)))))\n"
    )
    selected = {
        "SKIMAGE_BACKENDS": "gpu",
        "SKIMAGE_GPU_SIMULATOR": "1",
        "SKIMAGE_BACKENDS_MIN_SIZE": "0",
        "SKIMAGE_BACKENDS_NOTIFY": "all",
    }
    done = python(script, **selected)
    assert done.stdout == python(script).stdout == "1.0\n"
    assert f"{script}:3: DispatchNotification: Call to 'skimage.metrics:mean_squ" in done.stderr
    assert "was dispatched to the 'gpu' backend" in done.stderr


def test_importing_the_package_imports_no_array_library(python):
    code = (
        "import sys, skimage_gpu_backend\n"
        "print([m for m in ('numpy', 'skimage', 'cupy', 'cucim') if m in sys.modules])"
    )
    assert python("-c", code).stdout == "[]\n"
