"""Decorators that run a test once for each dtype or order, inside one test."""

import functools
import inspect
import unittest

import numpy

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_complex_dtypes",
    "for_dtypes",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_orders",
    "for_signed_dtypes",
    "for_unsigned_dtypes",
]

_COMPLEX = "FD"
_FLOAT = "df"
_SIGNED = "bhilq"
_UNSIGNED = "BHILQ"


def for_dtypes(dtypes, name="dtype"):
    """Call the test with each of these dtypes as argument `name`."""
    return _for_each([numpy.dtype(dtype).type for dtype in dtypes], name)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """Call the test with each dtype that device arrays have."""
    floats = _FLOAT + "e" * (not no_float16)
    integers = _SIGNED + _UNSIGNED + "?" * (not no_bool)
    return for_dtypes(floats + integers + _COMPLEX * (not no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """Call the test with each floating dtype."""
    return for_dtypes(_FLOAT + "e" * (not no_float16), name)


def for_signed_dtypes(name="dtype"):
    """Call the test with each dtype of signed integers."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    """Call the test with each dtype of unsigned integers."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """Call the test with each dtype of integers, bool among them."""
    return for_dtypes(_SIGNED + _UNSIGNED + "?" * (not no_bool), name)


def for_complex_dtypes(name="dtype"):
    """Call the test with each complex dtype."""
    return for_dtypes(_COMPLEX, name)


def for_orders(orders, name="order"):
    """Call the test with each of these memory orders as argument `name`."""
    return _for_each(orders, name)


def for_CF_orders(name="order"):
    """Call the test with C and Fortran order, in every spelling."""
    return for_orders([None, "C", "F", "c", "f"], name)


def _for_each(values, name):
    def decorator(test):
        @functools.wraps(test)
        def loop(*args, **kwargs):
            for value in values:
                try:
                    test(*args, **kwargs, **{name: value})
                except unittest.SkipTest as skipped:
                    print(f"skipped: {name} = {value} ({skipped})")
                except Exception:
                    print(name, "is", value)
                    raise

        # pytest must not take the argument for a fixture
        signature = inspect.signature(test)
        kept = [p for p in signature.parameters.values() if p.name != name]
        loop.__signature__ = signature.replace(parameters=kept)
        return loop

    return decorator
