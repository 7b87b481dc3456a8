"""Which argument decides how much work a call is."""

import inspect
import itertools

import numpy as np
import pytest

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.sizes.works import WORK, arguments_by_work, interpolated, reader

IMAGE = np.zeros((4, 4))


def work(name, *args, **kwargs):
    name = f"skimage.{name}"
    return reader(name)((IMAGE, *args), kwargs)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("filters:gaussian", (), 1),
        ("filters:gaussian", (2.5,), 2.5),
        ("filters:gaussian", ((1, 3),), 2),
        ("filters:gaussian", (np.array([1, 3]),), 2),
        ("filters:gaussian", (np.float32(3),), 3),
        ("filters:gaussian", ("wide",), 1),
        ("filters:median", (np.ones((5, 3)),), 15),
        ("filters:median", (), 9),
        ("morphology:erosion", (((np.ones((3, 1)), 2), (np.ones((1, 3)), 2)),), 12),
        ("filters:frangi", (range(1, 10, 2),), 5),
        ("filters:frangi", ([2],), 1),
        ("filters:threshold_local", ((11, 21),), 16),
        ("filters.rank:mean", (np.ones((9, 9)),), 81),
    ],
)
def test_work_of_a_call(name, args, expected):
    assert work(name, *args) == expected
    if args:
        parameter = WORK[f"skimage.{name}"].parameter
        assert work(name, **{parameter: args[0]}) == expected


def test_defaults_are_scikit_images():
    for name, entry in WORK.items():
        parameter = inspect.signature(function_called(name)).parameters.get(entry.parameter)
        # warp_polar passes its order on; what is required, or None, has no default
        if parameter and parameter.default not in (None, parameter.empty):
            assert entry.measure(parameter.default) == entry.default, name


def test_functions_are_measured_by_growing_work():
    for name in WORK:
        assert name in CATALOG
        works = [at for at, _ in arguments_by_work(name)]
        assert works == sorted(set(works)), name


def test_a_function_without_an_entry_has_one_work():
    assert reader("skimage.color:rgb2lab") is None
    assert arguments_by_work("skimage.color:rgb2lab") == ((0, {}),)


@pytest.mark.parametrize("seed", range(50))
def test_between_works_sizes_fall_and_never_leave_those_measured(seed):
    rng = np.random.default_rng(seed)
    works = sorted(rng.choice(100, rng.integers(1, 6), replace=False).tolist())
    sizes = sorted(rng.choice([0, 1, 20, 300, 4000, 5e7, np.inf], len(works)).tolist())[::-1]
    points = list(zip(works, sizes, strict=True))
    asked = np.linspace(-3, 103, 213)
    found = [interpolated(points, at) for at in asked]
    for before, after in itertools.pairwise(found):
        assert after <= before * (1 + 1e-12)
    assert found[0] == sizes[0]
    assert found[-1] == sizes[-1]
    assert [interpolated(points, at) for at in works] == sizes
