"""skimage.restoration: denoisers that do not look at a pixel's own value, of scikit-image's own.

Cost: 2 launches for each mask beside those of the denoiser: one reads and writes the image, one the
pixels of the mask. One more brings an image that is not of floats to them. To calibrate takes for
each set of parameters the denoiser and 1 launch of a mask, 2 that gather its pixels and 1 that
finds the loss, or all masks and 1 without `approximate_loss`. All losses come to the host together.
"""

import functools
import itertools
import math

import numpy as np

from ...device import c_name, launch
from ...device.launches import Array, Cost, added
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, truth
from ...primitives.gaussian import working
from ...scikit_image import private
from ..metrics.errors import mean_squared_error
from ..util.img_as import img_as_float
from ._denoiser import denoiser, refuse_many

_SOURCE = "restoration/j_invariant.cu"
_MOST_AXES = 8
_GRID = np.dtype(
    [
        *((name, "i8", _MOST_AXES) for name in ("length", "span", "phase", "count")),
        *((name, "i8") for name in ("stride", "channels")),
        ("weight", "f8"),
        ("axes", "i4"),
    ],
    align=True,
)


def denoise_invariant(image, denoise_function, *, stride=4, masks=None, denoiser_kwargs=None):
    """Image denoised from what is beside each pixel: `skimage.restoration.denoise_invariant`.

    Notes
    -----
    The call runs on the device if `denoise_function` is a scikit-image function with a GPU version.
    Your own function runs on the host with NumPy arrays, and each scikit-image call in it copies
    its image to the device and back.
    """
    floats, keywords = _floats(image), _keywords(denoiser_kwargs)
    axes = _spatial_axes(image, keywords)
    if masks is None:
        stride = _stride(stride)
        refuse_many("stride", stride**axes)
        phases = _all(stride, axes)
        calls = len(phases)
    else:
        _refuse_odd(masks, image)
        stride, phases, calls = 1, None, len(masks)
    apply = denoiser("denoise_function", denoise_function, floats, keywords)
    grids = _Grids(floats, axes, stride)
    run = functools.partial(_denoise_invariant, apply, grids, phases)
    return Plan(run, cost=apply.cost(calls, _own_cost(floats, calls)))


def calibrate_denoiser(
    image,
    denoise_function,
    denoise_parameters,
    *,
    stride=4,
    approximate_loss=True,
    extra_output=False,
):
    """The best of a denoiser's parameters: `skimage.restoration.calibrate_denoiser`.

    Notes
    -----
    The call runs on the device if `denoise_function` is a scikit-image function with a GPU version.
    Your own function runs on the host with NumPy arrays, and each scikit-image call in it copies
    its image to the device and back.
    """
    floats = _floats(image)
    approximate_loss = truth("approximate_loss", approximate_loss)
    extra_output = truth("extra_output", extra_output)
    number, trials, costs = _stride(stride), [], []
    if approximate_loss and number // 2 >= min(image.shape):
        raise Declined("stride goes beyond the image, which may leave no pixel; give less")
    tested = _combinations(denoise_parameters)
    for keywords in tested:
        axes = _spatial_axes(image, keywords)
        calls = 1 if approximate_loss else number**axes
        refuse_many("stride", calls * len(tested))
        phases = _middle(number, axes) if approximate_loss else _all(number, axes)
        grids = _Grids(floats, axes, number)
        apply = denoiser("denoise_function", denoise_function, floats, keywords)
        trials.append(functools.partial(_loss, apply, grids, phases, approximate_loss))
        costs.append(apply.cost(calls, _own_cost(floats, calls)))

    def best(losses):
        found = functools.partial(
            private("restoration.j_invariant").denoise_invariant,
            denoise_function=denoise_function,
            stride=stride,
            denoiser_kwargs=tested[np.argmin(losses)],
        )
        return (found, (tested, losses)) if extra_output else found

    cost = None if None in costs else added(*costs)
    return Plan(functools.partial(_calibrate, trials, best), cost=cost)


def _all(stride, axes):
    """Where each of the grids begins, in scikit-image's order."""
    return list(itertools.product(range(stride), repeat=axes))


