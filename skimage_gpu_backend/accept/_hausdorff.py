"""Calls that the ops of the Hausdorff distances of skimage.metrics take."""

from ._verdict import Invalid

MOST_AXES = 8
MOST_SQUARED = 2**31 - 2


def hausdorff_distance(image0, image1, method="standard"):
    if method not in ("standard", "modified"):
        return Invalid(f"there is no method {method!r}")
    return hausdorff_pair(image0, image1)


def hausdorff_pair(image0, image1):
    if image0.shape != image1.shape:
        return "images differ in shape"
    if not 0 < image0.ndim <= MOST_AXES:
        return f"images have no axes, or more than {MOST_AXES}"
    if not image0.size:
        return "images are empty"
    if sum((size - 1) ** 2 for size in image0.shape) > MOST_SQUARED:
        return "the square of the image's diagonal is above 2**31"
    return None
