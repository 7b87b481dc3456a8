"""Assertions on arrays of either side: device arrays are copied to the host and compared there."""

import numpy.testing

from .._creation import asnumpy

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
]


def assert_allclose(
    actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
):
    """Fail where the arrays differ by more than the tolerances."""
    numpy.testing.assert_allclose(
        asnumpy(actual),
        asnumpy(desired),
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        err_msg=err_msg,
        verbose=verbose,
        strict=strict,
    )


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    """Fail where the arrays differ in the first decimals."""
    numpy.testing.assert_array_almost_equal(
        asnumpy(actual), asnumpy(desired), decimal=decimal, err_msg=err_msg, verbose=verbose
    )


def assert_array_almost_equal_nulp(x, y, nulp=1):
    """Fail where the arrays are further apart than so many representable numbers."""
    numpy.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp=nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Fail where the arrays differ by more than so many units in the last place."""
    numpy.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp=maxulp, dtype=dtype)


def assert_array_equal(
    actual, desired, err_msg="", verbose=True, *, strict=False, strides_check=False
):
    """Fail where the arrays differ, with `strides_check` in their strides too."""
    numpy.testing.assert_array_equal(
        asnumpy(actual), asnumpy(desired), err_msg=err_msg, verbose=verbose, strict=strict
    )
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(
            f"Strides are not equal: {err_msg}\n x: {actual.strides}\n y: {desired.strides}"
        )


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Fail where two lists or two tuples hold different arrays."""
    if type(xlist) is not type(ylist) or not isinstance(xlist, list | tuple):
        raise AssertionError(f"two lists or tuples expected, not {type(xlist)} and {type(ylist)}")
    if len(xlist) != len(ylist):
        raise AssertionError("List size is different")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    """Fail where an element is not smaller than its partner."""
    numpy.testing.assert_array_less(
        asnumpy(x), asnumpy(y), err_msg=err_msg, verbose=verbose, strict=strict
    )
