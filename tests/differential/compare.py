"""Is a result what scikit-image gives: type by type, shape by shape, number by number?"""

import numpy as np

from skimage_gpu_backend.upstream.layout import as_public

SINGLE = 1e-5  # share of the result's range, as DESIGN has them
DOUBLE = 1e-10
HALF = 1e-3
_OF_MODELS = (  # whose objects are equal to themselves alone
    "scipy.spatial._qhull",
    "skimage._shared.utils",
    "skimage.measure.fit",
    "skimage.transform._geometric",
    "skimage.transform._thin_plate_splines",
)


def difference(actual, expected, where="result") -> float:
    """Largest difference of floating numbers, as a share of the expected range.

    Raises
    ------
    AssertionError
        Where anything but the values of floating numbers differs.
    """
    assert type(actual) is type(expected), (
        f"{where}: {type(actual).__name__} instead of {type(expected).__name__}"
    )
    if isinstance(expected, np.ndarray | np.generic):
        return _of_arrays(actual, expected, where)
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected), f"{where}: {len(actual)} items, not {len(expected)}"
        pairs = zip(actual, expected, strict=True)
        return max((difference(a, e, f"{where}[{i}]") for i, (a, e) in enumerate(pairs)), default=0)
    if isinstance(expected, dict):
        assert list(actual) == list(expected), f"{where}: other keys, or another order of keys"
        return max(
            (difference(actual[k], expected[k], f"{where}[{k!r}]") for k in expected), default=0
        )
    if isinstance(expected, float | complex):
        return _of_arrays(np.asarray(actual), np.asarray(expected), where)
    if as_public(type(expected).__module__) in _OF_MODELS:
        return difference(vars(actual), vars(expected), f"{where}.__dict__")
    assert actual == expected, f"{where}: {actual!r} instead of {expected!r}"
    return 0.0


def _of_arrays(actual, expected, where):
    assert actual.dtype == expected.dtype, f"{where}: {actual.dtype} instead of {expected.dtype}"
    assert actual.shape == expected.shape, f"{where}: {actual.shape} instead of {expected.shape}"
    if expected.dtype == object:
        pairs = zip(actual.ravel(), expected.ravel(), strict=True)
        return max((difference(a, e, where) for a, e in pairs), default=0.0)
    if expected.dtype.kind not in "fc":
        unequal = np.count_nonzero(actual != expected)
        assert unequal == 0, f"{where}: {unequal} of {expected.size} elements differ"
        return 0.0
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(
        actual[~finite], expected[~finite], err_msg=f"{where}: what is not finite"
    )
    if not finite.any():
        return 0.0
    wide = np.clongdouble if expected.dtype.kind == "c" else np.longdouble
    a, e = actual[finite].astype(wide), expected[finite].astype(wide)
    assert np.isfinite(a).all(), f"{where}: not finite where scikit-image is"
    largest = float(np.abs(a - e).max())
    if largest == 0:
        return 0.0
    span = float(np.abs(e - e[0]).max()) or float(np.abs(e).max()) or 1.0
    return largest / span


def precision(values) -> str:
    """ "half", "single" or "double": the least precise floating dtype among arrays."""
    names = {np.dtype(value.dtype).name for value in values}
    if "float16" in names:
        return "half"
    return "single" if names & {"float32", "complex64"} else "double"
