"""Every kernel, in every specialization a room can ask for, under the real CUDA compiler."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from unittest import mock

import pytest

from benchmarks.architectures import blocks
from skimage_gpu_backend.device import compile
from skimage_gpu_backend.device.shared import STATIC, most_dynamic
from skimage_gpu_backend.device.source import KERNELS, kernel_source
from skimage_gpu_backend.trouble import KernelCompileError

from . import cubin, nvrtc, resources
from .largest import largest

OFTEN = resources.CAPABILITIES[0], resources.CAPABILITIES[-1]  # the oldest and the newest
THREADS = 256  # of a block, where a launch does not say

TRIGONOMETRY = "CUDA's own reduction of large angles"
# Specializations with a stack: bytes, and why they have it.
STACKS = {
    r"convert<.*\bLchToLab>": (40, TRIGONOMETRY),
    r"delta_e<.*\b(Ciede2000|Cmc)>": (40, TRIGONOMETRY),
    r"daisy_maps<": (40, TRIGONOMETRY),
    r"map_image<\d, Plane,": (40, TRIGONOMETRY),
    r"windows<(float|double)>": (40, TRIGONOMETRY),
    r"map_image<[345], Grid<3>,|resize_image<[345], 3,|box_moments<3, 3>": (
        288,
        "places and weights of up to 216 elements: in registers they would halve the occupancy",
    ),
    r"edges_nd(_masked)?<": (736, "any number of axes, which is known when it runs"),
}


def _is_installed(name):
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not all(map(_is_installed, (nvrtc.DISTRIBUTION, *cubin.TOOLS))),
    reason="the wheels of the CUDA compiler and of its tools are not installed",
)


def _modules():
    """All of each module for each capability; in CI some for the oldest and the newest in turn."""
    for some in (True, False):
        for number, (source, expressions) in enumerate(resources.modules(some)):
            mark = pytest.mark.thorough if some else pytest.mark.exhaustive
            for capability in OFTEN[number % 2 :][:1] if some else resources.CAPABILITIES:
                which = f"{source}-{'some' if some else 'all'}-{number}-{capability}"
                yield pytest.param(source, expressions, capability, id=which, marks=mark)


@pytest.mark.parametrize(("source", "expressions", "capability"), list(_modules()))
def test_kernels_compile_for_each_gpu_and_fit_there(source, expressions, capability):
    """No stack without a reason, so no spills; shared memory that no launch has to ask for."""
    for expression, found in resources.resources(source, expressions, capability).items():
        reasons = [most for pattern, (most, _) in STACKS.items() if re.match(pattern, expression)]
        assert found.stack <= max(reasons, default=0), f"stack of {expression}"
        dynamic, threads = largest().get((source, expression.partition("<")[0]), (0, THREADS))
        assert found.shared + dynamic <= most_dynamic("any"), f"shared memory of {expression}"
        assert blocks(capability, found.registers, threads, found.shared + dynamic), expression


@pytest.mark.thorough
@pytest.mark.parametrize("pattern", STACKS)
def test_a_stack_that_has_a_reason_is_there_and_nothing_is_spilled(pattern):
    source, expression = next(
        (source, expression)
        for source, expressions in resources.specializations().items()
        for expression in expressions
        if re.match(pattern, expression)
    )
    logs = [_log_of(source, expression, capability) for capability in OFTEN]
    assert any(int(re.search(r"(\d+) bytes stack frame", log)[1]) for log in logs)
    assert all("0 bytes spill stores, 0 bytes spill loads" in log for log in logs)


@pytest.mark.thorough
@pytest.mark.parametrize("capability", OFTEN)
@pytest.mark.parametrize("expression", ["box_maxima<double>", "line_maxima<int>"])
def test_resources_are_those_that_the_compiler_tells(expression, capability):
    log = _log_of("feature/peaks.cu", expression, capability)
    (found,) = resources.resources("feature/peaks.cu", (expression,), capability).values()
    assert found.registers == int(re.search(r"Used (\d+) registers", log)[1])
    assert found.stack == int(re.search(r"(\d+) bytes stack frame", log)[1])
    assert found.shared == int((re.search(r"(\d+) bytes smem", log) or [0, 0])[1])


@pytest.mark.thorough
@pytest.mark.parametrize("template", STATIC)
def test_static_memory_is_what_the_launches_leave_room_for(template):
    for source, expressions in resources.specializations().items():
        own = tuple(e for e in expressions if e.startswith(f"{template}<"))
        if own:
            found = resources.resources(source, own, OFTEN[-1])
    assert max(each.shared for each in found.values()) == STATIC[template]


@pytest.mark.thorough
def test_a_largest_launch_is_known_of_each_kernel_with_dynamic_shared_memory():
    files = (path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.cu"))
    dynamic = {name for name in files if re.search(r"^\s+DYN_SHARED\(", kernel_source(name), re.M)}
    assert dynamic == {source for (source, _), (shared, _) in largest().items() if shared}


def test_every_kernel_file_belongs_to_a_room():
    files = {path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.cu")}
    assert files == set(resources.specializations())


def test_spills_and_arrays_in_local_memory_would_be_seen():
    text = """
    template <class T> __global__ void __launch_bounds__(1024, 2) many(const T* in, T* out) {
        T kept[100];
    #pragma unroll
        for (int i = 0; i < 100; ++i) kept[i] = in[i * blockDim.x + threadIdx.x];
        __syncthreads();
    #pragma unroll
        for (int i = 0; i < 100; ++i) out[i * blockDim.x + threadIdx.x] = kept[i] * kept[99 - i];
    }
    template <class T> __global__ void any(const T* in, T* out, int n) {
        T kept[20];
        for (int i = 0; i < n; ++i) kept[i] = in[i];
        for (int i = 0; i < n; ++i) out[i] = kept[n - i];
    }
    """
    image = resources.compiled(text, "many.cu", ["many<double>", "any<double>"], "8.0")
    found = cubin.resources(image.code, "8.0")
    assert all(found[image.names[each]].stack > 0 for each in image.names)


def network(count):
    """Pairs that Batcher's odd-even merge sort compares (D. E. Knuth, TAOCP 3, 5.2.2, M)."""
    begin = 1
    while begin < count:
        step = begin
        while step:
            for first in range(step % begin, count - step, 2 * step):
                for k in range(first, min(first + step, count - step)):
                    if k // (2 * begin) == (k + step) // (2 * begin):
                        yield k, k + step
            step //= 2
        begin *= 2


