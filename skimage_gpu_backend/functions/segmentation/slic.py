"""skimage.segmentation.slic: k-means on the device, connectivity by scikit-image on the host."""

import functools
import math

import numpy as np

from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost, Launches
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Plan
from ...primitives.arguments import integer
from ...primitives.gaussian import steps_in_double
from ...primitives.value_range import value_range
from ...scikit_image import private
from ..color.cie import rgb2lab
from ._slic_arguments import Wanted, checked, grid

_SOURCE = "segmentation/slic.cu"
_NAN = "unmasked NaN values in image are not supported"
_INFINITE = "unmasked infinite values in image are not supported"


def _moved(function):
    """`function` as scikit-image's `channel_as_last_axis` makes it."""

    @functools.wraps(function)
    def planned(*args, channel_axis=-1, **kwargs):
        is_last = channel_axis is None or integer("channel_axis", channel_axis) == -1
        if not args and not is_last:
            raise Declined(
                "channel_axis is given and the image by its name, where scikit-image does not "
                "look at channel_axis; give the image by position"
            )
        return function(*args, channel_axis=channel_axis, **kwargs)

    return planned


@_moved
def slic(
    image,
    n_segments=100,
    compactness=10.0,
    max_num_iter=10,
    sigma=0,
    spacing=None,
    convert2lab=None,
    enforce_connectivity=True,
    min_size_factor=0.5,
    max_size_factor=3,
    slic_zero=False,
    start_label=1,
    mask=None,
    *,
    channel_axis=-1,
):
    """Superpixels by k-means in colour and place: `skimage.segmentation.slic`.

    3 launches an iteration (4 of SLIC-zero): each reads image or segments once, and the last
    iteration has no `update`. Before them 1 for the range, 24 bytes of which come to the host, 1
    that rescales, 1 for the conversion to Lab, those of a Gaussian (`primitives/gaussian.py`), 1
    for the compactness. Nothing comes to the host between iterations. Of all segments 4 bytes a
    pixel come to the host, where scikit-image's own loop connects them, and 8 go back; without
    `enforce_connectivity` nothing does. With a mask, which comes to the host, SciPy finds the first
    centres there, and there are twice as many iterations.

    Notes
    -----
    Labels of RGB images in single precision may differ, since NumPy's rounding of Lab depends on
    the CPU: a pixel that is equally near to two segments may get the other label.
    """
    wanted = checked(
        image,
        Wanted(
            n_segments=n_segments,
            compactness=compactness,
            max_num_iter=max_num_iter,
            sigma=sigma,
            spacing=spacing,
            convert2lab=convert2lab,
            enforce_connectivity=enforce_connectivity,
            min_size_factor=min_size_factor,
            max_size_factor=max_size_factor,
            slic_zero=slic_zero,
            start_label=start_label,
            mask=mask,
            channel_axis=channel_axis,
        ),
    )
    volume, dtype = (*wanted.space, wanted.channels), wanted.dtype
    in_lab = rgb2lab(Array(volume, dtype)) if wanted.convert2lab else None
    smooth = None
    if any(s > 0 for s in wanted.sigma):
        given = Array(volume, dtype, "image")
        smooth = Launches(*steps_in_double(given, (*wanted.sigma, 0), "reflect"))
    ratio = 1.0 / wanted.compactness

    def run(image, mask=None):
        if wanted.axis is not None:
            image = xp.moveaxis(image, wanted.axis, -1)
        result = image.shape if wanted.channel_axis is None and image.ndim < 4 else image.shape[:-1]
        image = xp.ascontiguousarray(image).reshape(volume)
        seen = None
        if mask is not None:
            seen = xp.ascontiguousarray(mask, dtype=bool).reshape(wanted.space)
        image = _rescaled(image, seen, dtype)
        if in_lab:
            image = in_lab.run(rgb=image)
        if smooth:
            image = smooth(image=image)
        if ratio != 1:
            image = image * ratio
        labels = _segmented(wanted, image, seen)
        return labels.reshape(result)

    before = [plan.cost for plan in (in_lab, smooth) if plan]
    return Plan(run, cost=_cost(wanted, image.dtype, before) if wanted.mask is None else None)


def _cost(wanted, dtype, before):
    """What a call without a mask takes at most; `before`: what conversions of the image do."""
    pixels, segments = math.prod(wanted.space), wanted.segments
    given, nbytes = (pixels * wanted.channels * each.itemsize for each in (dtype, wanted.dtype))
    centers = segments * (3 + wanted.channels) * wanted.dtype.itemsize
    iterations, is_moved = max(wanted.max_num_iter, 0), wanted.axis is not None
    spreads = max(iterations - 1, 0) if wanted.slic_zero else 0
    joins = not wanted.enforce_connectivity
    scaled = 1.0 / wanted.compactness != 1
    launches = 3 + is_moved + scaled + wanted.slic_zero + joins
    launches += 3 * iterations - (iterations > 0) + spreads
    lists = 64 * segments  # of cells and boxes
    read = (2 + is_moved) * given + scaled * nbytes + joins * 4 * pixels
    read += iterations * (2 * (nbytes + centers) + 4 * pixels + lists)
    read += spreads * (nbytes + centers + 4 * pixels)
    written = is_moved * given + (1 + scaled) * nbytes + (4 + 8 * joins) * pixels + centers
    written += iterations * (4 * pixels + centers + lists) + spreads * centers
    return Cost(
        launches + sum(cost.launches for cost in before),
        read + sum(cost.read for cost in before),
        written + sum(cost.written for cost in before),
        3 * nbytes + 4 * pixels + centers + lists,
    )


