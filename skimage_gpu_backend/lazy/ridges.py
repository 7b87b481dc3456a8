"""`filters.meijering`, and `frangi` without gamma, of Dask arrays.

The largest value of each scale, or of the first, is found by a pass over the chunks. What is
normalized is computed again in the second, so that nothing but the image waits.
"""

from functools import partial

import numpy as np
from scipy.linalg import circulant

from .._warn import warn_caller
from ..device.dtypes import float_type
from ..functions.filters import ridges as room
from ..scikit_image import on_host
from .chunk import on_chunk
from .graph import Graph, Made
from .measured import measured, plan_to


def meijering(call):
    """Neuriteness: the values of each scale are divided by the largest of the image."""
    (image,) = call.images
    options = {name: call.options[name] for name in ("black_ridges", "mode", "cval")}
    alpha = call.options["alpha"]
    options["alpha"] = room.alpha_of(image.ndim) if alpha is None else alpha
    options["sigmas"] = tuple(call.options["sigmas"])
    graph, made = _graph(call, options)
    peaks = graph.added_up(_peaks, _largest)
    return graph.results(made, _normalized, peaks)


def frangi(call):
    """Vesselness, whose gamma is half the largest norm of the first scale."""
    options = dict(call.options)
    scales = room._scales(options.pop("scale_range"), options.pop("scale_step"))
    if scales:
        warn_caller(room._OF_SCALES, UserWarning)
    options["sigmas"] = tuple(scales or options["sigmas"])
    graph, made = _graph(call, options)
    peaks = graph.added_up(_peaks, _largest)
    return graph.results(made, _vessels, peaks)


def _graph(call, options):
    (image,) = call.images
    reach = room.reach_of(image, options["mode"], options["sigmas"])
    task = call.task(call.name, ("image",), **options)
    made = Made(image.shape, np.dtype(float_type(image.dtype)))
    return Graph([image], reach, task), made


def _peaks(block, task, axes, block_id):
    """Largest values of a chunk, one for each scale that is asked."""
    own = tuple(axis.core(number) for axis, number in zip(axes, block_id, strict=True))
    return np.array(_made(block, task, partial(_largest_of, own)))


def _largest_of(own, scales):
    return [float(scale[own].max()) for scale in scales]


def _largest(parts):
    return np.maximum.reduce(parts)


def _normalized(block, peaks, task):
    """Result of Meijering's filter for a block."""
    return _made(block, task, partial(_over_scales, peaks))


def _over_scales(peaks, scales):
    found = None
    for scale, peak in zip(scales, peaks, strict=True):
        if peak > 0:
            scale /= scale.dtype.type(peak)
        found = scale if found is None else np.maximum(found, scale)
    return found


def _vessels(block, peaks, task):
    gamma = float_type(block.dtype)(peaks[0]) / 2
    return on_chunk(block, task=task._replace(kwargs=task.kwargs | {"gamma": gamma or 1}))


def _made(block, task, make):
    """What is made of the scales of a block, on the device or on the host."""
    kind = room.MEIJERING if task.name.endswith("meijering") else room.FRANGI
    on_device = plan_to(partial(_on_device, kind, task.kwargs, make))
    return measured((block,), task, on_device, partial(_on_host, kind, task.kwargs, make))


def _on_device(kind, options, make, image):
    black_ridges, alpha = bool(options["black_ridges"]), float(options["alpha"])
    sigmas = options["sigmas"][: None if kind == room.MEIJERING else 1]
    return make(room.scales(kind, image, sigmas, black_ridges, options["mode"], alpha))


def _on_host(kind, options, make, image):
    if kind == room.MEIJERING:
        return make(_values(image, sigma, options) for sigma in options["sigmas"])
    return make(_norms(image, sigma, options) for sigma in options["sigmas"][:1])


def _eigenvalues(image, sigma, options):
    image = image.astype(float_type(image.dtype), copy=False)
    given = {name: options[name] for name in ("mode", "cval")}
    image = image if options["black_ridges"] else -image
    given["use_gaussian_derivatives"] = True
    elements = on_host("skimage.feature:hessian_matrix", image, sigma, **given)
    return on_host("skimage.feature:hessian_matrix_eigvals", elements)


def _values(image, sigma, options):
    """As scikit-image's `meijering` has them before it normalizes them."""
    found = _eigenvalues(image, sigma, options)
    weights = circulant([1, *[options["alpha"]] * (image.ndim - 1)]).astype(found.dtype)
    found = np.tensordot(weights, found, 1)
    found = np.take_along_axis(found, abs(found).argmax(0)[None], 0).squeeze(0)
    return np.maximum(found, 0)


def _norms(image, sigma, options):
    """As scikit-image's `frangi` has them."""
    found = _eigenvalues(image, sigma, options)
    found = np.take_along_axis(found, abs(found).argsort(0), 0)
    return np.sqrt((found**2).sum(0))
