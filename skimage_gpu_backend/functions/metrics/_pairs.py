"""What the rooms of skimage.metrics share: two images of one shape."""

import numpy as np

from ...plan import Declined, Invalid


def refuse_unlike(image0, image1):
    """Raise unless both are arrays, of one shape."""
    refuse_but_arrays(image0, image1)
    if image0.shape != image1.shape:
        raise Invalid("images differ in shape; give numpy.broadcast_to(...) for the smaller one")


def refuse_but_arrays(*images):
    """Raise for what has no shape, which scikit-image asks for, and for NumPy's scalars."""
    for image in images:
        if not hasattr(image, "nbytes"):
            raise Invalid("images are not both arrays; give numpy.asarray(...)")
        if isinstance(image, np.generic):
            raise Declined("images are not both arrays, but a single number; give arrays")
