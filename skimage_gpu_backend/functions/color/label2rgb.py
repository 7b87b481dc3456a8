"""skimage.color.label2rgb."""

import itertools

import numpy as np
from skimage.color import color_dict

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays
from ...primitives.unique import Values
from ...scikit_image import private
from ._pixels import compute_type
from ._steps import struct

_SOURCE = "color/paint.cu"
_RGB = 3
_DOUBLE = np.dtype(np.float64)
_NEGATIVE = "Negative intensities in `image` are not supported"


def label2rgb(
    label,
    image=None,
    colors=None,
    alpha=0.3,
    bg_label=0,
    bg_color=(0, 0, 0),
    image_alpha=1,
    kind="overlay",
    *,
    saturation=0,
    channel_axis=-1,
):
    """Labels in colours, over an image or with its means: `skimage.color.label2rgb`.

    3 launches for the labels and a few of CuPy's; then 1 that reads 4 bytes a pixel and the image,
    and writes the result once. The labels come to the host once each, and colours go to the device.
    Means (kind="avg") are CuPy's sums, and 1 launch more that writes the result.
    """
    refuse_but_arrays(label=label, **({} if image is None else {"image": image}))
    axis = _axis(channel_axis, label, image)
    if label.ndim == 0 or label.size == 0:
        raise Declined("label has no axes or no elements; nothing to change")
    if label.dtype.kind not in "biu":
        raise Declined("label is not of integers; give label.astype(int)")
    if type(bg_label) not in (int, bool) and not isinstance(bg_label, np.integer):
        raise Declined("bg_label is not an integer; give one, as 0")
    if not isinstance(kind, str) or kind not in ("overlay", "avg"):
        raise Invalid("kind is neither 'overlay' nor 'avg'; give one of them")
    shape = _moved(image.shape, axis) if image is not None else None
    if kind == "avg":
        return _averages(label, image, shape, int(bg_label), bg_color, axis)
    if label.dtype.kind != "b" and int(bg_label) < np.iinfo(label.dtype).min:
        raise Invalid("bg_label is below what label's dtype holds; give label.astype(int)")
    if shape is not None:
        if shape[: label.ndim] != label.shape or len(shape) > label.ndim + 1:
            raise Invalid("image and label differ in shape; give an image of label.shape")
        if len(shape) == label.ndim + 1 and shape[-1] != _RGB:
            raise Invalid("image is not RGB; give one of three channels, or a gray one")
    numbers = {"alpha": alpha, "image_alpha": image_alpha, "saturation": saturation}
    for name, number in numbers.items():
        if type(number) not in (int, float, bool) or not abs(number) <= 1e300:
            raise Declined(f"{name} is not a plain number; give float({name})")
    table = table_of(colors, bg_color)
    colored = Colors(table, 1 if shape is None else alpha, int(bg_label), bg_color is None)
    dtype = _DOUBLE if image is None else image.dtype
    channels = 0 if shape is None else _RGB ** (len(shape) - label.ndim)
    blend = _blend(compute_type(dtype), **numbers)

    def run(label, image=None):
        if not 0 <= saturation <= 1:
            warn_caller(f"saturation must be in range [0, 1], got {saturation}", UserWarning)
        image = None if image is None else xp.ascontiguousarray(xp.moveaxis(image, axis, -1))
        painted, told = _painted(*colored(label), image, dtype, channels, blend)
        if dtype.kind in "if" and channels and tuple(to_host(told)) == (1, 0):
            warn_caller(_NEGATIVE, UserWarning)
        return xp.moveaxis(painted, -1, axis)

    return Plan(run)


def _axis(channel_axis, label, image):
    if type(channel_axis) is not int:
        raise Declined("channel_axis is not an integer; give one, as -1")
    axes = [label.ndim + 1] + ([] if image is None else [image.ndim])
    if any(not -n <= channel_axis < n for n in axes):
        raise Invalid("channel_axis is none of the image's axes; give one of them, as -1")
    return channel_axis


def _moved(shape, axis):
    """The shape with an axis as the last one."""
    shape = list(shape)
    last = shape.pop(axis)
    return (*shape, last)


def table_of(colors, bg_color):
    """The background's colour, and then those of the labels, in turn."""
    named = [(0, 0, 0) if bg_color is None else bg_color]
    try:
        named += list(private("color.colorlabel").DEFAULT_COLORS if colors is None else colors)
        rows = [
            np.array((color_dict[color] if isinstance(color, str) else color)[:3])
            for color in named
        ]
    except (KeyError, TypeError, ValueError, IndexError):
        raise Invalid("colors or bg_color has what is no colour; give names or RGB") from None
    if len(rows) < 2 or any(row.shape != (_RGB,) for row in rows):
        raise Declined("colors is empty, or has not three numbers each; give RGB, as (1, 0, 0)")
    table = np.stack(rows)
    if table.dtype not in (np.dtype(float), np.dtype(int)):
        raise Declined("colors are not of plain numbers; give them as Python's floats")
    return table


