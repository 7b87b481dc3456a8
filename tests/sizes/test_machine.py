"""What a table holds for: told by the driver's files, or by its tool."""

import os
import shutil
import subprocess

import pytest

from skimage_gpu_backend.sizes import machine

_VERSION = """\
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (dvs-builder@U22)
GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)
"""
_INFORMATION = """\
Model: \t\t {}
IRQ:   \t\t 169
GPU UUID: \t GPU-00000000-0000-0000-0000-000000000000
Bus Location: \t 0000:{:02}:00.0
"""


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Makes the files of a driver with GPUs of these models."""
    monkeypatch.setattr("cuda_simulator.active", lambda: False)
    monkeypatch.setattr(machine, "_DRIVER", tmp_path / "nvidia")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def make(*models, version="570.86.15"):
        for place, model in enumerate(models):
            folder = tmp_path / "nvidia" / "gpus" / f"0000:{place:02}:00.0"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "information").write_text(_INFORMATION.format(model, place))
        (tmp_path / "nvidia" / "version").write_text(_VERSION.format(version))

    return make


def test_gpu_and_driver(driver):
    driver("NVIDIA H200", "NVIDIA H200")
    assert machine.key()["GPU"] == "NVIDIA H200"
    assert machine.key()["driver"] == "570.86.15"
    driver("NVIDIA H200", "NVIDIA H200", version="580.1")
    assert machine.key()["driver"] == "580.1"


def test_among_different_gpus_the_visible_one_counts(driver, monkeypatch):
    driver("NVIDIA A100", "NVIDIA T400 4GB")
    all_of_them = machine.key()["GPU"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert machine.key()["GPU"] != all_of_them


def test_without_the_files_the_drivers_tool_is_asked(driver, tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA GeForce RTX 4090, 560.94'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert (machine.key()["GPU"], machine.key()["driver"]) == ("NVIDIA GeForce RTX 4090", "560.94")


def test_without_a_driver_there_is_none(driver, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.key()["GPU"] == "none"


def test_the_simulator_is_no_gpu(monkeypatch):
    monkeypatch.setattr("cuda_simulator.active", lambda: True)
    simulated = machine.key()
    monkeypatch.setattr("cuda_simulator.active", lambda: False)
    assert simulated["GPU"] == "simulator" != machine.key()["GPU"]


def test_versions_are_part_of_it():
    import skimage

    assert machine.key()["scikit-image"] == skimage.__version__
    assert {"CuPy", "cuCIM", "skimage-gpu-backend", "CPU"} <= machine.key().keys()


_LIBRARY = """
int cuInit(unsigned flags) { return flags; }
int cuDeviceGet(int *device, int number) { *device = 7 + number; return 0; }
int cuDeviceGetAttribute(int *found, int attribute, int device) {
    *found = COUNT;
    return attribute != 16 || device != 7;
}
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a compiler for C")
def test_slices_of_a_gpu_have_tables_of_their_own(driver, tmp_path, monkeypatch):
    """Which of them this process has, the driver's library tells."""
    driver("NVIDIA A100-SXM4-40GB")
    gpus = [machine.key()["GPU"]]
    (tmp_path / "nvidia" / "capabilities" / "gpu0" / "mig" / "gi1").mkdir(parents=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    for count in (14, 42):
        command = ["cc", "-shared", "-fPIC", f"-DCOUNT={count}", "-xc", "-", "-o"]
        subprocess.run([*command, tmp_path / "libcuda.so.1"], input=_LIBRARY, text=True, check=True)
        gpus.append(machine.key()["GPU"])
    (tmp_path / "libcuda.so.1").write_text("no library")
    gpus.append(machine.key()["GPU"])
    assert gpus == [
        "NVIDIA A100-SXM4-40GB",
        "slice with 14 multiprocessors of NVIDIA A100-SXM4-40GB",
        "slice with 42 multiprocessors of NVIDIA A100-SXM4-40GB",
        "slice with unknown multiprocessors of NVIDIA A100-SXM4-40GB",
    ]
