"""Every kernel, in every specialization a room can ask for, under the real CUDA compilers."""

import functools
from importlib.metadata import PackageNotFoundError, distribution

import pytest

from skimage_gpu_backend import functions
from skimage_gpu_backend.device.compile import OPTIONS, _explain
from skimage_gpu_backend.device.source import KERNELS, kernel_source

from . import nvrtc

OFTEN = nvrtc.CAPABILITIES[0], nvrtc.CAPABILITIES[-1]  # in CI: the oldest and the newest
AT_ONCE = 48  # specializations in one module: enough to share the front end's work


def _is_installed(name):
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not all(map(_is_installed, nvrtc.COMPILERS)),
    reason="the CUDA compilers' wheels are not installed",
)


@functools.cache
def _specializations():
    """Source -> its expressions, of all rooms."""
    found = {}
    for source, expression in functions.kernels():
        found.setdefault(source, {})[expression] = None
    return {source: tuple(expressions) for source, expressions in found.items()}


def _modules():
    for source, expressions in _specializations().items():
        for start in range(0, len(expressions), AT_ONCE):
            part = expressions[start : start + AT_ONCE]
            yield pytest.param(source, part, id=f"{source}-{start}")


def _capabilities():
    for capability in nvrtc.CAPABILITIES:
        rare = pytest.mark.thorough if capability in OFTEN else pytest.mark.exhaustive
        yield pytest.param(capability, marks=rare)


@pytest.mark.parametrize("capability", list(_capabilities()))
@pytest.mark.parametrize(("source", "expressions"), list(_modules()))
def test_kernel_compiles_for_each_gpu_without_spills(source, expressions, capability):
    found = nvrtc.spilled(kernel_source(source), source, expressions, capability, OPTIONS)
    spills = {expression: nbytes for expression, nbytes in found.items() if nbytes}
    assert not spills, f"bytes spilled for {capability}"


def test_every_kernel_file_belongs_to_a_room():
    files = {path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.cu")}
    assert files == set(_specializations())


def test_spills_would_be_seen():
    text = """
    template <class T> __global__ void __launch_bounds__(1024, 2) many(const T* in, T* out) {
        T kept[100];
    #pragma unroll
        for (int i = 0; i < 100; ++i) kept[i] = in[i * blockDim.x + threadIdx.x];
        __syncthreads();
    #pragma unroll
        for (int i = 0; i < 100; ++i) out[i * blockDim.x + threadIdx.x] = kept[i] * kept[99 - i];
    }
    """
    ptx, kernels = nvrtc.compile_module(text, "many.cu", ["many<double>"], "8.0", OPTIONS)
    assert nvrtc.resources(ptx, "8.0")[kernels["many<double>"]][0] > 0


def test_compile_error_on_a_gpu_names_file_line_and_specialization():
    text = (
        '#line 1 "color/broken.cu"\ntemplate <class T> __global__ void broken(T* out) {\n*out = x;}'
    )
    with pytest.raises(nvrtc.CompileError) as refused:
        nvrtc.compile_module(text, "whole.cu", ["broken<float>"], "8.0", OPTIONS)
    message = _explain("color/broken.cu", "broken<float>", str(refused.value))
    assert "kernel broken<float> of kernels/color/broken.cu" in message
    assert "color/broken.cu:2: " in message
    assert '"x" is undefined' in message
