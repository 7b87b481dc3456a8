"""skimage.filters.threshold_mean."""

import numpy as np

from ...device.launches import Cost
from ...devices import to_host
from ...plan import Declined, Plan, Sums
from ...primitives.reduce import parts_of


def threshold_mean(image):
    """Mean of an image: `skimage.filters.threshold_mean`.

    1 launch; image read once; a number comes to the host.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    nbytes = image.size * image.dtype.itemsize
    return Plan(_mean, Sums, cost=Cost(1, nbytes, 8))


def _mean(image):
    """As `numpy.mean`: integers are added up as double, half precision as single.

    All sums are in double, so that pieces do not matter, then as large as those of NumPy get.
    """
    dtype = image.dtype if image.dtype.kind == "f" else np.dtype(float)
    adds = np.promote_types(dtype, np.float32)
    total = sum(to_host(part.sum(dtype=float))[()] for part in parts_of(image))
    with np.errstate(over="ignore"):
        return dtype.type(adds.type(total) / adds.type(image.size))
