"""`ElementwiseKernel` computes, converts and refuses as CuPy's does on a GPU."""

import cupy as cp
import numpy as np
import pytest
from cupy import ElementwiseKernel

from cuda_simulator import KernelError, counters

REAL = "bBhHiIqQefd"


def image(shape=(4, 6), dtype=np.float32):
    return np.arange(np.prod(shape)).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", [*REAL, "?", "F", "D"])
def test_the_placeholder_takes_the_dtype_of_the_array(dtype):
    host = np.array([0, 1, 3, 5]).astype(dtype)
    result = ElementwiseKernel("T x", "T y", "y = x + x")(cp.asarray(host))
    assert result.dtype == host.dtype
    np.testing.assert_array_equal(result.get(), host + host)


def test_float16_is_rounded_once_and_to_nearest():
    values = np.array([1 / 3, 65519, 65520, 1e-7, 5.9e-8, -2.5e-5, np.inf, np.nan, 2048.5, -0.0])
    kernel = ElementwiseKernel("T x", "float16 y", "y = (float16)x")
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            wanted = values.astype(dtype).astype(np.float16)
        result = kernel(cp.asarray(values.astype(dtype))).get()
        np.testing.assert_array_equal(result.view(np.uint16)[:7], wanted.view(np.uint16)[:7])
        np.testing.assert_array_equal(result, wanted)
    every = np.arange(65536).astype(np.uint16).view(np.float16)
    back = ElementwiseKernel("float16 x", "float32 y", "y = x")(cp.asarray(every)).get()
    np.testing.assert_array_equal(back, every.astype(np.float32))


@pytest.mark.parametrize("reduce_dims", [True, False])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::2, 1:],
        lambda x: x[:, ::-1],
        lambda x: x[None, :, None],
        lambda x: x[1],
        lambda x: x[1, 2],
        lambda x: x[:, :0],
    ],
)
def test_any_layout_is_read_and_written_in_place(view, reduce_dims):
    kernel = ElementwiseKernel("T x", "T y", "y += x * 2", reduce_dims=reduce_dims)
    host, out = image(), image() + 100
    source, target = cp.asarray(host), cp.asarray(out)
    assert kernel(view(source), view(target)).shape == view(np.asarray(host)[...]).shape
    expected = out.copy()
    expected_view = view(expected[...])
    if np.ndim(expected_view):
        expected_view += view(host) * 2
    else:
        expected[1, 2] += host[1, 2] * 2
    np.testing.assert_array_equal(target.get(), expected)


def test_arrays_are_broadcast_against_each_other():
    a, b = image((4, 1, 3)), image((5, 1))
    result = ElementwiseKernel("T x, T y", "T z", "z = x - y")(cp.asarray(a), cp.asarray(b))
    np.testing.assert_array_equal(result.get(), a - b)


def test_python_scalars_take_the_parameters_type():
    x = cp.asarray(image(dtype=np.uint8))
    kernel = ElementwiseKernel("T x, T y, float32 z", "T out, float32 f", "out = x + y; f = z")
    out, f = kernel(x, 3, 2)
    assert (out.dtype, f.dtype) == (np.uint8, np.float32)
    assert out.get()[0, 1] == 4
    assert f.get()[0, 0] == 2
    assert kernel(x, 2.9, 0)[0].get()[0, 0] == 2
    assert kernel(x, np.int64(-1), 0)[0].get()[0, 0] == 255  # NumPy scalars are cast as C casts
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        kernel(x, 300, 0)


def test_raw_arrays_are_indexed_by_position_and_by_indices():
    host = image((3, 5))
    x = cp.asarray(host).T  # not contiguous
    flat = ElementwiseKernel("raw T x", "T y", "y = x[i]")(x, cp.empty(15, np.float32))
    np.testing.assert_array_equal(flat.get(), host.T.ravel())
    kernel = ElementwiseKernel(
        "raw T x",
        "T y",
        "ptrdiff_t at[] = {i % x.shape()[0], 2}; int other[] = {0, 1}; y = x[at] + x[other];",
    )
    result = kernel(x, cp.empty(5, np.float32)).get()
    np.testing.assert_array_equal(result, host.T[:, 2] + host.T[0, 1])


