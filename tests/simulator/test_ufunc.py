"""Universal functions: NumPy's values, CuPy's types and refusals, no warnings."""

import warnings

import cupy as cp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cuda_simulator import counters

DTYPES = "?bBhHiIlLefdFD"
COMPLEX = ["add", "multiply", "maximum", "less", "equal", "true_divide"]
BINARY = [*COMPLEX, "hypot", "arctan2", "logical_or", "copysign"]


def values(dtype, seed=0):
    """Some numbers of a dtype, with zeros and both signs where there are."""
    numbers = np.random.default_rng(seed).integers(-4, 5, 12)
    if np.dtype(dtype).kind in "bu":
        numbers = abs(numbers)
    return numbers.astype(dtype)


def same(ours, expected):
    assert type(ours) is cp.ndarray
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(ours.get(), expected, rtol=1e-6)


@given(st.sampled_from(BINARY), st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_two_arrays_give_numpys_type_and_values(name, first, second):
    assume(name in COMPLEX or not {"F", "D"} & {first, second})
    a, b = values(first), values(second, 1)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    same(getattr(cp, name)(cp.asarray(a), cp.asarray(b)), expected)


SCALARS = [
    True,
    2,
    0.5,
    1j,
    np.int8(2),
    np.uint64(3),
    np.float32(0.5),
    np.float64(2),
]


@given(st.sampled_from(DTYPES), st.sampled_from(SCALARS))
def test_scalars_are_as_weak_as_numpys(dtype, scalar):
    host = values(dtype)
    same(cp.asarray(host) + scalar, host + scalar)
    same(scalar * cp.asarray(host), scalar * host)
    same(cp.asarray(host) == scalar, host == scalar)


UNARY = [n for n, f in vars(cp).items() if isinstance(f, cp.ufunc) and (f.nin, f.nout) == (1, 1)]


@pytest.mark.parametrize("name", sorted(set(UNARY)))
@pytest.mark.parametrize("dtype", "?bHifD")
def test_one_array_gives_numpys_type_and_values(name, dtype):
    function, host = getattr(cp, name), values(dtype)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(host)
    except TypeError:
        expected = None
    if not any(np.can_cast(dtype, loop[0]) for loop in function.types):
        with pytest.raises(TypeError):
            function(cp.asarray(host))
    elif expected is not None and name not in ("i0", "sinc", "fix", "conj", "conjugate", "square"):
        same(function(cp.asarray(host)), expected)


def test_integers_divided_by_zero_give_zero_and_nothing_warns():
    a, zeros = cp.asarray([1, -7, 0]), cp.zeros(3, int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for result in (a // zeros, a % zeros, *divmod(a, zeros)):
            assert result.tolist() == [0, 0, 0]
        assert np.isnan((a / zeros).get()[2])
        cp.log(-a.astype(float))
        cp.exp(cp.asarray([1e6], np.float32))


def test_powers_of_integers_round_towards_zero():
    base, exponent = cp.asarray([2, 1, -1, -1, 3]), cp.asarray([-1, -5, -3, -2, 4])
    assert (base**exponent).tolist() == [0, 1, -1, 1, 81]
    assert (cp.asarray([True, False]) ** cp.asarray([True, False])).dtype == np.int8


@pytest.mark.parametrize("bad", [np.ones(3), [1, 2, 3], "x", None, object()])
def test_operands_on_the_host_are_refused(bad):
    for call in (lambda: cp.add(cp.ones(3), bad), lambda: cp.sqrt(bad)):
        with pytest.raises(TypeError, match="Unsupported type"):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cp.bitwise_and(cp.ones(3), 1), "Wrong type"),
        (lambda: cp.left_shift(cp.ones(3, bool), 1.0), "Wrong type"),
        (lambda: cp.logical_and(cp.ones(3, complex), 1), "Wrong type"),
        (lambda: -cp.ones(3, bool), "boolean negative"),
        (lambda: cp.ones(3, bool) - cp.ones(3, bool), "boolean subtract"),
        (lambda: cp.add(cp.ones(3), 1, where=True), "Wrong arguments"),
        (lambda: cp.add(cp.ones(3)), "It must be either 2 or 3"),
        (lambda: cp.add(cp.ones(3), 1, out=np.ones(3)), "Output arguments type"),
        (lambda: cp.add(cp.ones(3), 1, out=cp.ones(3, int)), "same_kind"),
        (lambda: cp.add(cp.ones(3), 1, out=cp.ones(3, "f4"), casting="no"), "'no'"),
    ],
)
def test_what_cupy_refuses(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="could not be broadcast"):
        cp.ones(3) + cp.ones(4)
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        cp.add(cp.ones((2, 3)), 1, out=cp.ones(3))
    same(cp.ones((2, 1)) + cp.ones(3), np.full((2, 3), 2.0))
    out = cp.zeros((2, 3))
    assert cp.add(cp.arange(3), 1, out=out) is out
    same(out, np.array([[1.0, 2, 3]] * 2))


def test_results_go_into_arrays_of_other_types():
    out = cp.zeros(3, np.float32)
    cp.multiply(cp.asarray([1.5, 2.5, 1e300]), 2, out)
    assert out.tolist() == [3, 5, np.inf]
    whole = cp.zeros(3, np.uint8)
    cp.add(cp.asarray([1.5, 300, -3]), 0, whole, casting="unsafe")
    assert whole.tolist() == [1, 44, 0]
    part, exponent = cp.frexp(cp.asarray([8.0]))
    assert (part.tolist(), exponent.tolist()) == ([0.5], [4])
    assert cp.add(cp.ones(3, np.uint8), 1, dtype=float).dtype == float


def test_an_operation_is_one_launch():
    a = cp.ones((10, 10), np.float32)
    with counters.counting() as counts:
        a + a.T
    assert (counts.launches, counts.kernel_bytes_read) == (1, 800)
    assert (counts.kernel_bytes_written, counts.allocations) == (400, 1)


def test_methods_of_ufuncs_that_cupy_has():
    host = np.arange(12).reshape(3, 4)
    device = cp.asarray(host)
    same(cp.add.reduce(device, axis=1), np.add.reduce(host, axis=1))
    same(cp.multiply.accumulate(device, axis=1), np.multiply.accumulate(host, axis=1))
    same(cp.add.reduceat(device, cp.asarray([0, 2]), axis=1), np.add.reduceat(host, [0, 2], 1))
    same(cp.subtract.outer(device, device[0]), np.subtract.outer(host, host[0]))
    same(np.add.reduce(device), np.add.reduce(host))
    for name in ("reduce", "accumulate"):
        with pytest.raises(NotImplementedError, match=f"cupy_bitwise_xor.{name}"):
            getattr(cp.bitwise_xor, name)(device)


def test_comparisons_with_integers_of_any_size():
    assert not (cp.asarray([255], np.uint8) == 256).any()
    assert (cp.asarray([2**64 - 1], np.uint64) > -1).all()
    with pytest.raises(OverflowError):
        cp.asarray([255], np.uint8) + 256
    with pytest.raises(OverflowError):
        cp.asarray([255], np.uint8).clip(0, 256)
