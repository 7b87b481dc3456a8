"""Kernels that are written for a test."""

import cupy as cp
import pytest

from skimage_gpu_backend.device.compile import OPTIONS
from skimage_gpu_backend.device.source import KERNELS, kernel_source


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Makes a kernel of a text that includes files of ``kernels``."""

    def compile_text(text, name):
        (tmp_path / "test.cu").write_text(text)
        for folder in KERNELS.iterdir():
            if not (tmp_path / folder.name).exists():
                (tmp_path / folder.name).symlink_to(folder)
        with monkeypatch.context() as patch:
            patch.setattr("skimage_gpu_backend.device.source.KERNELS", tmp_path)
            code = kernel_source.__wrapped__("test.cu")
        module = cp.RawModule(code=code, options=OPTIONS, name_expressions=(name,))
        return module.get_function(name)

    return compile_text