def test_raw_arrays_know_their_shape():
    kernel = ElementwiseKernel(
        "raw T x",
        "raw int64 y",
        "y[0] = x.size(); y[1] = x.ndim; y[2] = x.shape()[1]; y[3] = x.strides()[0];",
    )
    y = cp.zeros(4, np.int64)
    kernel(cp.zeros((3, 5), np.float32)[:, 1:4], y, size=1)
    assert y.get().tolist() == [9, 2, 3, 20]


def test_the_index_of_an_element():
    kernel = ElementwiseKernel(
        "",
        "T y, raw T whole",
        "y = 100 * _ind.get()[0] + 10 * _ind.get()[1] + _raw_y.shape()[1]; whole[0] = _ind.size()",
        reduce_dims=False,
    )
    y, whole = cp.zeros((2, 3), np.int32), cp.zeros(1, np.int32)
    kernel(y, whole)
    assert y.get().tolist() == [[3, 13, 23], [103, 113, 123]]
    assert whole.get()[0] == 6


def test_large_arrays_are_covered_by_several_blocks():
    host = image((257, 1031))
    x = cp.asarray(host)
    result = ElementwiseKernel("T x", "int64 y", "y = i", reduce_dims=False)(x.T)
    np.testing.assert_array_equal(result.get().ravel(), np.arange(host.size))
    result = ElementwiseKernel("T x", "T y", "y = x + 1")(x[:, ::2])
    np.testing.assert_array_equal(result.get(), host[:, ::2] + 1)


@pytest.mark.parametrize("word", ["return", "continue"])
def test_a_body_may_end_an_element_early(word):
    kernel = ElementwiseKernel("T x", "T y", f"if (i % 2) {{ y = -1; {word}; }} y = x;")
    expected = image((9,))
    expected[1::2] = -1
    np.testing.assert_array_equal(kernel(cp.asarray(image((9,)))).get(), expected)


def test_code_around_the_loop_and_before_the_kernel():
    kernel = ElementwiseKernel(
        "T x, raw S factors",
        "T y, raw S seen",
        "y = twice(x) * factor * SCALE + floor(M_PI);",
        "around",
        preamble="""
        #include <cupy/cuda_workaround.h>
        #include "cupy/math_constants.h"
        template <typename A> __device__ A twice(A a) {
            return std::is_same<A, float>::value ? a + a : 0;
        }
        """,
        loop_prep="const S factor = factors[1];",
        after_loop="seen[0] = factor;",
        options=("-DSCALE=10", "--std=c++14"),
    )
    factors, seen = cp.asarray(np.array([1.0, 5.0])), cp.zeros(1)
    y = cp.zeros(3, np.float32)
    kernel(cp.asarray(image((3,))), factors, y, seen)
    assert y.get().tolist() == [3, 103, 203]
    assert seen.get()[0] == 5
    assert (kernel.name, kernel.nin, kernel.nout, kernel.nargs) == ("around", 2, 2, 4)
    assert [p.name for p in kernel.in_params] == ["x", "factors"]
    assert [p.raw for p in kernel.out_params] == [False, True]


def test_a_template_of_std_may_be_specialized_for_float16():
    kernel = ElementwiseKernel(
        "T x",
        "bool y",
        "y = std::is_floating_point<T>::value",
        preamble="""
        #include <cupy/cuda_workaround.h>
        template<> struct std::is_floating_point<float16> : std::true_type {};
        """,
    )
    for dtype, expected in (("e", True), ("f", True), ("B", False)):
        assert kernel(cp.zeros(1, dtype)).get()[0] == expected


def test_results_in_the_form_that_was_asked_for():
    x = cp.ones(3, np.float32)
    assert ElementwiseKernel("T x", "T y", "y = x", no_return=True)(x) is None
    (single,) = ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x)
    assert isinstance(single, cp.ndarray)
    first, second = ElementwiseKernel("T x", "T y, int32 z", "y = x; z = 7")(x)
    assert (first.dtype, second.dtype) == (np.float32, np.int32)
    out = cp.empty(3, np.float32)
    assert ElementwiseKernel("T x", "T y", "y = x")(x, out) is out


