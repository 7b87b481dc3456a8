"""When a function's result on the device is scikit-image's to the last bit."""

import numpy as np


def same_as(function):
    """What calls `function` as it is and by a way to run it, and compares the results.

    Parameters
    ----------
    function : callable
        Of scikit-image, with an array as its result.

    Returns
    -------
    same : callable
        Takes a way to run it, as the fixture `gpu`, then the call's arguments; gives the result.
    """

    def same(run, *args, **options):
        with np.errstate(all="ignore"):
            expected = function(*args, **options)
        found = run(function, *args, **options)
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)
        return found

    return same
