"""The angles of a tomography as a call gives them."""

import numpy as np

from ...plan import Declined, Invalid
from ...primitives.arguments import is_numeric, small_array


def angles_of(theta):
    """`theta` as an array of finite numbers, in its own dtype; None where it is not given."""
    if theta is None:
        return None
    theta = small_array("theta", list(theta) if isinstance(theta, range) else theta)
    if theta.ndim != 1:
        raise Invalid("theta is not of one axis; give a list of angles")
    if not is_numeric(theta.dtype):
        raise Declined("theta is not of numbers of up to 64 bits; give theta.astype(float)")
    if not np.isfinite(theta).all():
        raise Declined("theta has an angle that is not finite; give finite ones")
    if not theta.size:
        raise Declined("theta is empty; nothing to change")
    return theta