def test_floating_values_saturate_in_integer_outputs():
    """As NVRTC compiles it: through 32 bits at least, whose low bits a small type takes."""
    x = cp.asarray(np.array([-1.5, 2.9, 300, 3e9, -3e9, 1e20, -1e20, np.nan], np.float32))
    expected = {
        np.uint8: [0, 2, 44, 0xFF & 3000000000, 0, 255, 0, 0],
        np.int8: [-1, 2, 44, -1, 0, -1, 0, 0],
        np.uint32: [0, 2, 300, 3000000000, 0, 2**32 - 1, 0, 0],
        np.int32: [-1, 2, 300, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 0],
        np.int64: [-1, 2, 300, 3000000000, -3000000000, 2**63 - 1, -(2**63), -(2**63)],
    }
    for dtype, wanted in expected.items():
        for operation in ("y = x", "if (true) y = x; else y = 0;"):
            kernel = ElementwiseKernel("T x", "U y", operation)
            assert kernel(x, cp.zeros(8, dtype)).get().tolist() == wanted, (dtype, operation)
        kernel = ElementwiseKernel("T x", "raw U y", "y[i] = x;")
        assert kernel(x, cp.zeros(8, dtype)).get().tolist() == wanted, dtype


def test_complex_numbers_and_their_functions():
    z = np.array([1 + 2j, -0.5 + 0.25j, 3 - 4j])
    expressions = {
        "x * x / (x + 1.0)": z * z / (z + 1),
        "conj(x) * 2.0": z.conj() * 2,
        "2.0 / x - x": 2 / z - z,
        "exp(x)": np.exp(z),
        "sqrt(x)": np.sqrt(z),
        "log(x) + pow(x, 2.0)": np.log(z) + z**2,
        "T(abs(x), arg(x))": np.abs(z) + 1j * np.angle(z),
        "T(x.imag(), norm(x))": z.imag + 1j * np.abs(z) ** 2,
    }
    for dtype, tolerance in ((np.complex128, 1e-12), (np.complex64, 1e-5)):
        for expression, wanted in expressions.items():
            kernel = ElementwiseKernel("T x", "T y", f"y = {expression}")
            result = kernel(cp.asarray(z.astype(dtype))).get()
            np.testing.assert_allclose(result, wanted, rtol=tolerance, err_msg=expression)


def test_atomic_functions_that_cupy_adds():
    host = np.array([3, -7, 5, 2], np.float32)
    for dtype in (np.float32, np.float64):
        extremes = cp.zeros(2, dtype)
        ElementwiseKernel("T x", "raw T y", "atomicMin(&y[0], x); atomicMax(&y[1], x)")(
            cp.asarray(host.astype(dtype)), extremes
        )
        assert extremes.get().tolist() == [-7, 5]
    for dtype in (np.int64, np.float16, np.int32, np.float64):
        total = cp.zeros(2, dtype)
        ElementwiseKernel("T x", "raw T y", "atomicAdd(&y[1], x)")(
            cp.asarray(np.ones(1000, dtype)), total
        )
        assert total.get().tolist() == [0, 1000]


