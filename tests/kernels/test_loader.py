"""A kernel that does not compile, on the device under test."""

import numpy as np
import pytest

from skimage_gpu_backend.device import kernels, launch
from skimage_gpu_backend.trouble import KernelCompileError


def test_compile_error_names_file_line_and_specialization(monkeypatch):
    import cupy as cp

    text = (
        '#line 1 "color/broken.cu"\n'
        "template <class T> __global__ void broken(T* out) {\n"
        "  *out = nobody_knows;\n"
        "}\n"
    )
    monkeypatch.setattr(kernels, "kernel_source", lambda name: text)
    with pytest.raises(KernelCompileError) as refused:
        launch("color/broken.cu", "broken<float>", (cp.empty(1, np.float32),), work=1)
    assert "kernel broken<float> of kernels/color/broken.cu" in str(refused.value)
    assert "color/broken.cu:2: " in str(refused.value)
    assert "nobody_knows" in str(refused.value)
