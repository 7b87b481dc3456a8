"""What `cupy.linalg` asks of its arguments, and the dtype that it computes in."""

import numpy as np
from numpy.linalg import LinAlgError

from cuda_simulator import faults

from .._declare import quiet, wrapped
from .._ndarray import ndarray


def check(*arrays, ndim=None, square=False):
    """Raise `LinAlgError` for anything but device arrays of (stacked) matrices."""
    for a in arrays:
        if not isinstance(a, ndarray):
            raise LinAlgError("cupy.linalg only supports cupy.ndarray")
        if ndim is not None and a.ndim < ndim:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least {ndim}-d")
        if square and a.shape[-1] != a.shape[-2]:
            raise LinAlgError("Last 2 dimensions of the array must be square")


def common_dtype(*arrays, float16=False):
    """dtype of a computation on these arrays; float16 is refused where cuSOLVER is."""
    dtypes = [a.dtype for a in arrays]
    if not float16 and np.float16 in dtypes:
        raise TypeError("float16 is unsupported in linalg")
    return np.result_type(*(d if d.kind in "fc" else np.float64 for d in dtypes))


@quiet
def solved(function, *arrays):
    """Device arrays of what `function` makes of the arrays in their common dtype."""
    dtype = common_dtype(*arrays)
    faults.meet("linalg")
    return wrapped(function(*(a._host.astype(dtype) for a in arrays)), *arrays)


def over_stack(function, *stacks):
    """Apply a function of matrices to each matrix of equally stacked arrays."""
    first = stacks[0]
    if first.ndim == 2:
        return function(*stacks)
    results = [function(*(s[i] for s in stacks)) for i in np.ndindex(first.shape[:-2])]
    return np.stack(results).reshape(*first.shape[:-2], *results[0].shape)
