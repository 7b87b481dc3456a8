"""`cupy.random`: CuPy's functions and parameters; streams that a seed repeats."""

import cupy as cp
import numpy as np
import pytest

DISTRIBUTIONS = [
    ("rand", (50, 40), {}),
    ("randn", (50, 40), {}),
    ("random", ((50, 40),), {}),
    ("normal", (3.0, 2.0, (50, 40)), {}),
    ("uniform", (-1.0, 4.0), {"size": (50, 40)}),
    ("standard_normal", ((50, 40),), {"dtype": np.float32}),
    ("poisson", (4.0, (50, 40)), {}),
    ("binomial", (9, 0.3, (50, 40)), {}),
    ("exponential", (2.0, (50, 40)), {"dtype": "f"}),
    ("gamma", (2.0, 1.5, (50, 40)), {}),
    ("randint", (0, 200), {"size": (50, 40), "dtype": np.uint8}),
    ("laplace", (0.0, 1.0, (50, 40)), {}),
]


@pytest.mark.parametrize("name, args, kwargs", DISTRIBUTIONS)
@pytest.mark.parametrize("state", [False, True])
def test_a_seed_repeats_the_numbers(name, args, kwargs, state):
    if state and name == "random":
        name = "random_sample"

    def drawn():
        if state:
            return getattr(cp.random.RandomState(7), name)(*args, **kwargs)
        cp.random.seed(7)
        return getattr(cp.random, name)(*args, **kwargs)

    first, second = drawn(), drawn()
    assert type(first) is cp.ndarray
    assert first.shape == (50, 40)
    assert first.dtype == kwargs.get("dtype", first.dtype)
    np.testing.assert_array_equal(first.get(), second.get())
    assert float(first.std()) > 0


def test_the_distributions_have_their_moments():
    rng = cp.random.default_rng(0)
    assert abs(float(rng.random(20000).mean()) - 0.5) < 0.01
    assert abs(float(rng.standard_normal(20000, np.float32).std()) - 1) < 0.03
    assert abs(float(cp.random.normal(5, 2, 20000).mean()) - 5) < 0.1
    assert set(rng.integers(2, 5, 200).get().tolist()) == {2, 3, 4}


def test_parameters_may_be_device_arrays():
    means = cp.array([[1.0, 100.0]])
    assert (cp.random.poisson(means, size=(500, 2)).mean(axis=0)[1] > 50).item()
    assert cp.random.normal(means, 0.1).shape == (1, 2)


def test_single_numbers_are_arrays_of_no_dimension():
    for number in (
        cp.random.rand(),
        cp.random.randint(5),
        cp.random.default_rng(0).integers(5),
        cp.random.default_rng(0).random(),
    ):
        assert type(number) is cp.ndarray
        assert number.shape == ()


def test_generators_have_cupys_methods_and_no_others():
    """As on a GPU, code that works with NumPy's generator may fail here."""
    rng = cp.random.default_rng(0)
    assert cp.random.default_rng(rng) is rng
    assert type(rng) is cp.random.Generator
    for name in ("normal", "permutation", "shuffle", "choice"):
        assert not hasattr(rng, name)


def test_permutations_and_choices():
    a = cp.arange(20)
    assert sorted(cp.random.permutation(a).get().tolist()) == list(range(20))
    assert sorted(cp.random.permutation(9).get().tolist()) == list(range(9))
    cp.random.shuffle(a)
    assert sorted(a.get().tolist()) == list(range(20))
    assert set(cp.random.choice(a, 100).get().tolist()) <= set(range(20))
    with pytest.raises(TypeError, match=r"must be cupy\.ndarray"):
        cp.random.shuffle(np.arange(3))
    with pytest.raises(NotImplementedError):
        cp.random.choice(5)


def test_only_the_dtypes_of_curand():
    with pytest.raises(TypeError, match="only supports float32 and float64"):
        cp.random.rand(3, dtype=np.float16)
    with pytest.raises(TypeError, match="Seed must be an integer"):
        cp.random.seed("a")
