"""skimage.measure: moments of images, and what is made of them.

Cost of every function here: 1 launch for the last two axes of the image and 1 for each other axis;
above the third order, 1 launch for each axis, and the image is read once more for each four
orders. The moments go to the host where something is made of them by scikit-image's own formulas.
1 launch more copies a strided image. An image beside moments or a tensor (`mu`, `T`) is neither
read nor copied.
"""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.kernels import resident_blocks
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_numeric, is_real
from ...primitives.of_cupy import NOTHING
from ...scikit_image import on_host, private

_SOURCE, _OF_PLANES = "measure/moments.cu", "measure/plane_moments.cu"
_THREADS = 256  # as in the kernels
_UP_TO = 4  # orders of the kernel of planes
_BLOCKS = 1024  # of a plane, at most
_MOST = 1 << 20  # moments
_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def moments(image, order=3, *, spacing=None):
    """Raw moments: `skimage.measure.moments`."""
    return moments_central(image, (0,) * image.ndim, order, spacing=spacing)


def moments_central(image, center=None, order=3, *, spacing=None, **kwargs):
    """Moments around a center, by default the centroid: `skimage.measure.moments_central`."""
    if center is None:
        return _of_moments(image, order, spacing, _on_device)
    sums, dtype = _sums(image, center, order, spacing)
    cost = sums.cost
    if dtype != _DOUBLE:
        nbytes = sums.result.nbytes
        cost = cost._replace(launches=cost.launches + 1, read=cost.read + nbytes)
    return Plan(
        lambda image: sums(image=image).T.astype(dtype, copy=False), launches=sums, cost=cost
    )


def centroid(image, *, spacing=None):
    """Weighted mean of the coordinates: `skimage.measure.centroid`."""
    sums, dtype = _sums(image, (0,) * image.ndim, 1, spacing)

    def run(image):
        found = to_host(sums(image=image)).T.astype(dtype)
        return xp.asarray(found[tuple(np.eye(found.ndim, dtype=int))] / found[(0,) * found.ndim])

    return Plan(run, launches=sums)


def inertia_tensor(image, mu=None, *, spacing=None):
    """Covariance of the intensity along the axes: `skimage.measure.inertia_tensor`."""
    if mu is not None:
        mu = _given("mu", mu, image, (3,) * image.ndim)
        return _on_the_host("inertia_tensor", image, mu)

    def make(found):
        return xp.asarray(_of_axes("inertia_tensor", found.ndim, found))

    return _of_moments(image, 2, spacing, make)


def inertia_tensor_eigvals(image, mu=None, T=None, *, spacing=None):
    """Eigenvalues of the inertia tensor: `skimage.measure.inertia_tensor_eigvals`."""
    if T is not None:
        return _on_the_host("inertia_tensor_eigvals", image, None, _given("T", T, image, (1, 1)))
    if mu is not None:
        mu = _given("mu", mu, image, (3,) * image.ndim)
        return _on_the_host("inertia_tensor_eigvals", image, mu)

    def make(found):
        return _of_axes("inertia_tensor_eigvals", found.ndim, found)

    return _of_moments(image, 2, spacing, make)


def _of_axes(name, axes, *args):
    """What scikit-image's own function `name` makes of given moments: of the image it asks axes."""
    return on_host(f"skimage.measure:{name}", np.empty((1,) * axes), *args)


def _on_the_host(name, image, *args):
    """Plan of a call to which an array is given that makes the image needless."""
    axes = image.ndim

    def run():
        found = _of_axes(name, axes, *args)
        return xp.asarray(found) if isinstance(found, np.ndarray) else found

    return Plan(run, cost=NOTHING, reads=())


def _given(name, value, image, least):
    """`value`, an array beside the image, of at least such lengths along as many axes."""
    if type(value) is not np.ndarray or not is_numeric(value.dtype):
        raise Declined(f"{name} is no array of numbers; give numpy.asarray({name}, float)")
    if value.ndim < len(least) or any(map(lambda n, m: n < m, value.shape, least)):
        raise Invalid(f"{name} has too few numbers for an image of {image.ndim} axes")
    if value.ndim > len(least):
        raise Declined(
            f"{name} has more axes than those of the image tell; give one of {len(least)}"
        )
    return value


def _on_device(found):
    return xp.asarray(found)


def _of_moments(image, order, spacing, make):
    """Plan of what `make` makes of the central moments, on the host, around the centroid."""
    sums, dtype = _sums(image, (0,) * image.ndim, order, spacing)
    if order < 1:
        raise Invalid("order is 0 and center is not given; give center, or an order from 1 on")

    def run(image):
        found = private("measure._moments_analytical").moments_raw_to_central(
            to_host(sums(image=image)).T
        )
        return make(found.astype(dtype, copy=False))

    return Plan(run, launches=sums)


