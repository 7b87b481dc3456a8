"""What `slic` is asked for: its arguments, as its kernels want them."""

import math
from dataclasses import dataclass

import numpy as np

from ...plan import Declined, Invalid
from ...primitives.arguments import integer, is_finite, real, refuse_wider, small_array, truth
from ...primitives.channels import refuse_axis
from ...scikit_image import own_function

_MOST_ITERATIONS, _MOST_SIGMA, _MOST_SEGMENTS = 1 << 20, 1 << 18, 1 << 30
_LONGEST = 1 << 24  # which single precision counts
_MOST_LISTED = 1 << 32  # pixels of a connected segment
_RGB = 3


@dataclass
class Wanted:
    """Arguments of a call, of scikit-image's names, and what follows from them.

    Attributes
    ----------
    is_plane : bool
    space : tuple of int
        Depth, rows and columns.
    channels : int
    axis : int or None
        That of the channels, where it is not the last one.
    dtype : numpy.dtype
        Type that is computed in.
    segments : int or None
        How many there are at first; of masks only the data tells.
    """

    n_segments: object
    compactness: object
    max_num_iter: object
    sigma: object
    spacing: object
    convert2lab: object
    enforce_connectivity: object
    min_size_factor: object
    max_size_factor: object
    slic_zero: object
    start_label: object
    mask: object
    channel_axis: object
    is_plane: bool = False
    space: tuple = ()
    channels: int = 1
    axis: int | None = None
    dtype: np.dtype | None = None
    segments: int | None = None

    def sizes(self, usual):
        """Fewest and most pixels of a connected segment, of which there are usually so many."""
        least, most = self.min_size_factor * usual, self.max_size_factor * usual
        if not 1 <= most < _MOST_LISTED:
            raise Declined(
                "max_size_factor makes segments of no pixel, or of billions; give 3, say"
            )
        return int(least), int(most)


def checked(image, wanted) -> Wanted:
    """`wanted` with all that follows from it, or a reason against the call."""
    _set_shape(image, wanted)
    wanted.dtype = np.dtype(np.float32 if image.dtype.char in "ef" else np.float64)
    for name in ("enforce_connectivity", "slic_zero"):
        setattr(wanted, name, truth(name, getattr(wanted, name)))
    _set_lab(wanted)
    if real("start_label", wanted.start_label) not in (0, 1):
        raise Invalid("start_label is neither 0 nor 1; give one of them")
    wanted.start_label = integer("start_label", wanted.start_label)
    _check_mask(wanted)
    wanted.n_segments = integer("n_segments", wanted.n_segments)
    if not 0 < wanted.n_segments < _MOST_SEGMENTS:
        raise Declined("n_segments is below 1, or a billion; give a number between")
    wanted.max_num_iter = integer("max_num_iter", wanted.max_num_iter)
    if wanted.max_num_iter >= _MOST_ITERATIONS:
        raise Declined("max_num_iter is a million or more; give a smaller number")
    refuse_wider("compactness", wanted.compactness, wanted.dtype)
    # of far smaller ones the squares of colours overflow
    if not abs(wanted.compactness) > (1e-12 if wanted.dtype.itemsize < 8 else 1e-100):
        raise Declined("compactness is 0, or nearly so; give a larger number")
    for name in ("min_size_factor", "max_size_factor"):
        if not is_finite(getattr(wanted, name)):
            raise Declined(f"{name} is not a finite number; give one, as 0.5")
        setattr(wanted, name, float(getattr(wanted, name)))
    if wanted.mask is None:
        wanted.segments = len(grid(wanted.space, wanted.n_segments)[0])
        wanted.sizes(math.prod(wanted.space) / wanted.segments)
    _set_spacing(wanted)
    _set_sigma(wanted)
    return wanted


