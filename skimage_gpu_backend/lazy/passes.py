"""Functions of two passes: what the first finds in the whole image is an argument of the second.

Where it is the range of values, chunks are given two rows more, of the least and of the largest
element of the image, on a side where they have neighbours: then their calls are ordinary ones.
"""

from functools import partial

import numpy as np

from ..device.dtypes import float_type
from ..functions.exposure.histogram import warn_of_color
from ..plan import Plan
from .chunk import on_chunk
from .graph import Graph, Made
from .isotropic import isotropic
from .measured import measured


def lazily(call, passes, task, images, make):
    """Dask arrays of a call of two passes.

    Parameters
    ----------
    call : reduced.Call
    passes : Passes
    task : Task
        Of the chunks.
    images : dict
        Arrays by the names of their parameters, Dask arrays among them.
    make : callable
        Gives `Made` of the call's results.
    """
    special = _SPECIAL.get(task.name, _of_range)
    return special(call, passes, task, images, make)


def _of_range(call, passes, task, images, make):
    ends = [(image.min(), image.max()) for image in call.images]
    return _between(ends, passes, task, images, make)


def _between(ends, passes, task, images, make):
    return Graph(list(images.values()), passes.reach, task, ends).results(make())


def _unsharp_mask(call, passes, task, images, make):
    (image,) = call.images
    sign = call.made(_sign, (image < 0).any(), dtype=image.dtype, into=image.dtype)
    return _between([(sign, sign)], passes, task, images, make)


def _sign(is_any, into):
    return into.type(-int(is_any))


def _denoise_bilateral(call, passes, task, images, make):
    (image,) = call.images
    ends = [(image.min(), image.max())]
    if not call.options["sigma_color"]:
        floats = image
        if image.dtype.kind != "f":
            asked = call.task("skimage.util:img_as_float", ("image",))
            meta = np.empty_like(image._meta, dtype=float)
            floats = image.map_blocks(on_chunk, task=asked, dtype=float, meta=meta)
        mean = floats.sum() / floats.size  # no Dask's own, which are not of CuPy's chunks
        spread = np.sqrt(((floats - mean) ** 2).sum() / floats.size)
        spread = call.made(_number, spread, dtype=spread.dtype, into=spread.dtype)
        images, ends = images | {"sigma_color": spread}, [*ends, ()]
        task = task._replace(parameters=tuple(images))
    result = _between(ends, passes, task, images, make)
    # an image of one value is given back as it is, of integers too
    return result.map_blocks(_as_told, dtype=result.dtype, into=result.dtype)


def _as_told(block, into):
    return block.astype(into, copy=False)


def _number(value, into):
    return into.type(float(value))


def _equalize_hist(call, passes, task, images, make):
    (image,) = call.images
    warn_of_color(image)
    dtype = np.dtype(float_type(image.dtype))
    bins, _ = call.bins()
    found = call.made(_distribution, bins, dtype=object, into=dtype)
    made = Made(image.shape, dtype)
    return Graph([image], passes.reach, task).results(made, second_pass, found, host=_interpolated)


def _distribution(bins, into):
    shares = bins[0].cumsum()
    return (shares / float(shares[-1])).astype(into, copy=False), bins[1]


def _interpolated(image, found):
    shares, centers = found
    result = np.interp(image.ravel(), centers, shares).reshape(image.shape)
    return result.astype(float_type(image.dtype), copy=False)


def second_pass(chunk, found, *, task, host):
    """What the second pass of a call makes of a chunk: on the device if that takes the call.

    Parameters
    ----------
    chunk : array
        Of the image, which is the only one.
    found : object
        What the first pass has found.
    task : Task
    host : callable
        Takes a chunk and what was found, and makes the same of them on the host.
    """

    def plan_of(plan):
        return Plan(partial(plan.reach.make, found), plan.reach.reach)

    return measured((chunk,), task, plan_of, partial(host, found=found))


_SPECIAL = {
    "skimage.exposure:equalize_hist": _equalize_hist,
    "skimage.filters:unsharp_mask": _unsharp_mask,
    "skimage.restoration:denoise_bilateral": _denoise_bilateral,
    "skimage.morphology:isotropic_closing": isotropic,
    "skimage.morphology:isotropic_dilation": isotropic,
    "skimage.morphology:isotropic_erosion": isotropic,
    "skimage.morphology:isotropic_opening": isotropic,
}
