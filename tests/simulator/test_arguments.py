"""A launch that a GPU would take for good and get wrong is refused, with the kernel's name."""

import cupy as cp
import numpy as np
import pytest

CODE = """
struct Pair { float a, b; };
template <class T> __global__ void scale(const T* in, T* out, long long n, double by) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * by;
}
__global__ void takes(int i, float f, bool b, Pair p, unsigned char c) {}
"""
pytestmark = pytest.mark.usefixtures("mode")


@pytest.fixture
def arrays():
    return cp.asarray(np.arange(4, dtype=np.float32)), cp.empty(4, cp.float32)


def test_the_right_arguments_are_taken(kernel, arrays):
    source, result = arrays
    kernel(CODE, "scale<float>")((1,), (32,), (source, result, 4, 2.5))
    assert result.get().tolist() == [0, 2.5, 5, 7.5]


@pytest.mark.parametrize("count", [0, 3, 5])
def test_a_wrong_number_of_arguments(kernel, arrays, count):
    arguments = (*arrays, 4, 2.5, 7)[:count]
    with pytest.raises(TypeError, match=f"scale<float> takes 4 arguments, but {count}"):
        kernel(CODE, "scale<float>")((1,), (32,), arguments)


@pytest.mark.parametrize(
    ("place", "wrong", "text"),
    [
        (2, 2.5, "argument 3 .* is an integer of 8 bytes, but a Python float"),
        (2, np.int32(4), "argument 3 .* numpy.int32"),
        (2, True, "argument 3 .* builtins.bool"),
        (3, 2, "argument 4 .* is a floating value of 8 bytes, but a Python int"),
        (3, np.float32(2), "argument 4 .* numpy.float32"),
        (0, 12345678, "argument 1 .* is a pointer of 8 bytes, but a Python int"),
        (3, None, "argument 4 .* None"),
        (0, np.zeros(4, np.float32), "argument 1 .* NumPy array, which is not in device memory"),
    ],
)
def test_a_wrong_type_of_argument(kernel, arrays, place, wrong, text):
    arguments = [*arrays, 4, 2.5]
    arguments[place] = wrong
    with pytest.raises(TypeError, match=text):
        kernel(CODE, "scale<float>")((1,), (32,), tuple(arguments))


def test_a_device_array_in_place_of_a_number(kernel, arrays):
    with pytest.raises(TypeError, match="argument 3 of kernel scale<float>"):
        kernel(CODE, "scale<float>")((1,), (32,), (*arrays, arrays[0], 2.5))


def test_none_is_a_null_pointer(kernel):
    code = (
        "__global__ void f(const float* in, int* out) { if (!threadIdx.x) *out = in == nullptr; }"
    )
    out = cp.zeros(1, cp.int32)
    kernel(code, "f")((1,), (32,), (None, out))
    assert out.item() == 1


def test_an_array_whose_elements_have_another_size(kernel, arrays):
    with pytest.raises(TypeError, match="elements of 4 bytes, but the array's dtype is float64"):
        kernel(CODE, "scale<float>")((1,), (32,), (arrays[0], cp.empty(4, cp.float64), 4, 2.5))


def test_numpy_scalars_and_structs_go_in_as_themselves(kernel):
    pair = np.array((1, 2), np.dtype([("a", "f4"), ("b", "f4")]))
    good = (np.int32(1), np.float32(2), True, pair, np.uint8(3))
    takes = kernel(CODE, "takes")
    takes((1,), (1,), good)
    takes((1,), (1,), (np.uint32(1), np.float32(2), np.bool_(True), pair, np.int8(3)))
    wider = np.array((1, 2), np.dtype([("a", "f8"), ("b", "f8")]))
    with pytest.raises(TypeError, match="a struct of 8 bytes"):
        takes((1,), (1,), (*good[:3], wider, good[4]))


def test_a_python_int_beyond_64_bits(kernel, arrays):
    with pytest.raises(OverflowError):
        kernel(CODE, "scale<float>")((1,), (32,), (*arrays, 2**70, 2.5))


@pytest.mark.parametrize(
    ("grid", "block", "shared"),
    [((0,), (32,), 0), ((1,), (2048,), 0), ((1, 70000), (32,), 0), ((1,), (32,), 50_000)],
)
def test_a_launch_that_no_gpu_takes(kernel, arrays, grid, block, shared):
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_INVALID_VALUE"):
        kernel(CODE, "scale<float>")(grid, block, (*arrays, 4, 2.5), shared_mem=shared)
