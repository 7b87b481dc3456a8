"""Images in double precision where scikit-image has them so; cuCIM takes single.

cuCIM's table of floating types (`_shared/utils.py`) gives float32 for booleans and for
integers of 8 and 16 bits, where scikit-image's gives float64. No CuPy is imported here.
"""


def scaled(image):
    """As `img_as_float`: what is no float becomes float64, from 0 (or -1) to 1."""
    if image.dtype.kind == "f":
        return image
    from cucim.skimage.util import img_as_float64

    return img_as_float64(image)


def doubled(image):
    """What is no float becomes float64 of the same value."""
    return image if image.dtype.kind == "f" else image.astype("float64")


def with_images(change, *names):
    """A correction: the images called `names` are changed before cuCIM gets them."""

    def correct(theirs, **arguments):
        for name in names or ("image",):
            arguments[name] = change(arguments[name])
        return theirs(**arguments)

    return correct


def with_range(theirs, **arguments):
    """A correction: `preserve_range` tells how the image becomes floating."""
    change = doubled if arguments.get("preserve_range") else scaled
    return theirs(**{**arguments, "image": change(arguments["image"])})