def _set_shape(image, wanted):
    axes = image.ndim
    if wanted.channel_axis is not None:
        axis = integer("channel_axis", wanted.channel_axis)
        if axes == 2:
            raise Invalid("image has two axes and channels; give channel_axis=None")
        refuse_axis(image, axis)
        wanted.axis = None if axis % axes == axes - 1 else axis % axes
    if axes < 2 or axes > 4:
        raise Invalid(f"image has {axes} axes; give a plane or a volume, with or without channels")
    if 0 in image.shape:
        raise Declined("image is empty; nothing to change")
    shape = list(image.shape)
    # scikit-image takes the last of four axes for channels in any case
    if wanted.channel_axis is not None or axes == 4:
        wanted.channels = shape.pop(-1 if wanted.axis is None else wanted.axis)
    wanted.is_plane = len(shape) == 2
    wanted.space = (1, *shape) if len(shape) == 2 else tuple(shape)
    if max(wanted.space) >= _LONGEST or math.prod(wanted.space) >= 2**31:
        raise Declined("image has 2**31 pixels or more; give a part of it")


def _set_lab(wanted):
    in_lab = wanted.convert2lab
    if in_lab is not None:
        in_lab = truth("convert2lab", in_lab)
    if wanted.channel_axis is None:
        in_lab = False
    elif in_lab and wanted.channels != _RGB:
        raise Invalid("image has not three channels; give convert2lab=False")
    wanted.convert2lab = in_lab is not False and wanted.channels == _RGB


def _check_mask(wanted):
    if wanted.mask is None:
        return
    shape = getattr(wanted.mask, "shape", None)
    if shape is None:
        raise Declined("mask is not an array; give numpy.asarray(mask)")
    if wanted.mask.dtype.kind not in "biuf":
        raise Declined("mask has no numbers; give one of booleans")
    plain = wanted.space[1:] if wanted.is_plane else wanted.space
    if shape != plain:
        raise Invalid("mask has another shape than the image; give one of its shape")


def _set_spacing(wanted):
    if wanted.spacing is None:
        wanted.spacing = np.ones(3, wanted.dtype)
        return
    if isinstance(wanted.spacing, int | float):
        raise Invalid("spacing is a number; give one for each axis")
    values = _of_axes("spacing", wanted.spacing, wanted)
    wanted.spacing = np.insert(values, 0, 1) if wanted.is_plane else values
    if not (wanted.spacing > 0).all():
        raise Declined("spacing is not above 0 along each axis; give positive numbers")


def _set_sigma(wanted):
    if isinstance(wanted.sigma, list | tuple | np.ndarray):
        values = _of_axes("sigma", wanted.sigma, wanted)
        sigma = np.insert(values, 0, 0) if wanted.is_plane else values
    else:
        with np.errstate(over="ignore"):
            sigma = np.array([real("sigma", wanted.sigma)] * 3, dtype=wanted.dtype)
            sigma = sigma / wanted.spacing
    if not (np.abs(sigma) < _MOST_SIGMA).all():
        raise Declined("sigma reaches a million pixels far; give a smaller number")
    if (sigma > 0).any() and (sigma < 0).any():
        raise Invalid("sigma is negative along an axis; give numbers from 0 on")
    wanted.sigma = tuple(sigma)


def _of_axes(name, value, wanted):
    """A number for each axis of the image."""
    values = small_array(name, value)
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise Declined(f"{name} is no row of numbers; give one for each axis")
    axes = 2 if wanted.is_plane else 3
    if values.size != axes:
        if wanted.is_plane and (values.size == 3 or name == "sigma"):
            raise Declined(f"{name} has {values.size} numbers for a plane; give two")
        raise Invalid(f"{name} has not {axes} numbers; give one for each axis")
    with np.errstate(over="ignore"):
        values = values.astype(wanted.dtype)
    if not np.isfinite(values).all():
        raise Declined(f"{name} is not finite; give finite numbers")
    return values


def grid(space, count):
    """Regular places in `space`, about so many, and the steps between them."""
    slices = own_function("skimage.util:regular_grid")(space, count)
    along = [np.arange(length)[part] for length, part in zip(space, slices, strict=True)]
    places = np.stack([each.ravel() for each in np.meshgrid(*along, indexing="ij")], axis=-1)
    return places, [float(part.step or 1) for part in slices]
