"""Small integers in double precision, as scikit-image has them; cuCIM takes single.

cuCIM's table of floating types (`_shared/utils.py`) gives float32 for booleans and for
integers of 8 and 16 bits, where scikit-image's gives float64.
"""

_SINGLE_IN_CUCIM = "?bBhH"


def scaled(image):
    """As `img_as_float`: integers become float64, from 0 (or -1) to 1."""
    if image.dtype.char not in _SINGLE_IN_CUCIM:
        return image
    from cucim.skimage.util import img_as_float64

    return img_as_float64(image)


def doubled(image):
    """Integers become float64 of the same value."""
    return image.astype("float64") if image.dtype.char in _SINGLE_IN_CUCIM else image


def with_images(change, *names):
    """A correction: the images called `names` are changed before cuCIM gets them."""

    def correct(theirs, **arguments):
        for name in names or ("image",):
            arguments[name] = change(arguments[name])
        return theirs(**arguments)

    return correct