def test_a_body_that_names_its_threads_has_them():
    kernel = ElementwiseKernel(
        "T x",
        "T y",
        "__shared__ T tile[64]; tile[threadIdx.x] = x; __syncthreads();"
        "y = tile[blockDim.x - 1 - threadIdx.x]",
    )
    result = kernel(cp.asarray(image((128,))), block_size=64).get()
    np.testing.assert_array_equal(result, image((2, 64))[:, ::-1].ravel())


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (lambda x: (np.ones(3), 1), TypeError, "Unsupported type <class 'numpy.ndarray'>"),
        (lambda x: (x, [1]), TypeError, "Unsupported type <class 'list'>"),
        (lambda x: (x, None), TypeError, "Unsupported type <class 'NoneType'>"),
        (lambda x: (x,), TypeError, "must be either 2 or 3"),
        (lambda x: (x, x.astype("f8")), TypeError, "Type is mismatched. y float64 float32 T"),
        (lambda x: (x, x, x.astype("f8")), TypeError, "mismatched"),
        (lambda x: (x, x[:2]), ValueError, "broadcast"),
        (lambda x: (x, x, x[:1]), ValueError, "Out shape is mismatched"),
        (lambda x: (x, x, 1.0), TypeError, "Output arguments"),
        (lambda x: (1, 2), KeyError, "T"),
    ],
)
def test_arguments_that_cupy_refuses(arguments, error, text):
    kernel = ElementwiseKernel("T x, T y", "T z", "z = x + y")
    if error is KeyError:  # no array says what the placeholder is
        kernel = ElementwiseKernel("T x, T y, raw S s", "S z", "z = x + y")
        with pytest.raises(KeyError, match=text):
            kernel(1, 2, cp.ones(3), size=3)
        return
    with pytest.raises(error, match=text):
        kernel(*arguments(cp.ones(3, np.float32)))


def test_the_size_of_the_loop_must_be_known_once():
    raw = ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]")
    x = cp.ones(3, np.float32)
    with pytest.raises(ValueError, match="Loop size is undecided"):
        raw(x, x)
    with pytest.raises(ValueError, match="all of the ndarray are 'raw'"):
        ElementwiseKernel("T x", "T y", "y = x")(x, size=3)
    with pytest.raises(TypeError, match="Wrong arguments"):
        raw(x, x, sizes=3)
    assert raw(x, size=2).shape == (2,)


@pytest.mark.parametrize(
    ("declaration", "error"),
    [("T", Exception), ("foo T x", Exception), ("T i", ValueError), ("Type x", TypeError)],
)
def test_declarations_that_cupy_refuses(declaration, error):
    with pytest.raises(error):
        ElementwiseKernel(declaration, "T y", "y = 0")
    with pytest.raises(ValueError, match="Invalid kernel name"):
        ElementwiseKernel("T x", "T y", "y = x", "no name")


def test_code_that_does_not_compile_is_a_compile_error_every_time():
    kernel = ElementwiseKernel("T x", "T y", "y = undeclared(x)", "broken")
    for _ in range(2):
        with pytest.raises(cp.cuda.compiler.CompileException, match=r"broken.*undeclared"):
            kernel(cp.ones(3))


def test_a_failed_assertion_names_the_kernel():
    kernel = ElementwiseKernel("T x", "T y", "assert(x > 0); y = x", "positive")
    with pytest.raises(KernelError, match=r"positive.*x > 0"):
        kernel(cp.zeros(3))


def test_a_call_counts_as_one_launch_that_reads_its_inputs():
    x = cp.ones(10, np.float32)
    kernel = ElementwiseKernel("T x", "T y, float64 z", "y = z = x")
    with counters.counting() as counts:
        kernel(x)
    assert (counts.launches, counts.allocations) == (1, 2)
    assert (counts.kernel_bytes_read, counts.kernel_bytes_written) == (40, 120)


def test_memoized_functions_are_called_once_for_the_same_arguments():
    calls = []

    @cp.memoize(for_each_device=True)
    def made(*args, **kwargs):
        """Docstring."""
        calls.append((args, kwargs))
        return len(calls)

    assert [made(1), made(1), made(1.0), made(1, b=2), made(1, b=2)] == [1, 1, 2, 3, 3]
    assert (made.__name__, made.__doc__) == ("made", "Docstring.")
    cp.clear_memo()
    assert made(1) == 4
    with pytest.raises(TypeError, match="unhashable"):
        made([1])


def test_fused_functions_compute_what_they_say():
    @cp.fuse(kernel_name="squares")
    def squared_difference(x, y=1):
        return (x - y) * (x - y)

    x = cp.asarray(image())
    np.testing.assert_array_equal(squared_difference(x, y=3).get(), (image() - 3) ** 2)
    assert squared_difference.__name__ == "squared_difference"
    assert repr(squared_difference) == "<Fusion 'squares'>"
    assert cp.fuse(lambda a: a + 1)(x).get()[0, 0] == 1
