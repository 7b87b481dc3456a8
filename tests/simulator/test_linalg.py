"""`cupy.linalg` and `cupy.fft`: NumPy's and SciPy's values, CuPy's dtypes, errors and silences."""

import cupy as cp
import numpy as np
import pytest
import scipy.fft

RNG = np.random.default_rng(0)
DTYPES = ["f", "d", "F", "D"]


def matrix(dtype, *shape):
    values = RNG.standard_normal(shape)
    if dtype in "FD":
        values = values + 1j * RNG.standard_normal(shape)
    return values.astype(dtype)


def close(ours, expected):
    assert type(ours) is cp.ndarray
    assert ours.dtype == np.asarray(expected).dtype
    tolerance = 2e-4 if ours.dtype.char in "fF" else 1e-10
    np.testing.assert_allclose(ours.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", [(), (3,), (2, 3)])
@pytest.mark.parametrize("name", ["inv", "det", "pinv", "svd"])
def test_functions_of_stacked_matrices_give_numpys_values(name, stack, dtype):
    a = matrix(dtype, *stack, 4, 4)
    if name == "svd":
        close(cp.linalg.svd(cp.asarray(a), compute_uv=False), np.linalg.svd(a, compute_uv=False))
    else:
        close(getattr(cp.linalg, name)(cp.asarray(a)), getattr(np.linalg, name)(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", [((4, 4), (4,)), ((4, 4), (4, 2)), ((3, 4, 4), (3, 4, 2))])
def test_solve_gives_numpys_solution(shapes, dtype):
    a, b = (matrix(dtype, *shape) for shape in shapes)
    close(cp.linalg.solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_symmetric_matrix_has_numpys_eigenvalues(dtype):
    a = matrix(dtype, 5, 5)
    a = a + a.conj().T
    values, vectors = cp.linalg.eigh(cp.asarray(a))
    close(values, np.linalg.eigvalsh(a))
    close(cp.linalg.eigvalsh(cp.asarray(a)), np.linalg.eigvalsh(a))
    close(cp.asarray(a) @ vectors, vectors.get() * values.get())


@pytest.mark.parametrize(
    "ord, axis", [(None, None), (None, 0), (1, 1), (np.inf, 0), ("fro", (0, 1))]
)
def test_norm_gives_numpys_values(ord, axis):
    for dtype in DTYPES:
        a = matrix(dtype, 4, 5)
        expected = np.linalg.norm(a, ord, axis, keepdims=True)
        close(cp.linalg.norm(cp.asarray(a), ord, axis, keepdims=True), expected)


def test_least_squares_leaves_rank_and_values_on_the_device():
    a, b = matrix("d", 9, 3), matrix("d", 9)
    ours = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))
    for one, other in zip(ours, np.linalg.lstsq(a, b, rcond=None), strict=True):
        np.testing.assert_allclose(one.get(), other)
    assert ours[2].dtype == np.int32


def test_integers_are_computed_in_double_and_half_precision_is_refused():
    close(cp.linalg.inv(cp.array([[1, 2], [3, 4]])), np.linalg.inv([[1, 2], [3, 4]]))
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        cp.linalg.inv(cp.ones((2, 2), "e"))
    assert cp.linalg.eigvalsh(cp.eye(2, dtype="e")).dtype == np.float16


def test_a_singular_matrix_raises_nothing():
    """CuPy asks nobody whether the division by zero happened."""
    assert not cp.isfinite(cp.linalg.inv(cp.zeros((2, 2)))).any()
    assert float(cp.linalg.det(cp.ones((2, 2)))) == 0
    assert not cp.isfinite(cp.linalg.solve(cp.zeros((2, 2)), cp.ones(2))).any()


@pytest.mark.parametrize(
    "call",
    [
        lambda: cp.linalg.inv(np.eye(2)),
        lambda: cp.linalg.svd([[1.0]]),
        lambda: cp.linalg.inv(cp.ones((2, 3))),
        lambda: cp.linalg.inv(cp.ones(3)),
        lambda: cp.linalg.lstsq(cp.ones((3, 2)), cp.ones(2)),
    ],
)
def test_wrong_arguments_raise_cupys_error(call):
    with pytest.raises(np.linalg.LinAlgError):
        call()


@pytest.mark.parametrize("dtype", [*DTYPES, "e", "i", "?"])
@pytest.mark.parametrize("name", ["fft", "ifft", "fftn", "ifft2", "irfft", "hfft"])
def test_transforms_keep_single_precision(name, dtype):
    check_transform(name, dtype)


@pytest.mark.parametrize("dtype", "fdei?")
@pytest.mark.parametrize("name", ["rfft", "rfftn"])
def test_transforms_of_real_numbers_keep_single_precision(name, dtype):
    check_transform(name, dtype)


def check_transform(name, dtype):
    a = matrix("D", 4, 6) if dtype in "FD" else np.abs(matrix("d", 4, 6)) * 5
    a = a.astype(dtype)
    ours = getattr(cp.fft, name)(cp.asarray(a), norm="ortho")
    close(ours, getattr(scipy.fft, name)(a, norm="ortho"))
    assert ours.dtype.char in ("fF" if dtype in "efF" else "dD")


def test_shifts_and_frequencies():
    a = matrix("f", 4, 5)
    close(cp.fft.fftshift(cp.asarray(a), axes=1), np.fft.fftshift(a, axes=1))
    close(cp.fft.ifftshift(cp.asarray(a)), np.fft.ifftshift(a))
    close(cp.fft.rfftfreq(9, 0.5), np.fft.rfftfreq(9, 0.5))
