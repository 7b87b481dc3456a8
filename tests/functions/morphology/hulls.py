"""What scikit-image makes of hulls, for the tests of planes and of volumes."""

import warnings

from skimage.morphology import convex_hull_image


def has_hull(image, **options):
    """Whether scikit-image finds a hull, instead of warning."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        convex_hull_image(image, **options)
    return not told
