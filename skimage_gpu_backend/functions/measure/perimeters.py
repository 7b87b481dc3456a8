"""skimage.measure: perimeters and Euler numbers, by histograms of what surrounds the pixels.

Cost of every function here: 1 launch; the image is read once, and once more along the borders of
boxes. 16 to 256 numbers come to the host, which weights them as scikit-image does, to the same
bits. 1 launch more copies a strided image.
"""

import functools
import math

import numpy as np

from ...device import resident_blocks
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ...scikit_image import private

weights = private("measure._regionprops_utils")

_SOURCE = "measure/neighbourhoods.cu"
_BLOCK = 256
_COUNT = np.dtype(np.uint64)
_SIZES = np.dtype([("depth", "i8"), ("rows", "i8"), ("columns", "i8")])
# pixels of a box along the last axes: of corners in planes, as of borders, and in volumes
_BOXES = {2: (56, 256), 3: (8, 8, 32)}


def perimeter(image, neighborhood=4):
    """Length of the borders of a binary image: `skimage.measure.perimeter`."""
    _refuse_but_planes(image)
    if not is_real(neighborhood):
        raise Declined("neighborhood is not a number; give 4 or 8")
    counts = Array((50,), _COUNT, zero=True)
    oblique = "false" if neighborhood == 4 else "true"
    launches = _launches(image, "borders", oblique, (counts,), counts)

    def run(image):
        return length_of_borders(counts_of_borders(launches, image))

    return Plan(run, launches=launches)


def counts_of_borders(launches, image):
    """How many border pixels there are of each kind, on the host: what a plan's launches find."""
    counts = to_host(launches(image=image)).astype(np.intp)
    if counts[0]:
        raise Declined(
            "image has values other than 0 and 1; give a mask, as image > 0, which changes the "
            "result"
        )
    return counts


def length_of_borders(counts):
    """What they add up to."""
    return counts @ _border_weights()


def perimeter_crofton(image, directions=4):
    """Length of borders by Crofton's formula: `skimage.measure.perimeter_crofton`."""
    _refuse_but_planes(image)
    if not is_real(directions):
        raise Declined("directions is not a number; give 2 or 4")
    return _of_corners(image, lambda counts: crofton_weights(directions == 2) @ counts)


def euler_number(image, connectivity=None):
    """Objects minus holes: `skimage.measure.euler_number`."""
    axes = image.ndim
    if axes not in (2, 3):
        raise Invalid(f"image has {axes} axes; give one of two or three")
    if connectivity is not None and not is_real(connectivity):
        raise Declined("connectivity is not a number; give an integer, as 1")
    _refuse_empty(image)
    if axes == 2:
        along = weights.EULER_COEFS2D_4 if connectivity == 1 else weights.EULER_COEFS2D_8
        return _of_corners(image, lambda counts: along @ counts)
    if connectivity == 2:
        raise Invalid("connectivity is 2, which is not defined for volumes; give 1 or 3")
    along = weights.EULER_COEFS3D_26
    along = along[::-1] if connectivity == 1 else along
    return _of_corners(image, lambda counts: int(0.125 * along @ counts))


def _refuse_but_planes(image):
    if image.ndim != 2:
        raise Invalid(f"image has {image.ndim} axes; give one of two")
    _refuse_empty(image)


def _refuse_empty(image):
    if image.size == 0:
        raise Declined("image is empty; nothing to change")


def _of_corners(image, weighted):
    counts = Array((4 ** (image.ndim * 2 - 2),), _COUNT, zero=True)
    volume = "true" if image.ndim == 3 else "false"
    launches = _launches(image, "corners", volume, (counts,), counts)

    def run(image):
        return weighted(to_host(launches(image=image)).astype(np.intp))

    return Plan(run, launches=launches)


def _launches(image, kernel, variant, made, result):
    sizes = np.array((1,) * (3 - image.ndim) + image.shape, _SIZES)[()]
    boxes = math.prod(
        n // side + 1
        for n, side in zip(image.shape[-3:], _BOXES[image.ndim][-image.ndim :], strict=True)
    )
    arguments = (Array.given("image", image), sizes, *made)
    expression = f"{kernel}<{c_name(image.dtype)}, {variant}>"
    grid = functools.partial(_blocks, boxes)
    return Launches([Launch(_SOURCE, expression, arguments, image.size, _BLOCK, 0, grid)], result)


def _blocks(boxes):
    return (min(boxes, resident_blocks(_BLOCK)),)


@functools.cache
def _border_weights():
    """Length that a border pixel adds, by what lies around it: scikit-image's."""
    along = np.zeros(50)
    along[[5, 7, 15, 17, 25, 27]] = 1
    along[[21, 33]] = math.sqrt(2)
    along[[13, 23]] = (1 + math.sqrt(2)) / 2
    return along


@functools.cache
def crofton_weights(of_two):
    """Length that a corner adds, by the pixels that meet there: scikit-image's."""
    half = np.pi / 2
    if of_two:
        return [0, half, 0, 0, 0, half, 0, 0, half, np.pi, 0, 0, half, np.pi, 0, 0]
    quarter, oblique = np.pi / 4, np.pi / (4 * np.sqrt(2))
    one = quarter * (1 + 1 / (np.sqrt(2)))
    first = [0, one, oblique, np.pi / (2 * np.sqrt(2)), 0, one, 0, oblique]
    return [*first, quarter, half, oblique, oblique, quarter, half, 0, 0]


def samples():
    """Plans that together ask for the kernels of this room."""
    for dtype in C_NAMES:
        image = Array((4, 4), np.dtype(dtype))
        yield from (perimeter(image), perimeter(image, 8), euler_number(image))
        yield euler_number(Array((4, 4, 4), image.dtype))
