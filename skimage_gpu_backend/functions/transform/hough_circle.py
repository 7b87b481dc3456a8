"""skimage.transform.hough_circle, equal to the last bit.

Cost: 2 launches for all radii together. The image is read once; a bit a pixel, with a margin, is
written and read once for each pixel of each circle, from cache; the result is written once. The
pixels of circles are scikit-image's, and so many votes are what adding one by one makes of them:
both are made on the host, 16 bytes for each pixel of a circle, and go to the device.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...scikit_image import on_host
from ._marked import mask_of, refuse_image, unsigned

_SOURCE = "transform/hough_circle.cu"
_BLOCK = 256
_WORD = np.dtype(np.uint32)
_DIGITS = (10, 13, 20)  # of a count of votes
_MOST_RADIUS = 1 << 17  # whose circle has fewer than 2**20 pixels
_MOST_BYTES = 1 << 36  # of a result


def hough_circle(image, radius, normalize=True, full_output=False):
    """Hough transform of circles: `skimage.transform.hough_circle`."""
    refuse_image(image)
    options = _flag("normalize", normalize), _flag("full_output", full_output)
    radii = _radii(radius)
    side = 2 * max(radii) if options[1] else 0
    if 8 * len(radii) * (image.shape[0] + side) * (image.shape[1] + side) > _MOST_BYTES:
        raise Declined("radius makes a very large result; give fewer radii at a time")
    return _planned(image.shape, image.dtype, radii, *options)


def _flag(name, value):
    """Whether `value` of the parameter `name` is set, which is a byte in scikit-image."""
    if not isinstance(value, int | np.bool_) or not -128 <= value < 128:
        raise Declined(f"{name} is neither True nor False; give one of them")
    return bool(value)


def _radii(radius):
    """The radii as a tuple of integers."""
    try:
        radii = np.atleast_1d(np.asarray(radius))
    except ValueError:
        raise Invalid("radius is no regular array; give numbers, as [10, 20]") from None
    if radii.dtype.kind not in "biuf":
        raise Declined("radius is not of numbers; give numbers, as [10, 20]")
    if radii.ndim != 1:
        raise Invalid("radius has more than one axis; give a list, as [10, 20]")
    if not radii.size or not (radii > -1).all() or not (radii < _MOST_RADIUS).all():
        raise Declined("radius is empty, negative or very large; give such as the image holds")
    return tuple(radii.astype(np.intp).tolist())


@functools.lru_cache(maxsize=16)
def _planned(shape, dtype, radii, normalize, full_output):
    largest = max(radii)
    beyond = largest if full_output else 0
    rows, columns = (length + 2 * beyond for length in shape)
    margin = largest + beyond
    across = -(-columns // 32) + 2 * largest // 32 + 2
    circles = [np.stack(on_host("skimage.draw:circle_perimeter", 0, 0, r)) for r in radii]
    firsts = np.cumsum([0, *(circle.shape[1] for circle in circles)], dtype=np.int64)
    offsets = np.concatenate([_offsets(circle, largest, across) for circle in circles])
    values = np.concatenate([_values(circle.shape[1], normalize) for circle in circles])
    digits = next(n for n in _DIGITS if max(np.diff(firsts)) < 1 << n)
    image, plane = Array(shape, dtype, "image"), Array((shape[0] + 2 * margin, across), _WORD)
    result = Array((len(radii), rows, columns), np.dtype(float))
    packed = (image, *shape, margin, across, mask_of(dtype), plane)
    given = (Array.of(each) for each in (offsets, firsts, values))
    voted = (plane, *given, result, len(radii), rows, columns, across)
    words = rows * -(-columns // 32)
    tasks = len(radii) * -(-words // _BLOCK)
    steps = (
        Launch(_SOURCE, f"pack_marked<{c_name(unsigned(dtype))}>", packed, plane.size, _BLOCK),
        Launch(_SOURCE, f"circle_votes<{digits}>", voted, tasks * _BLOCK, _BLOCK),
    )
    reach = None if full_output else Reach((largest,) * 2, (1, 2), arrays=len(radii) + 1)
    return Plan(Launches(steps, result), reach)


def _offsets(circle, largest, across):
    """Where the pixels of a circle lie in the plane, from its center's word on."""
    down, right = largest - circle
    return np.sort((down * across + right // 32) * 32 + right % 32)


def _values(most, normalize):
    """What up to `most` votes are, added one by one."""
    vote = 1.0 / most if normalize else 1.0
    return np.cumsum([0.0, *(vote,) * most])


def samples():
    """Plans that together ask for every kernel of this room."""
    for size in (1, 2, 4, 8):
        yield hough_circle(Array((4, 4), np.dtype(f"u{size}")), 2)
    for radius in (300, 3000):
        yield hough_circle(Array((4, 4), np.dtype(bool)), radius)