def _middle(stride, axes):
    """Where the one begins that stands for all of them."""
    number = stride**axes // 2
    return [tuple(number // stride**axis % stride for axis in reversed(range(axes)))]


def _floats(image):
    """What scikit-image denoises, without its data."""
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or no elements; nothing to change")
    if image.ndim > _MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of at most {_MOST_AXES}")
    value = working(image.dtype)
    repeats = any(n > 1 and not step for n, step in zip(image.shape, _steps(image), strict=True))
    if repeats and image.dtype == value:  # others are copied before
        raise Declined(
            "image repeats an element along an axis, and SciPy takes other ones beside its ends; "
            "give numpy.ascontiguousarray(image)"
        )
    return Array(image.shape, value)


def _steps(image):
    """Bytes from element to element along each axis; an image without data repeats none."""
    return getattr(image, "strides", image.shape)


def _keywords(given):
    if type(given) not in (dict, type(None)):
        raise Declined("denoiser_kwargs is no dictionary; give one, as {'weight': 0.1}")
    return given or {}


def _spatial_axes(image, keywords):
    axes = image.ndim - (keywords.get("channel_axis") is not None)
    if not axes:
        raise Declined(
            "image has channels and no other axis; leave channel_axis out, which changes the result"
        )
    return axes


def _stride(stride):
    if isinstance(stride, bool | np.bool_):
        raise Declined("stride is True or False; give a number from 1 on")
    stride = integer("stride", stride)
    if stride < 1:
        raise Declined("stride is below 1; give a number from 1 on")
    return stride


def _refuse_odd(masks, image):
    if type(masks) not in (list, tuple):
        raise Declined("masks is neither a list nor a tuple; give list(masks)")
    if not masks:  # whatever else is given
        raise Declined("masks is empty, so that nothing is denoised; give some, or leave it out")
    for mask in masks:
        dtype, shape = getattr(mask, "dtype", None), getattr(mask, "shape", ())
        if dtype != "bool" or not shape or shape != image.shape[: len(shape)]:
            raise Declined(
                "masks holds what is no boolean array of the image's lengths; give such arrays"
            )


def _combinations(given):
    """All combinations of parameters, in scikit-image's order."""
    if type(given) is not dict or not all(isinstance(name, str) for name in given):
        raise Declined("denoise_parameters is no dictionary; give one, as {'weight': [0.1, 0.2]}")
    for values in given.values():
        is_line = type(values) is np.ndarray and values.ndim == 1
        if type(values) not in (list, tuple, range) and not is_line:
            raise Declined("denoise_parameters holds what is no list; give a list for each name")
    count = math.prod(map(len, given.values()))
    if not count:
        raise Invalid("denoise_parameters has no values; give some for each name")
    refuse_many("denoise_parameters", count)
    return [dict(zip(given, each, strict=True)) for each in itertools.product(*given.values())]


class _Grids:
    """Grids of a stride in the first `axes` axes of an image; other ones are its channels."""

    def __init__(self, image, axes, stride):
        self.shape, self.stride, self.axes = image.shape, stride, axes
        grid = np.zeros((), _GRID)
        grid["length"][:axes] = self.shape[:axes]
        channels = math.prod(self.shape[axes:])
        grid["span"][:axes] = [math.prod(self.shape[axis + 1 :]) for axis in range(axes)]
        kernel = image.dtype.type(1) / image.dtype.type(2 * axes)
        grid["channels"], grid["weight"], grid["axes"] = channels, kernel, axes
        grid["stride"] = stride
        self.empty = grid

    def at(self, phases):
        """The grid that begins at a place."""
        grid = self.empty.copy()
        grid["phase"][: self.axes] = phases
        lengths = self.shape[: self.axes]
        grid["count"][: self.axes] = [
            len(range(phase, n, self.stride)) for phase, n in zip(phases, lengths, strict=True)
        ]
        return grid[()]

    def slices(self, phases):
        return tuple(slice(phase, None, self.stride) for phase in phases)


def _own_cost(image, masks):
    """Of what stands around the calls: an image from other dtypes to floats, then each mask."""
    read = 8 * image.size + masks * (10 * image.nbytes + 2 * image.size)
    written = 2 * image.nbytes + masks * 2 * image.nbytes
    return Cost(2 * masks + 5, read, written, 4 * image.nbytes)


def _as_floats(image):
    """As `skimage.util.img_as_float`."""
    if image.dtype.kind != "f":
        image = xp.ascontiguousarray(image)
        return img_as_float(Array(image.shape, image.dtype)).run(image=image)
    return image


def _denoise_invariant(apply, grids, phases, image, masks=()):
    image = xp.ascontiguousarray(_as_floats(image), working(image.dtype))
    result = xp.zeros_like(image)
    name = c_name(image.dtype)
    given = masks if phases is None else phases
    for number in rounds(len(given)):
        each = given[number]
        if phases is None:
            mask = xp.ascontiguousarray(each)
            of_mask, grid = image.size // mask.size, grids.at((0,) * grids.axes)
            changed = xp.empty_like(image)
            args = (image, grid, mask, of_mask, changed, image.size)
            launch(_SOURCE, f"replaced_by_mask<{name}>", args, work=image.size)
            args = (_denoised(apply, changed), mask, of_mask, result, image.size)
            launch(_SOURCE, f"keep_by_mask<{name}>", args, work=image.size)
            continue
        made = _denoised(apply, _replaced(image, grids.at(each)))
        grid = grids.at(each)
        count = int(math.prod(map(int, grid["count"][: grids.axes])) * grid["channels"])
        if count:
            launch(_SOURCE, f"keep<{name}>", (made, grid, result, count), work=count)
    return result


def _replaced(image, grid):
    changed = xp.empty_like(image)
    args = (image, grid, changed, image.size)
    launch(_SOURCE, f"replaced<{c_name(image.dtype)}>", args, work=image.size)
    return changed


def _denoised(apply, image):
    """As an array of the image's shape and dtype."""
    made = apply(image)
    if made.shape != image.shape:
        raise Declined("denoise_function gives an image of another shape; give one that keeps it")
    return xp.ascontiguousarray(made, image.dtype)


def _loss(apply, grids, phases, approximate, image):
    """Of an image that is of floats, on the device."""
    if approximate:
        floats = xp.ascontiguousarray(image, working(image.dtype))
        made = _denoised(apply, _replaced(floats, grids.at(phases[0])))
        places = grids.slices(phases[0])
        image, made = (xp.ascontiguousarray(each[places]) for each in (image, made))
    else:
        made = _denoise_invariant(apply, grids, phases, image)
    return mean_squared_error(image, made).run(image0=image, image1=made)


def _calibrate(trials, best, image):
    image = _as_floats(image)
    losses = to_host(xp.stack([trials[number](image) for number in rounds(len(trials))]))
    return best(list(losses))


def specializations():
    """Every (source, expression) that these functions launch."""
    for name in ("float", "double"):
        for kernel in ("replaced", "replaced_by_mask", "keep", "keep_by_mask"):
            yield _SOURCE, f"{kernel}<{name}>"
