"""skimage.transform: swirl and warp_polar."""

import functools
import math

import numpy as np

from ....device.launches import Array
from ....devices import xp
from ....plan import Declined, Invalid
from ....primitives.arguments import is_finite
from ....primitives.channels import channels_moved, refuse_axis
from ....scikit_image import private
from .._interpolation import around
from ._maps import (
    POLAR,
    SWIRL,
    Source,
    by_function,
    by_places,
    places_of,
    plane_shape,
    point_of,
    refuse_but_planes,
    refuse_half_precision,
    refuse_mixed_channels,
    sampled,
    told,
    whole_shape,
)


def swirl(
    image,
    center=None,
    strength=1,
    radius=100,
    rotation=0,
    output_shape=None,
    order=None,
    mode="reflect",
    cval=0,
    clip=True,
    preserve_range=False,
):
    """Swirl an image: `skimage.transform.swirl`.

    1 launch; image read once, result written once. Higher orders and clipping as in `warp`.
    """
    center = point_of(center)
    if not all(is_finite(number) for number in (strength, radius, rotation)):
        raise Declined(
            "strength, radius or rotation is no finite number; give numbers, as 1, 100 and 0"
        )
    if radius < 0:  # powers of distances, in which the last bits grow
        raise Declined("radius is negative; give a number from 0 on, as 100")
    sampling = _sampled(image, order, mode, cval, clip, preserve_range)
    made = plane_shape(image, whole_shape(output_shape))
    center = center or tuple(np.array(image.shape)[:2][::-1] / 2)
    return _swirled(Source.of(image), made, sampling, strength, radius, rotation, *center)


# Typed: a float32 radius decays otherwise.
@functools.lru_cache(maxsize=256, typed=True)
def _swirled(source, made, sampling, strength, radius, rotation, *center):
    places = places_of(SWIRL, *center, rotation, strength, radius / 5 * np.log(2))
    on_tie = None
    if sampling.order == 0:
        arguments = {"rotation": rotation, "strength": strength, "radius": radius}
        arguments["center"] = np.array(center)
        on_tie = by_function(
            source, private("transform._warps")._swirl_mapping, arguments, made, sampling
        )
    return told(by_places(source, made, sampling, places, on_tie=on_tie), sampling)


@channels_moved()
def warp_polar(
    image,
    center=None,
    *,
    radius=None,
    output_shape=None,
    scaling="linear",
    channel_axis=None,
    order=None,
    mode="constant",
    cval=0.0,
    clip=True,
    preserve_range=False,
):
    """Remap an image to polar or log-polar coordinates: `skimage.transform.warp_polar`.

    1 launch; image read once, result written once. Each row's angle and each column's radius
    are computed on the host and go to the device, so that coordinates are scikit-image's to the
    last bit. Higher orders and clipping as in `warp`. Channels that are not last: 1 launch more
    makes the image contiguous.
    """
    if image.ndim != (2 if channel_axis is None else 3):
        raise Invalid("image is not of two axes besides the channels")
    moved = image
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
        sizes = list(image.shape)
        sizes.append(sizes.pop(channel_axis))
        moved = Array(tuple(sizes), image.dtype)
    if not isinstance(scaling, str) or scaling not in ("linear", "log"):
        raise Invalid("scaling is unknown")
    center = point_of(center) or tuple(np.array(moved.shape)[:2] / 2 - 0.5)
    if radius is not None and not (is_finite(radius) and radius > 1):
        raise Declined("radius is not a finite number above 1; give one, as 100")
    sampling = _sampled(moved, order, mode, cval, clip, preserve_range)
    if radius is None:
        width, height = np.array(moved.shape)[:2] / 2
        radius = np.sqrt(width**2 + height**2)
    shape = whole_shape(output_shape)
    if shape is None:
        shape = 360, math.ceil(radius)
    if channel_axis is not None and len(shape) != 2:
        raise Declined("output_shape is not of two numbers; give two integers, as (256, 256)")
    made = plane_shape(moved, shape)
    plan = _in_polar(Source.of(moved), made, sampling, scaling == "log", radius, *center)
    if channel_axis is None:
        return plan
    change = functools.partial(_channels_moved, channel_axis)
    return around(plan, change, launches=1, nbytes=moved.nbytes)


def _channels_moved(axis, run, image):
    return xp.moveaxis(run(image=xp.moveaxis(image, axis, -1)), -1, axis)


# Typed: a float32 radius gives other radii.
@functools.lru_cache(maxsize=256, typed=True)
def _in_polar(source, made, sampling, is_log, radius, *center):
    rows, columns = made
    table = Array((2 * rows + columns,), np.dtype(float), "table")
    plan = by_places(source, made, sampling, places_of(POLAR, *center), table=table)
    with_table = functools.partial(_with_table, rows, columns, is_log, radius)
    return told(around(plan, with_table), sampling)


def _with_table(rows, columns, is_log, radius, run, image):
    angles = np.arange(rows, dtype=float) / (rows / (2 * np.pi))
    radii = np.arange(columns, dtype=float) / (columns / (np.log(radius) if is_log else radius))
    table = np.concatenate([np.sin(angles), np.cos(angles), np.exp(radii) if is_log else radii])
    return run(image=image, table=xp.asarray(table))


def _sampled(image, *arguments):
    """`Sampling` of an image that a function maps."""
    sampling = sampled(image, *arguments)
    refuse_half_precision(image, sampling)
    refuse_but_planes(image)
    refuse_mixed_channels(image, sampling)
    return sampling
