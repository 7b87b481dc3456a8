"""`feature.canny` of Dask arrays: both thresholds by chunks with halos, hysteresis by regions."""

from functools import partial

import numpy as np
from scipy import ndimage as ndi
from skimage.util import dtype_limits

from ..device.dtypes import float_type
from ..functions.feature.canny import percentages
from ..plan import Plan, Reach
from ..primitives.percentiles import between, ranks_of
from ..primitives.stencils import radius, sigma_per_axis
from ..scikit_image import private
from ..trouble import Declined
from .chunk import on_chunk
from .components import above
from .graph import Graph, Made
from .measured import measured
from .order import elements_at

_TRUNCATE = 4.0  # of the Gaussian
_BEHIND = 2  # pixels on each side that gradients and what is larger beside a pixel take


def canny(call):
    """`feature.canny`: two ordinary calls for each chunk, which find what is above a threshold."""
    options = dict(call.options)
    if options["mode"] == "wrap":
        raise Declined(
            "mode is wrap, for which ends of the image meet; give another, as 'reflect', which "
            "changes the result"
        )
    sigmas = sigma_per_axis(options["sigma"], 2, None)
    reach = Reach(tuple(radius(s, _TRUNCATE) + _BEHIND for s in sigmas))
    given = (options.pop("low_threshold"), options.pop("high_threshold"))
    floats = call.task("skimage.util:img_as_float", ("image",))
    found, kept = (), {"floats": floats}
    if options.pop("use_quantiles"):
        found = (_quantiles(call, options, given, reach),)
    else:
        kept["limits"] = _numbers(given, call.images[0].dtype)
    task = call.task(call.name, _parameters(call), **options, use_quantiles=False)
    made = Made(call.images[0].shape, np.dtype(bool))
    low, high = (
        Graph(call.images, reach, task).results(made, _above, *found, is_high=is_high, **kept)
        for is_high in (False, True)
    )
    return above(call, low, low & high, steps=2)


def _parameters(call):
    return ("image", "mask")[: len(call.images)]


def _numbers(given, dtype):
    """Thresholds as scikit-image has them: parts of the largest value of the image's type."""
    most = dtype_limits(np.empty(0, dtype), clip_negative=False)[1]
    shares = zip(given, (0.1, 0.2), strict=True)
    return tuple(share if number is None else number / most for number, share in shares)


def _quantiles(call, options, given, reach):
    """Two of the magnitudes of gradients, or between two, which passes over them find."""
    image = call.images[0]
    task = call.task(call.name, _parameters(call), **options, use_quantiles=True)
    dtype = np.dtype(float_type(image.dtype))
    graph = Graph(call.images, reach, task)
    magnitude = graph.results(Made(image.shape, dtype), _magnitude)
    ranks, share = ranks_of(image.size, percentages(*given))
    found = elements_at(call, magnitude, np.append(ranks, image.size - 1))
    return call.made(_percentiles, found, dtype=object, share=share)


def _magnitude(*chunks, task):
    chunks = [_unlisted(chunk) for chunk in chunks]
    host = partial(_magnitude_on_host, **{n: task.kwargs[n] for n in ("sigma", "mode", "cval")})
    return measured(chunks, task, lambda plan: Plan(plan.run.magnitude), host)


def _unlisted(chunk):
    while type(chunk) is list:
        (chunk,) = chunk
    return chunk


def _magnitude_on_host(image, mask=None, **options):
    """As scikit-image's `canny` has them."""
    smoothed, _ = private("feature._canny")._preprocess(image, mask, **options)
    along_columns, along_rows = (ndi.sobel(smoothed, axis=axis) for axis in range(2))
    magnitude = along_columns * along_columns
    magnitude += along_rows * along_rows
    return np.sqrt(magnitude, out=magnitude)


def _percentiles(found, share):
    """Both thresholds; NaN, which is last, makes them so."""
    *elements, last = found
    return between(np.array(elements), share) if last == last else np.full(2, np.nan)


def _above(image, *others, is_high, floats, task, limits=None):
    """What is above a threshold: of an image as floats, whose thresholds are not divided."""
    *mask, limits = others if limits is None else (*others, limits)
    limit = limits[int(is_high)]
    with np.errstate(over="ignore"):
        low = np.float32(limit)  # as it is compared
    if is_high and float(low) > float(limit):
        low = np.nextafter(low, np.float32(-np.inf))
    thresholds = {"low_threshold": float(low), "high_threshold": limit if is_high else float(low)}
    image = on_chunk(image, task=floats)
    return on_chunk(image, *mask, task=task._replace(kwargs=task.kwargs | thresholds))
