"""Values that are wrong for most arguments: of another type, out of every range."""

import numpy as np

ODD = [
    *(None, True, -1, 0, 1.5, 10**400, -(10**400), 10**9, 1e300, np.nan, np.inf, -np.inf, 1j),
    *(np.float32(2), np.complex64(1), np.longdouble(1), np.int64(2**62), np.datetime64(1, "s")),
    *("x", b"x", ("a",), ["a", "b"], [], [1], (2,), [1, 2], (1, 2, 3), [[1], [1, 2]]),
    *([np.nan, 1], [np.inf, 1], [10**400, 1], [1j, 1], {}, {1: 2}, {1, 2}, range(2), slice(1)),
    *(np.array(2.0), np.array([1.0, 2.0]), np.zeros((2, 2)), np.array([1j, 2])),
    *(np.array(["a", "b"]), np.array([None, 1]), object(), len),
]
