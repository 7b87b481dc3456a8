"""What corrections of several modules do to arguments and results."""

import cupy as cp
import numpy as np


def beyond_double(*images) -> bool:
    """Whether there are integers that double precision does not tell apart."""
    return any(
        image.dtype.char in "lqLQ" and image.size and not _fits(*map(int, host_extremes(image)))
        for image in images
    )


def _fits(least, largest):
    return max(-least, largest) < 2**53


def host_extremes(image) -> np.ndarray:
    """Smallest and largest value, on the host, in the image's dtype."""
    return cp.asnumpy(cp.stack([image.min(), image.max()]))


def interpolate(x, xp, fp):
    """`numpy.interp` to the last bit, for rising `xp`.

    CuPy's kernel rounds once where NumPy rounds twice; whoever makes integers of the result
    sees it.
    """
    before = cp.clip(cp.searchsorted(xp, x, side="right") - 1, 0, xp.size - 1)
    after = cp.minimum(before + 1, xp.size - 1)
    low, height = xp[before], fp[before].astype(float)
    span = cp.where(after > before, xp[after] - low, 1)
    slope = (fp[after] - height) / span
    between = slope * (x - low) + height
    return cp.where((x <= low) | (after == before), height, between)
