"""skimage.feature: the private loops of `BRIEF` and `ORB`, while their methods run by steps.

Cost: 1 launch of a thread for each pair of pixels of each keypoint, which reads two pixels and
writes a byte. The image lies on the device already; keypoints and places go there, and descriptors
come back.
"""

import functools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_contiguous, refuse_but_arrays
from ...scikit_image import private
from ._loops import refuse_read_only

_SOURCE = "feature/binary_descriptors.cu"
_FLOATS = ("float32", "float64")
_I8, _I4, _I1, _U1 = map(np.dtype, ("i8", "i4", "i1", "u1"))


def _brief_loop(image, out, keypoints, pos0, pos1):
    """Pairs of pixels at the same places around each keypoint: the loop of `BRIEF.extract`."""
    _check(image, keypoints, pos0=pos0, pos1=pos1)
    if pos0.shape != pos1.shape or pos0.shape[1:] != (2,) or {pos0.dtype, pos1.dtype} != {_I4}:
        raise Invalid("pos0 and pos1 are not pairs of int32")
    pairs = pos0.shape[0]
    if out.shape != (keypoints.shape[0], pairs) or out.dtype != _U1:
        raise Invalid("out is no uint8 array with a row for each keypoint")
    numbers = {"keypoints": keypoints, "first": pos0, "second": pos1}
    return _planned("brief", image, numbers, pairs)


def _orb_loop(image, keypoints, orientations):
    """Pairs at places that are turned by the keypoint's orientation: the loop of `ORB`.

    Sines and cosines are computed on the host, by the C library that scikit-image's loop calls.
    """
    _check(image, keypoints, orientations=orientations)
    if orientations.shape != keypoints.shape[:1] or orientations.dtype != image.dtype:
        raise Invalid("orientations are not as many as keypoints, in the image's dtype")
    if not np.isfinite(orientations).all():
        raise Declined("orientations are not finite; give angles")
    places = _places()
    turns = [(math.sin(angle), math.cos(angle)) for angle in orientations.tolist()]
    turns = np.array(turns, image.dtype).reshape(-1, 2)
    numbers = {"keypoints": keypoints, "turns": turns, "places": places}
    return _planned("orb", image, numbers, len(places))


@functools.cache
def _places():
    """scikit-image's table of pairs: row and column of the first pixel, then of the second."""
    return private("feature._orb_descriptor_positions").POS


def _check(image, keypoints, **numbers):
    refuse_but_arrays(keypoints=keypoints, **numbers)
    if image.ndim != 2 or image.dtype.name not in _FLOATS or not is_contiguous(image):
        raise Invalid("image is no plane of float32 or float64 in C order")
    refuse_read_only(image, *_FLOATS)
    if keypoints.shape[1:] != (2,) or keypoints.dtype != _I8:
        raise Invalid("keypoints are not pairs of int64")
    if not keypoints.size:
        raise Declined("keypoints are empty; nothing to change")


def _planned(kernel, image, numbers, pairs):
    kinds = tuple((name, array.shape, array.dtype) for name, array in numbers.items())
    launches = _launches(kernel, image.shape, image.dtype, kinds, pairs)
    return Plan(functools.partial(_described, launches, numbers), launches=launches)


@functools.lru_cache(maxsize=256)
def _launches(kernel, shape, dtype, kinds, pairs):
    image = Array(shape, dtype, "image")
    numbers = [Array(each, kind, name) for name, each, kind in kinds]
    count = kinds[0][1][0]
    result = Array((count, pairs), _U1)
    args = (image, *numbers, result, *shape, count, pairs)
    return Launches([Launch(_SOURCE, f"{kernel}<{c_name(dtype)}>", args, count * pairs)], result)


def _described(launches, numbers, image, out=None):
    """Descriptors on the host, where the method goes on with them; or in `out`."""
    numbers = {name: xp.asarray(array) for name, array in numbers.items()}
    if out is None:
        return to_host(launches(image=image, **numbers))
    return launches(image=image, out=out, **numbers)


def samples():
    """Plans that together ask for every kernel of this room."""
    two = np.ones((1, 2), _I8)
    places = np.ones((3, 2), _I4)
    for dtype in _FLOATS:
        image = Array((4, 4), np.dtype(dtype))
        yield _brief_loop(image, Array((1, 3), _U1), two, places, places)
        yield _orb_loop(image, two, np.zeros(1, dtype))