def _sums(image, center, order, spacing):
    """Launches that make the moments, the last axis first, and scikit-image's dtype of them."""
    axes = image.ndim
    if axes == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    order = integer("order", order)
    if order < 0:
        raise Declined("order is negative; give an integer from 0 on, as 3")
    if (order + 1) ** axes > _MOST:
        raise Declined(f"order makes more than {_MOST} moments; give a lower one, as 3")
    centers = _numbers("center", center, axes)
    spacings = (1,) * axes if spacing is None else _numbers("spacing", spacing, axes)
    dtype = _DOUBLE if image.dtype.char not in "ef" else _SINGLE
    for each, middle in zip(spacings, centers, strict=True):
        dtype = np.result_type(dtype, np.result_type(dtype, each), middle)
    if dtype.itemsize > 8:
        raise Declined("spacing or center is wider than double precision; give it as float64")
    places = tuple(map(float, spacings)), tuple(map(float, centers))
    return _launches(image.shape, image.dtype, order, *places), dtype


def _numbers(name, values, axes):
    """A number for each axis; more of them are left alone, as scikit-image does."""
    try:
        values = [values[axis] for axis in range(axes)]
    except (TypeError, IndexError, KeyError):
        raise Invalid(f"{name} is not a number for each axis; give {axes}") from None
    if not all(map(is_real, values)):
        raise Declined(f"{name} is not of plain numbers; give {axes}")
    return values


@functools.lru_cache(maxsize=256)
def _launches(shape, dtype, order, spacings, centers):
    orders, steps = order + 1, []
    found, left = Array(shape, dtype, "image"), len(shape)
    if _of_planes(shape, orders):
        left -= 2
        launch, found = _plane_step(found, orders, spacings[left:], centers[left:])
        steps.append(launch)
    for axis in reversed(range(left)):
        lines, inner = found.size // shape[axis], orders ** (len(shape) - axis - 1)
        made = Array((*shape[:axis], *(orders,) * (len(shape) - axis)), _DOUBLE)
        lanes = min(_THREADS, 1 << (-(-shape[axis] // 8) - 1).bit_length())
        place = spacings[axis], centers[axis]
        arguments = (found, lines, shape[axis], inner, *place, np.int32(orders), np.int32(lanes))
        expression = f"axis_moments<{c_name(found.dtype)}>"
        steps.append(Launch(_SOURCE, expression, (*arguments, made), lines * lanes))
        found = made
    return Launches(steps, found)


def _of_planes(shape, orders):
    """Whether a block has enough to do with a plane, and all of them fit in a grid."""
    planes = math.prod(shape[:-2])
    enough = planes == 1 or math.prod(shape[-2:]) >= _THREADS
    return len(shape) > 1 and orders <= _UP_TO and planes < 1 << 16 and enough


def _plane_step(image, orders, spacings, centers):
    """The launch for the last two axes, and what it makes."""
    *outer, rows, columns = image.shape
    small = image.dtype.itemsize == 1 or image.dtype.char in "hH"
    wide = 8 if small else 4  # elements of a thread's tile, as in the kernel
    planes = math.prod(outer)
    across = min(_THREADS, 1 << (-(-columns // wide) - 1).bit_length())
    strips, down, high = -(-columns // (across * wide)), _THREADS // across, 8
    blocks = min(strips * -(-rows // (down * high)), _BLOCKS)  # the most
    places = spacings[0], centers[0], spacings[1], centers[1]
    partials = Array((planes, blocks, _UP_TO * _UP_TO + 1), _DOUBLE)
    arrived = Array((planes,), np.dtype(np.uint32), zero=True)
    made = Array((*outer, orders, orders), _DOUBLE)
    sizes = rows, columns, *places, *map(np.int32, (orders, across, high))
    arguments = (image, *sizes, partials, arrived, made)
    expression = f"plane_moments<{c_name(image.dtype)}>"
    work, grid = image.size, (blocks, planes)
    fit = functools.partial(_higher, planes, rows, strips, down)
    launch = Launch(_OF_PLANES, expression, arguments, work, block=_THREADS, grid=grid, fit=fit)
    return launch, made


def _higher(planes, rows, strips, down, step):
    """The launch with higher tiles, and so fewer blocks, where each multiprocessor has one."""
    enough = resident_blocks(_THREADS) // (8 * planes * strips)
    high = next((high for high in (32, 16) if -(-rows // (down * high)) >= enough), 8)
    blocks = min(strips * -(-rows // (down * high)), _BLOCKS)
    *first, _, partials, arrived, made = step.arguments
    arguments = (*first, np.int32(high), partials, arrived, made)
    return step._replace(arguments=arguments, grid=(blocks, planes))


def samples():
    """Plans that together ask for the kernels of this room."""
    for dtype in C_NAMES:
        for shape in ((4,), (4, 4)):
            yield moments(Array(shape, np.dtype(dtype)))
