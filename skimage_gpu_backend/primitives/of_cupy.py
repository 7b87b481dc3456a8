"""Plans of calls for which CuPy's own operations are all that is needed.

They name no kernels; what they cost is given with them.
"""

import functools

import numpy as np

from ..adapt.values import replace
from ..device.launches import Cost
from ..devices import xp
from ..plan import Plan, point
from ..scikit_image import on_host, own_function

NOTHING = Cost(0, 0, 0)  # no launch, no bytes: a view, the image itself, what the host knows


def elementwise(make, image, dtype, *, keeps_order=True) -> Plan:
    """Plan of a call for which CuPy makes each element of one of ``image``, in one launch.

    Parameters
    ----------
    make : callable
        Takes the parameter ``image``, of any layout, and returns the result.
    image : array
        Looked at for its shape and dtype.
    dtype : numpy.dtype
        Of the result.
    keeps_order : bool, optional
        Whether the result of an image in Fortran order is in Fortran order.
    """
    nbytes = image.size * image.dtype.itemsize
    plan = Plan(make, point(image), cost=Cost(1, nbytes, image.size * dtype.itemsize))
    if keeps_order:
        plan.transposed = lambda: Plan(make)
    return plan


def made_on_host(name):
    """A room's function for one that makes arrays from nothing: scikit-image itself makes them.

    They are then copied to the device. What scikit-image refuses it refuses when the plan runs.
    """

    def made(*args, **kwargs):
        result = on_host(name, *args, **kwargs)
        return replace(result, lambda v: xp.asarray(v) if isinstance(v, np.ndarray) else v)

    @functools.wraps(own_function(name))
    def planned(*args, **kwargs):
        return Plan(functools.partial(made, *args, **kwargs), cost=NOTHING)

    return planned