def _rescaled(image, mask, dtype):
    """The image as floats, from 0 to 1 where the mask is."""
    values = image if mask is None else image[mask]
    if not values.size:
        raise Declined("mask is False everywhere; give one with pixels")
    found = value_range(values)
    low, high, _ = to_host(found)
    if found.dtype.kind == "f":
        if np.isnan(low):
            raise ValueError(_NAN)
        if np.isinf(low) or np.isinf(high):
            raise ValueError(_INFINITE)
    if image.dtype.kind == "b":
        found = found.view(bool)
    result = xp.empty(image.shape, dtype)
    expression = f"rescale<{c_name(image.dtype)}, {c_name(dtype)}>"
    launch(_SOURCE, expression, (image, found, image.size, result), work=image.size)
    return result


def _segmented(wanted, image, mask):
    """Labels of all pixels."""
    if mask is None:
        centers, steps = grid(wanted.space, wanted.n_segments)
        members = math.prod(wanted.space)
    else:
        on_host = to_host(mask).view("uint8")
        is_multichannel = wanted.channel_axis is not None
        args = on_host, wanted.n_segments, is_multichannel
        centers, steps = private("segmentation.slic_superpixels")._get_mask_centroids(*args)
        members = on_host.sum()
    count = len(centers)
    centers = np.concatenate([centers, np.zeros((count, wanted.channels))], axis=-1)
    means = _Means(wanted, image, mask, centers, max(steps))
    if mask is not None:
        means.run(ignores_color=True)
    nearest = means.run(ignores_color=False)
    if not wanted.enforce_connectivity:
        return xp.add(nearest, wanted.start_label, dtype=np.int64)
    connected = private("segmentation._slic")._enforce_label_connectivity_cython
    least, most = wanted.sizes(members / count)
    labels = to_host(nearest).astype(np.intp)
    labels += wanted.start_label
    return xp.asarray(connected(labels, least, most, start_label=wanted.start_label))


class _Means:
    """k-means of an image, whose centres stay on the device."""

    def __init__(self, wanted, image, mask, centers, step):
        self.image, self.mask, self.wanted = image, mask, wanted
        self.count, dtype = len(centers), image.dtype
        self.name = c_name(dtype)
        self.centers = xp.asarray(np.ascontiguousarray(centers, dtype=dtype))
        self.space = space = np.zeros((), _space(dtype))
        space["lengths"], space["segments"] = wanted.space, self.count
        space["steps"] = grid(wanted.space, self.count)[1]
        space["cells"] = -(-space["lengths"] // (2 * space["steps"]))
        space["spacing"], space["channels"] = wanted.spacing, wanted.channels
        step = np.float32(step)
        with np.errstate(divide="ignore", over="ignore"):
            space["weight"] = np.float64(1.0) / (step * step)
        space["by_spread"] = wanted.slic_zero
        self.heads = xp.zeros(int(space["cells"].prod()), "int32")
        self.following = xp.empty(self.count, "int32")
        self.boxes = xp.empty((self.count, 6), "int32")

    def run(self, *, ignores_color):
        """The nearest centre of each pixel at last; -1 of those that have none."""
        self.space["ignores_color"] = ignores_color
        space = self.space[()]
        nearest = xp.full(self.image.shape[:-1], -1, "int32")
        spreads = xp.ones(self.count, self.image.dtype) if self.wanted.slic_zero else None
        lists, pixels = (self.heads, self.following), nearest.size
        features = self.centers.size
        for number in rounds(self.wanted.max_num_iter):
            self._launch("place", (self.centers, space, *lists, self.boxes), self.count)
            args = self.image, self.mask, self.centers, spreads, *lists, space, nearest, self.boxes
            self._launch("assign", args, pixels)
            if number + 1 == self.wanted.max_num_iter and not ignores_color:
                break
            args = self.image, nearest, self.boxes, space, self.centers, self.heads
            self._launch("update", args, max(features, self.heads.size))
            if spreads is not None and not ignores_color:
                self._launch("spread", (self.image, nearest, self.centers, space, spreads), pixels)
        return nearest

    def _launch(self, kernel, args, work):
        launch(_SOURCE, f"{kernel}<{self.name}>", args, work=work)


def _space(dtype):
    """The struct Space of segmentation/slic.cu."""
    names = [(name, "i8", 3) for name in ("lengths", "steps", "cells")]
    names += [("segments", "i8"), ("spacing", dtype, 3), ("weight", dtype), ("channels", "i4")]
    return np.dtype([*names, ("ignores_color", "?"), ("by_spread", "?")], align=True)


def specializations():
    """Every (source, expression) that this room launches."""
    for name in C_NAMES:
        working = "float" if name in ("float16", "float32") else "double"
        yield _SOURCE, f"rescale<{C_NAMES[name]}, {working}>"
    for working in ("float", "double"):
        for kernel in ("place", "assign", "update", "spread"):
            yield _SOURCE, f"{kernel}<{working}>"
