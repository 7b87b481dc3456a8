"""`feature.canny` of Dask arrays: both thresholds by chunks with halos, hysteresis by regions."""

import numpy as np
from skimage.util.dtype import dtype_limits

from ..plan import Reach
from ..primitives.stencils import radius, sigma_per_axis
from ..trouble import Declined
from .components import above
from .graph import Graph, Made

_TRUNCATE = 4.0  # of the Gaussian
_BEHIND = 2  # pixels on each side that gradients and what is larger beside a pixel take


def canny(call):
    """`feature.canny`: two ordinary calls for each chunk, which find what is above a threshold."""
    options = dict(call.options)
    if options["use_quantiles"]:
        raise Declined(
            "use_quantiles needs all magnitudes in order; give low_threshold and high_threshold"
        )
    if options["mode"] == "wrap":
        raise Declined("mode is wrap, for which ends of the image meet; give another, as 'reflect'")
    image = call.images[0]
    low, high = (
        _threshold(options.pop(f"{name}_threshold"), share, image.dtype)
        for name, share in (("low", 0.1), ("high", 0.2))
    )
    sigmas = sigma_per_axis(options["sigma"], 2, None)
    reach = Reach(tuple(radius(s, _TRUNCATE) + _BEHIND for s in sigmas))
    parameters = ("image", "mask")[: len(call.images)]
    masks = []
    for limit in (low, high):
        limits = {"low_threshold": limit, "high_threshold": limit}
        task = call.task(call.name, parameters, **options, **limits)
        graph = Graph(call.images, reach, task)
        masks.append(graph.results(Made(image.shape, np.dtype(bool))))
    return above(call, *masks, steps=2)


def _threshold(given, share, dtype):
    """A threshold that means the same as the caller's: a share of the largest value by default."""
    if given is not None:
        return given
    return share * dtype_limits(np.empty(0, dtype), clip_negative=False)[1]
