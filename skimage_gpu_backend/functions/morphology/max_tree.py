"""skimage.morphology: the max-tree and what is filtered by it, equal to the last pixel.

Cost: what the image shows decides how many rounds its tree takes, at most as many as its number of
pixels has bits. 3 launches a round, for four rounds at least, and about 15 more, two sorts of
CuPy's among them; 2 a round add up areas, 2 a round and axis diameters. Some 45 bytes a pixel are
held beside image and result. Every four rounds 4 bytes come to the host.

With a tree that is given, as `max_tree` has made it, areas and what is filtered by them take 5
launches, diameters 3 an axis more, and what follows pointers; 8 bytes come to the host.
"""

import functools

import numpy as np

from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_contiguous, real, refuse_but_arrays
from ...primitives.max_trees import MOST_AXES, MOST_PIXELS, GivenTree, MaxTree
from ...primitives.neighbours import footprint_of, given_footprint, neighbours
from ..util.invert import invert


def max_tree(image, connectivity=1):
    """Of each pixel its parent, and pixels by value: `morphology.max_tree`."""
    around = _around(image, connectivity)

    def run(image):
        tree = MaxTree(image, around)
        return tree.parents(), tree.order

    return Plan(run)


def area_opening(image, area_threshold=64, connectivity=1, parent=None, tree_traverser=None):
    """An image without bright spots of few pixels: `morphology.area_opening`."""
    threshold = real("area_threshold", area_threshold)
    return _filter(image, "areas", threshold, connectivity, parent, tree_traverser)


def area_closing(image, area_threshold=64, connectivity=1, parent=None, tree_traverser=None):
    """An image without dark spots of few pixels: `morphology.area_closing`."""
    threshold = real("area_threshold", area_threshold)
    return _filter(image, "areas", threshold, connectivity, parent, tree_traverser, True)


def diameter_opening(image, diameter_threshold=8, connectivity=1, parent=None, tree_traverser=None):
    """An image without bright spots short along all axes: `morphology.diameter_opening`."""
    threshold = real("diameter_threshold", diameter_threshold)
    return _filter(image, "extents", threshold, connectivity, parent, tree_traverser)


def diameter_closing(image, diameter_threshold=8, connectivity=1, parent=None, tree_traverser=None):
    """An image without dark spots short along all axes: `morphology.diameter_closing`."""
    threshold = real("diameter_threshold", diameter_threshold)
    return _filter(image, "extents", threshold, connectivity, parent, tree_traverser, True)


def max_tree_local_maxima(image, connectivity=1, parent=None, tree_traverser=None):
    """Numbers of plateaus that nothing is higher beside: `morphology.max_tree_local_maxima`."""
    tree, reads = _tree(image, connectivity, parent, tree_traverser)
    return Plan(lambda **arrays: tree(**arrays).maxima(), reads=reads)


def _filter(image, measure, threshold, connectivity, parent, tree_traverser, closes=False):
    """Plan of a filter that keeps what `measure`, a method of trees, gives enough of."""
    make, reads = _tree(image, connectivity, parent, tree_traverser)
    turned = invert(image) if closes else None

    def run(image, **given):
        tree = make(image=turned.run(image=image) if closes else image, **given)
        result = tree.filtered(getattr(tree, measure)(), threshold)
        return turned.run(image=result) if closes else result

    return Plan(run, reads=reads)


def _tree(image, connectivity, parent, tree_traverser):
    """What makes the tree of arrays on the device, and the parameters that have them."""
    if parent is None or tree_traverser is None:
        around = _around(image, connectivity)
        return functools.partial(MaxTree, around=around), ("image",)
    refuse_but_arrays(parent=parent, tree_traverser=tree_traverser)
    _refuse(image)
    if not image.size:
        raise Declined("image has no elements; nothing to change")
    for name, given in (("parent", parent), ("tree_traverser", tree_traverser)):
        if given.dtype != np.int64:
            raise Invalid(f"{name} is not of native int64; give {name}.astype(numpy.int64)")
    if tree_traverser.ndim != 1 or not is_contiguous(tree_traverser):
        raise Invalid("tree_traverser is not a contiguous line; give tree_traverser.ravel()")
    if not parent.size == tree_traverser.size == image.size:
        raise Declined("parent or tree_traverser has not a number for each pixel; give max_tree's")
    return GivenTree, ("image", "parent", "tree_traverser")


def _refuse(image):
    if image.dtype == np.float16:
        raise Invalid("image is float16; give image.astype(numpy.float32)")
    if image.size > MOST_PIXELS:
        raise Declined("image has 2**31 pixels or more; give a smaller one")


def _around(image, connectivity):
    """Neighbours of a pixel, the struct of common/neighbours.cuh."""
    shape = image.shape
    _refuse(image)
    if not shape:
        raise Invalid("image has no axes; give one with axes")
    if len(shape) > MOST_AXES:
        raise Declined(f"image has {len(shape)} axes; give an image of up to {MOST_AXES}")
    if np.isscalar(connectivity) or connectivity is None:
        footprint = footprint_of(None, 1 if connectivity is None else connectivity, len(shape))
    else:
        footprint = _footprint(connectivity, len(shape))
    if any(n <= length // 2 for n, length in zip(shape, footprint.shape, strict=True)):
        raise Invalid("image has an axis that its neighbours reach over; give a larger one")
    if min(shape) < 3:
        raise Declined("image has an axis of one or two pixels; nothing to change")
    return _neighbours(shape, footprint.shape, footprint.tobytes())


def _footprint(connectivity, axes):
    footprint = given_footprint("connectivity", connectivity, axes)
    if any(length % 2 == 0 for length in footprint.shape):
        raise Invalid("connectivity has an axis of even length; give odd ones")
    if any(length > 3 for length in footprint.shape):
        raise Declined(
            "connectivity has more than three pixels along an axis; give three along each"
        )
    return footprint


@functools.lru_cache(maxsize=256)
def _neighbours(shape, lengths, mask):
    footprint = np.frombuffer(mask, bool).reshape(lengths)
    return neighbours(shape, footprint, "connectivity").around
