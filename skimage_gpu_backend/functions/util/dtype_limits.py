"""skimage.util.dtype_limits."""

import numpy as np

from ...plan import Declined, Idle, Plan
from ...primitives.arguments import truth
from ...primitives.of_cupy import NOTHING
from ...scikit_image import private


def dtype_limits(image, clip_negative=False):
    """Ends of the range of an image's dtype: `skimage.util.dtype_limits`. Nothing is launched."""
    if isinstance(image, np.ndarray):
        raise Declined(
            Idle("image is a NumPy array and the answer lies in its dtype; nothing to change")
        )
    least, most = private("util.dtype").dtype_range[image.dtype.type]
    limits = 0 if truth("clip_negative", clip_negative) else least, most
    return Plan(lambda image: limits, cost=NOTHING)
