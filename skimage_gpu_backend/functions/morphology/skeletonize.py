"""skimage.morphology: skeletonize and thin, equal to the last pixel.

Cost: the image is read once and the result written once, in a launch each; between them there is
a bit for each pixel, twice. A launch makes 8 rounds, which reads 2 1/4 bits a pixel and writes one,
only where the last one has changed something; what the image shows decides how many there are.
The host reads a number after 2, then 4, 8, 16 and each 32 more of them.

By Lee's method a launch is one step of one of six sides (four of planes): it reads a bit a voxel,
and 27 bits of each that may go. A side that removes something takes three launches or more, another
one or two. The host reads a number after 16, then 32, 64, 128 and each 256 more. There are three
bits for each voxel.
"""

import math

from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives import lee
from ...primitives.arguments import is_real
from ...primitives.bits import packed, unpacked
from ...primitives.of_cupy import NOTHING
from ...primitives.thinning import thinned


def skeletonize(image, *, method=None):
    """Lines in the middle of objects: `morphology.skeletonize`."""
    try:
        known = method in {"zhang", "lee", None}
    except TypeError:  # what cannot be in a set
        known = False
    if not known:
        raise Invalid("method is neither 'zhang' nor 'lee'; give one of them")
    axes = len(image.shape)
    if axes not in (2, 3):
        raise Invalid(f"image has {axes} axes; give an image of 2 or 3")
    if axes == 3 and method == "zhang":
        raise Invalid("method is 'zhang' and image has 3 axes; leave method out")
    if 0 in image.shape:
        return Plan(lambda image: xp.zeros(image.shape, bool), cost=NOTHING)
    if axes == 3 or method == "lee":
        return Plan(_by_lee)
    return _thinning("Zhang", math.inf)


def thin(image, max_num_iter=None):
    """Objects made thin: `morphology.thin`."""
    if len(image.shape) != 2 or 0 in image.shape:
        raise Invalid("image has other than 2 axes, or no elements; give a plane, as image[0]")
    return _thinning("GuoHall", _rounds(max_num_iter))


def _rounds(most):
    if most is None:
        return math.inf
    if not is_real(most):
        raise Declined("max_num_iter is not a number; give an integer")
    if not most or most == math.inf:
        return math.inf
    return math.ceil(most) if most > 0 else 0


def _by_lee(image):
    volume = image.reshape((-1, *image.shape[-2:]))
    return unpacked(lee.thinned(packed(volume)), image.shape)


def _thinning(rule, rounds):
    return Plan(lambda image: unpacked(thinned(packed(image), rule, rounds), image.shape))