@pytest.mark.parametrize("statistic", ["PLACES", "PAIRS"])
def test_windows_are_sorted_whole(statistic):
    """By NVRTC, too, which takes wrong branches of `if constexpr` in some member templates."""
    pairs = [list(network(count)) for count in (9, 16, 25)]
    for count, each in zip((9, 16, 25), pairs, strict=True):
        for ones in range(count + 1):  # the zero-one principle, for one order of each number
            row = [1] * ones + [0] * (count - ones)
            for one, other in each:
                row[one], row[other] = sorted((row[one], row[other]))
            assert row == sorted(row)
    source, expression = "filters/rank.cu", f"rank<u8, {statistic}>"
    image = resources.compiled(kernel_source(source), source, (expression,), "9.0")
    assert cubin.disassembled(image.code).count("VIMNMX.U32") >= 2 * sum(map(len, pairs))


@pytest.mark.thorough
@pytest.mark.parametrize("capability", resources.CAPABILITIES[1:])  # nvdisasm knows 7.0 no more
def test_instructions_of_loops_are_counted_by_kind(capability):
    text = """
    __global__ void plain(const float* in, float* out) {
        out[threadIdx.x] = (float)((double)in[threadIdx.x] * 0.1);
    }
    __global__ void loops(const float* in, float* out, long long n, long long by) {
        float sum = 0;
    #pragma unroll 1
        for (long long i = 0; i < n; ++i) sum += in[i / by];
        out[threadIdx.x] = (float)((double)sum * 0.1);
    }
    """
    image = resources.compiled(text, "loops.cu", ["plain", "loops"], capability)
    found = cubin.mixes(image.code, capability)
    plain, loops = (found[image.names[name]] for name in ("plain", "loops"))
    assert (plain.double, plain.conversions, plain.wide, plain.divisions) == (1, 2, 2, 0)
    assert (loops.double, loops.wide, loops.divisions) == (0, 0, 1)  # what is outside is left out
    assert loops.instructions > 10


def test_compile_error_on_a_gpu_names_file_line_and_specialization():
    text = (
        '#line 1 "color/broken.cu"\ntemplate <class T> __global__ void broken(T* out) {\n*out = x;}'
    )
    with pytest.raises(KernelCompileError) as refused:
        resources.compiled(text, "color/broken.cu", ["broken<float>"], "8.0")
    message = str(refused.value)
    assert "kernel broken<float> of kernels/color/broken.cu" in message
    assert "color/broken.cu:2: " in message
    assert '"x" is undefined' in message


def _log_of(source, expression, capability):
    """What the assembler tells of a kernel."""
    options = (*compile.OPTIONS, "--ptxas-options=-v")
    told = []

    def destroyed(program):
        told.append(nvrtc.getProgramLog(program))

    with (
        mock.patch.multiple(compile, OPTIONS=options),
        mock.patch.object(nvrtc, "destroyProgram", destroyed),
    ):
        resources.compiled(kernel_source(source), source, [expression], capability)
    return told[0]