def _blend(w, alpha, image_alpha, saturation):
    """The struct Blend of color/paint.cu."""
    return struct(
        w, saturation=saturation, opacity=image_alpha, lift=1 - image_alpha, through=1 - alpha
    )


def _painted(ranks, colors, bare, image, dtype, channels, blend):
    """The labels in colours over the image; whether that is below 0 somewhere, and NaN."""
    told, result = xp.zeros(2, "uint32"), xp.empty((*ranks.shape, _RGB))
    args = (ranks, image, ranks.size, xp.asarray(colors), xp.asarray(bare), blend, told, result)
    launch(_SOURCE, _expression(dtype, channels), args, work=ranks.size)
    return result, told


def _expression(dtype, channels):
    return f"paint<{c_name(dtype)}, {c_name(compute_type(dtype))}, {channels}>"


def specializations():
    """Every (source, expression) that this room launches, but for labels."""
    yield _SOURCE, _expression(_DOUBLE, 0)
    for name in C_NAMES:
        for channels in (1, _RGB):
            yield _SOURCE, _expression(np.dtype(name), channels)


class Colors:
    """What each label is painted with, which the host finds.

    Parameters
    ----------
    table : numpy.ndarray
        Of `table_of`.
    alpha : float
        How much of a colour is seen.
    background : int
        The label that is the background.
    bare : bool
        Whether the background has no colour.
    """

    def __init__(self, table, alpha, background, bare):
        self.table, self.alpha, self.background, self.bare = table, alpha, background, bare

    def __call__(self, label):
        """Each pixel's rank among the labels; the colours of ranks; those that have none."""
        found = Values(label)
        offset = min(found.low, self.background)
        if label.dtype.kind == "b" and offset > 0:
            raise Declined("label is True everywhere; give label.astype(int)")
        most = 1 if label.dtype.kind == "b" else np.iinfo(label.dtype).max
        if offset and self.background > most:
            raise Invalid("bg_label is beyond what label's dtype holds; give label.astype(int)")
        if label.dtype.kind != "b" and found.high - offset > most:
            raise Declined(
                "label has labels farther apart than its dtype holds, which wrap around in "
                "scikit-image; give label.astype(numpy.int64)"
            )
        values = to_host(found.values)
        place, color = self._places(values, found.high - offset)
        colors = (self._cycled(color) * self.alpha).astype(float)
        # among the numbers of colours, as scikit-image looks for it
        bare = (color == self.background - offset) & (self.bare and (place == 0).any())
        return found.mapped(xp.arange(len(values), dtype="int32")), colors, bare

    def _places(self, values, high):
        """Number of each label's colour, and what is left of it in the labels' own dtype."""
        place = np.arange(len(values))
        is_background = values == self.background
        if is_background.any():
            place[: int(is_background.argmax())] += 1
            place[is_background] = 0
        else:
            place += 1
        narrow = np.min_scalar_type(high)
        return place, place.astype(narrow).astype(np.int64)

    def _cycled(self, color):
        cycle = itertools.chain(self.table[:1], itertools.cycle(self.table[1:]))
        count = int(color.max()) + 1
        return np.stack(list(itertools.islice(cycle, count)))[color]


def _averages(label, image, shape, background, bg_color, axis):
    if shape is None:
        raise Invalid("image is None; give one, or kind='overlay'")
    if any(have < need for have, need in zip(shape, label.shape, strict=False)):
        raise Declined("image is smaller than label; give an image of label.shape")
    if shape != (*label.shape, _RGB) or image.dtype.char in "lLqQ":
        raise Declined(
            "kind='avg' averages RGB images of at most 32 bits a channel in kernels; "
            "give image as RGB in uint8 or float32"
        )
    color = np.zeros(_RGB, image.dtype)
    if np.asarray(bg_color).dtype.kind not in "biuf":
        raise Declined("bg_color is not of numbers; give three numbers, as (0, 0, 0)")
    try:
        with np.errstate(all="raise"):
            color[...] = bg_color
    except (TypeError, ValueError, OverflowError, FloatingPointError):
        raise Declined("bg_color is no colour; give three numbers, as (0, 0, 0)") from None

    def run(label, image):
        means = averaged(label, xp.moveaxis(image, axis, -1), background, color)
        return xp.moveaxis(means, -1, axis)

    return Plan(run)


def averaged(label, image, background, color):
    """Each label in the mean of its pixels, the background in a colour of the image's dtype."""
    found = Values(label)
    ranks = found.mapped(xp.arange(len(found.values), dtype="int32"))
    flat = ranks.ravel()
    counts = xp.bincount(flat)
    planes = (image[..., channel].ravel().astype(float) for channel in range(_RGB))
    means = xp.stack([xp.bincount(flat, plane) / counts for plane in planes], axis=-1)
    means = means.astype(image.dtype)
    means[found.values == background] = xp.asarray(color)
    return means[ranks]
