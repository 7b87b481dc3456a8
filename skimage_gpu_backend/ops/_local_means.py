"""transform.downscale_local_mean and resize_local_mean: means of what new elements cover."""

import math

import cupy as cp
import numpy as np

from ..accept._local_means import new_sizes
from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import conversion, working
from ..trouble import Declined

_SOURCE = "transform/local_means.cu"
_BLOCK = 256
_VIEW = np.dtype([(name, "i8") for name in ("outer", "a", "between", "b", "inner")])


def specializations():
    """Every (source, expression) that these ops launch."""
    for name, image in C_NAMES.items():
        dtype = np.dtype(name)
        yield _SOURCE, f"area_means<{image}, {c_name(working(dtype))}>"
        for result in {_mean_dtype(dtype), working(dtype)}:
            yield _SOURCE, f"block_means<{image}, {c_name(result)}>"
    yield _SOURCE, "block_means<float, float16>"


def downscale_local_mean(image, factors, cval=0, clip=True):
    """Means of whole blocks: `skimage.transform.downscale_local_mean`.

    1 launch for any two axes that get shorter; image read once, result written once. Each
    two axes more take 1 launch more, from means to means.
    """
    if np.isscalar(factors):
        factors = (factors,) * image.ndim
    source, dtype = cp.ascontiguousarray(image), _mean_dtype(image.dtype)
    beyond = 0.0
    if any(size % factor for size, factor in zip(image.shape, factors, strict=True)):
        # what numpy.pad makes of it in the image's dtype
        beyond = float(np.pad(np.zeros(1, image.dtype), (0, 1), constant_values=cval)[1])
    pairs = _pairs([axis for axis, factor in enumerate(factors) if factor > 1])
    for left, axes in zip(range(len(pairs))[::-1], pairs, strict=True):
        shape = list(source.shape)
        for axis in axes:
            shape[axis] = -(-shape[axis] // factors[axis])
        result = cp.empty(tuple(shape), working(dtype) if left else dtype)
        view, by = _view(source.shape, axes), [int(factors[axis]) for axis in axes]
        by = [1] * (2 - len(by)) + by
        kernel = f"block_means<{c_name(source.dtype)}, {c_name(result.dtype)}>"
        team, size = _team(result, math.prod(by))
        launch(_SOURCE, kernel, (source, result, view, *by, beyond, team), **size)
        source = result
    return source


def resize_local_mean(
    image, output_shape, grid_mode=True, preserve_range=False, *, channel_axis=None
):
    """Means of the area that a new element covers: `skimage.transform.resize_local_mean`.

    1 launch for any two axes that change; image read once, result written once. Each two
    axes more take 1 launch more. The ends of the areas, one number for each new row or
    column, are NumPy's and go to the device. Floating images: 4 bytes come to the host, since
    scikit-image's matrix products spread NaN and infinities along a line.
    """
    sizes = [int(size) for size in new_sizes(image.shape, output_shape, channel_axis)]
    dtype = working(image.dtype)
    source, scaling = cp.ascontiguousarray(image), conversion(image.dtype, preserve_range)
    odd = cp.zeros(1, "uint32")
    changed = [axis for axis in range(image.ndim) if sizes[axis] != image.shape[axis]]
    for axes in _pairs(changed):
        shape = list(source.shape)
        for axis in axes:
            shape[axis] = sizes[axis]
        result = cp.empty(tuple(shape), dtype)
        breaks = [_breaks(source.shape[axis], sizes[axis], grid_mode, dtype) for axis in axes]
        boxes, cells = [sizes[axis] for axis in axes], [bool(grid_mode)] * len(axes)
        if len(axes) == 1:
            breaks, boxes, cells = [np.array([0.0, 1.0]), *breaks], [1, *boxes], [True, *cells]
        area = math.prod(source.shape[axis] // sizes[axis] + 1 for axis in axes)
        team, size = _team(result, area)
        kernel = f"area_means<{c_name(source.dtype)}, {c_name(dtype)}>"
        ends = cp.asarray(np.concatenate(breaks).astype(float))
        args = (source, result, odd, _view(source.shape, axes), ends, *boxes, *cells)
        launch(_SOURCE, kernel, (*args, *scaling, team), **size)
        source, scaling = result, (1.0, -math.inf)
    if image.dtype.kind == "f" and odd.get()[0]:
        raise Declined("image has NaN or infinities")
    if channel_axis is None:  # which may ask for further axes
        return source.reshape(source.shape + (1,) * (len(tuple(output_shape)) - image.ndim))
    return source


def _breaks(old_size, new_size, grid_mode, dtype):
    """Ends of the new elements in units of old ones, as scikit-image's _local_mean_weights."""
    if grid_mode:
        return np.linspace(0, old_size, num=new_size + 1, dtype=dtype)
    old, new = old_size - 1, new_size - 1
    value = 0.5 * old / new if new else np.inf
    inner = np.linspace(value, old - value, new, dtype=dtype)
    return np.pad(inner, 1, "constant", constant_values=(0, old))


def _mean_dtype(dtype):
    """Type of numpy.mean."""
    return dtype if dtype.kind == "f" else np.dtype(float)


def _pairs(axes):
    """Axes for each launch, the last ones first; one launch also for none."""
    pairs = [axes[max(0, end - 2) : end] for end in range(len(axes), 0, -2)]
    return pairs or [[]]


def _view(shape, axes):
    """The struct View: the array around two axes, or one, or none."""
    if len(axes) == 2:
        a, b = axes
        between = math.prod(shape[a + 1 : b])
        view = math.prod(shape[:a]), shape[a], between, shape[b], math.prod(shape[b + 1 :])
    else:
        (b,) = axes or (len(shape) - 1,)
        view = math.prod(shape[:b]), 1, 1, shape[b], math.prod(shape[b + 1 :])
    return np.array(view, _VIEW)[()]


def _team(result, area):
    """Threads for each box, so that few large boxes keep the device busy; the launch's size."""
    team = 1
    while team < _BLOCK and 8 * team < area and result.size * team < _enough():
        team *= 2
    return np.int32(team), {"work": result.size * team, "block": _BLOCK}


def _enough():
    return _BLOCK * resident_blocks(_BLOCK)
