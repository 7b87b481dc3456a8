"""`status` and `--version`, as a user types them."""

import re
from importlib import metadata

from skimage_gpu_backend.catalog import CATALOG

COMMAND = ("-m", "skimage_gpu_backend")


def test_status_has_versions_functions_and_folders_and_cuts_no_path(python, tmp_path):
    cache = tmp_path / "a folder whose name is long" / ("x" * 90)
    (cache / "skimage-gpu-backend" / "kernels").mkdir(parents=True)
    (cache / "skimage-gpu-backend" / "kernels" / "one").write_bytes(bytes(2500))
    simulated = {"SKIMAGE_GPU_SIMULATOR": "1", "XDG_CACHE_HOME": str(cache)}
    told = python(*COMMAND, "status", **simulated).stdout
    for name in ("scikit-image", "skimage-gpu-backend"):
        assert re.search(rf"^{name} +{re.escape(metadata.version(name))}$", told, re.MULTILINE)
    assert re.search(r"^cuCIM +\S", told, re.MULTILINE)
    assert f"2.5 kB in {cache}/skimage-gpu-backend/kernels\n" in told
    assert re.search(rf"^functions +{len(CATALOG)} have a GPU version here", told, re.MULTILINE)
    assert str(cache) in told.partition("\nsizes")[2]


def test_version(python):
    told = python(*COMMAND, "--version").stdout
    assert told == f"skimage-gpu-backend {metadata.version('skimage-gpu-backend')}\n"
