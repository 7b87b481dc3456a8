"""skimage.feature.multiscale_basic_features: made of the plans of other functions."""

import functools
import itertools
import math

import numpy as np

from ...device import launch
from ...device.launches import Array, grid_of_tiles
from ...device.rounds import rounds
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, real, truth
from ...primitives.channels import refuse_axis
from ..filters.edges import gradient_struct, sobel
from ..filters.gaussian import gaussian
from ..util.img_as import img_as_float32
from .eigenvalues import hessian_matrix_eigvals

_SOURCE = "feature/basic_features.cu"
_TILE = 16, 64  # HEIGHT and WIDTH in basic_features.cu
_INTENSITY, _EDGES, _TEXTURE = 1, 2, 4
_SINGLE = np.dtype(np.float32)
_MOST = 64  # sigmas


def multiscale_basic_features(
    image,
    intensity=True,
    edges=True,
    texture=True,
    sigma_min=0.5,
    sigma_max=16,
    num_sigma=None,
    workers=None,
    *,
    channel_axis=None,
):
    """Intensities, edges and textures: `skimage.feature.multiscale_basic_features`.

    For each channel what `img_as_float32` launches and what `gaussian` does for each sigma; of
    planes one launch makes all features of these. Of volumes `sobel` and `hessian_matrix_eigvals`
    make them for each sigma, and CuPy's differences; they are copied once, into the result.
    """
    flags = {"intensity": intensity, "edges": edges, "texture": texture}
    intensity, edges, texture = (truth(name, value) for name, value in flags.items())
    if not (intensity or edges or texture):
        raise Invalid("intensity, edges and texture are all False; leave one of them out")
    if workers is not None and integer("workers", workers) < 1:
        raise Invalid("workers is below 1; leave workers out")
    axis = _channels(image, channel_axis)
    shape = image.shape if axis is None else image.shape[:axis] + image.shape[axis + 1 :]
    if len(shape) < 2 or 0 in image.shape:
        raise Declined("image has fewer than two axes, or is empty; give a plane or a volume")
    if texture and min(shape) < 2:
        raise Invalid("image has an axis with one element, which has no slope; give texture=False")
    single = Array(shape, _SINGLE)
    converted = img_as_float32(Array(shape, image.dtype)).run
    smoothed = [gaussian(single, sigma).run for sigma in _sigmas(sigma_min, sigma_max, num_sigma)]
    if len(shape) == 2:
        kinds = intensity * _INTENSITY | edges * _EDGES | texture * _TEXTURE
        return Plan(functools.partial(_of_planes, converted, smoothed, kinds, axis))
    magnitude = sobel(single).run if edges else None
    pairs = list(itertools.combinations_with_replacement(range(len(shape)), 2))
    eigenvalues = hessian_matrix_eigvals([single] * len(pairs)).run if texture else None

    def features(image):
        image = xp.ascontiguousarray(converted(image=image))
        for smooth in smoothed:
            smooth = smooth(image=image)
            if intensity:
                yield smooth
            if edges:
                yield magnitude(image=smooth)
            if texture:
                slopes = xp.gradient(smooth)
                yield from eigenvalues(H_elems=[xp.gradient(slopes[a], axis=b) for a, b in pairs])

    def run(image):
        channels = (image,) if axis is None else xp.moveaxis(image, axis, 0)
        return xp.stack([f for channel in channels for f in features(channel)], axis=-1)

    return Plan(run)


def _of_planes(converted, smoothed, kinds, axis, image):
    """One launch for all features of each channel that are made of smoothed planes."""
    channels = (image,) if axis is None else xp.moveaxis(image, axis, 0)
    count, shape = len(smoothed), channels[0].shape
    of_each = bool(kinds & _INTENSITY) + bool(kinds & _EDGES) + 2 * bool(kinds & _TEXTURE)
    step = len(channels) * count * of_each
    result, planes = xp.empty((*shape, step), _SINGLE), xp.empty((count, *shape), _SINGLE)
    down, across = (-(-n // side) for n, side in zip(shape, _TILE, strict=True))
    size = {
        "work": planes.size,
        "block": (32, 8),
        "grid": grid_of_tiles(down, across),
        "shared": 4 * math.prod(side + 4 for side in _TILE),
    }
    for number in rounds(len(channels)):
        channel = xp.ascontiguousarray(converted(image=channels[number]))
        for smooth, plane in zip(smoothed, planes, strict=True):
            smooth(image=channel, out=plane)
        first = number * count * of_each
        args = (planes, count, *shape, np.int32(kinds), first, step, result, _sobel())
        launch(_SOURCE, "basic_features", args, **size)
    return result


@functools.cache
def _sobel():
    return gradient_struct("sobel", (0, 1), 2, _SINGLE)


def _channels(image, channel_axis):
    """The axis of the channels, counted from the first one; None without."""
    if channel_axis is None:
        return None
    axis = integer("channel_axis", channel_axis)
    refuse_axis(image, axis)
    return axis % image.ndim


def _sigmas(least, most, count):
    """As _mutiscale_basic_features_singlechannel of skimage/feature/_basic_features.py."""
    real("sigma_min", least)
    real("sigma_max", most)
    try:
        with np.errstate(all="ignore"):
            ends = np.log2(least), np.log2(most)
            count = int(ends[1] - ends[0] + 1) if count is None else integer("num_sigma", count)
            if count > _MOST:
                raise Declined(f"num_sigma is above {_MOST}, or sigmas are far apart; give fewer")
            sigmas = np.logspace(*ends, num=count, base=2)
    except Declined:
        raise
    except Exception as error:
        raise Invalid(f"num_sigma, sigma_min or sigma_max: {error}; leave them out") from None
    if not sigmas.size:
        raise Invalid("sigma_max is below sigma_min, or num_sigma is 0; give larger numbers")
    return sigmas.tolist()


def specializations():
    """Every (source, expression) that the function launches."""
    return [(_SOURCE, "basic_features")]
