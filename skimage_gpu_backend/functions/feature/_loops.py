"""What the loops of scikit-image refuse, to which rooms of this folder leave the error."""

from ...plan import Invalid
from ...primitives.arguments import is_contiguous, is_writeable


def refuse_read_only(image, *itself):
    """Refuse a read-only image that a loop would get as it is: other layouts are copied first.

    Parameters
    ----------
    image : array
    *itself : str
        Dtypes of images that reach the loop without a copy.
    """
    if image.dtype.name in itself and is_contiguous(image) and not is_writeable(image):
        raise Invalid("image is read-only")
