"""What computes in place of a NumPy ufunc, for loops that CuPy has and NumPy has not."""

import numpy as np


def power(base, exponent):
    """Powers of integers: negative exponents give fractions, rounded to zero."""
    if base.dtype == bool:
        return (base | ~exponent).astype(np.int8)
    negative = exponent < 0
    values = np.power(base, np.where(negative, 0, exponent))
    if not np.any(negative):
        return values
    units = np.where(exponent % 2 != 0, base, base * base)
    return np.where(negative, np.where(np.abs(base) == 1, units, 0), values)


def gcd(a, b):
    """Of booleans; NumPy has the integers."""
    return a | b


def lcm(a, b):
    """Of booleans; NumPy has the integers."""
    return a & b


def clip(a, least, most):
    """Limits that are NaN limit nothing; the upper one counts where they cross."""
    inside = np.where(a < least, least, np.where(a > most, most, a))
    return np.where(least > most, most, inside)


FALLBACKS = {"clip": clip, "gcd": gcd, "lcm": lcm, "power": power, "i0": np.i0, "sinc": np.sinc}
UFUNCS = {"fix": np.trunc}  # where NumPy's function of the name is none
REPLACED = {("power", c) for c in "bhilq"}  # NumPy raises for negative exponents
