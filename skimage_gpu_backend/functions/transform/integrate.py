"""skimage.transform.integrate."""

import numpy as np

from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...scikit_image import on_host


def integrate(ii, start, end):
    """Sums over windows, by an integral image: `skimage.transform.integrate`.

    1 launch; the numbers at the windows' corners come to the host, where scikit-image's own
    function adds them up. One more launch makes a strided image contiguous.
    """
    if ii.ndim == 0 or ii.size == 0:
        raise Declined("ii has no axes, or is empty; nothing to change")
    asked = _Corners(ii.shape, None)
    try:
        on_host("skimage.transform:integrate", asked, start, end)
    except Exception as error:
        raise Invalid(f"{type(error).__name__}: {error}") from None
    places = np.array(asked.places, np.int64)
    found = places.size * ii.dtype.itemsize
    most = ii.size * ii.dtype.itemsize + places.nbytes  # read, were there a window at each place

    def run(ii):
        corners = to_host(ii.ravel()[xp.asarray(places)])
        return xp.asarray(
            on_host("skimage.transform:integrate", _Corners(ii.shape, iter(corners)), start, end)
        )

    return Plan(run, cost=Cost(1, most, found))


class _Corners:
    """Instead of an integral image: notes which elements are asked for, or answers in turn."""

    def __init__(self, shape, values):
        self.shape, self.ndim = shape, len(shape)
        self.places, self._values = [], values

    def __getitem__(self, corner):
        if self._values is not None:
            return next(self._values)
        if len(corner) != self.ndim:
            raise TypeError("a corner has fewer numbers than the image axes")
        if any(not isinstance(place, int | np.integer) for place in corner):
            raise IndexError("a corner is not of integers")
        indices = [range(length)[place] for place, length in zip(corner, self.shape, strict=True)]
        self.places.append(np.ravel_multi_index(indices, self.shape))
        return 0
