"""skimage2.feature: functions that differ from those of skimage.feature."""

import numpy as np

from ...plan import Declined
from ..feature import peaks as skimage


def corner_peaks(
    image,
    min_distance=1,
    threshold_abs=None,
    threshold_rel=None,
    exclude_border=1,
    indices=True,
    num_peaks=np.inf,
    footprint=None,
    labels=None,
    *,
    num_peaks_per_label=np.inf,
    p_norm=np.inf,
):
    """Peaks of corner responses: `corner_peaks`, with a default border of one pixel.

    scikit-image's ORB calls it. Launches are those of `skimage.feature.corner_peaks`.
    """
    if labels is not None:  # peaks of labels are in another order
        raise Declined("labels are given; give none, which changes the result")
    if isinstance(min_distance, int) and min_distance < 1:  # the warning has another text
        raise Declined("min_distance is less than 1; give 1 or more, which changes the result")
    if isinstance(exclude_border, bool):  # a number of pixels, in skimage that of min_distance
        exclude_border = int(exclude_border)
    return skimage.corner_peaks(
        image,
        min_distance,
        threshold_abs,
        threshold_rel,
        exclude_border,
        indices,
        num_peaks,
        footprint,
        labels,
        num_peaks_per_label=num_peaks_per_label,
        p_norm=p_norm,
    )
