"""Plans of calls for which CuPy's own operations are all that is needed.

They name no kernels; what they cost is given with them.
"""

from ..device.launches import Cost
from ..plan import Plan, point

NOTHING = Cost(0, 0, 0)  # no launch, no bytes: a view, the image itself, what the host knows


def elementwise(make, image, dtype) -> Plan:
    """Plan of a call for which CuPy makes each element of one of ``image``, in one launch.

    Parameters
    ----------
    make : callable
        Takes the parameter ``image``, of any layout, and returns the result.
    image : array
        Looked at for its shape and dtype.
    dtype : numpy.dtype
        Of the result.
    """
    nbytes = image.size * image.dtype.itemsize
    return Plan(make, point(image), cost=Cost(1, nbytes, image.size * dtype.itemsize))
