"""What scikit-image refuses is refused when the graph is built, before anything is computed."""

import warnings

import numpy as np

from ..adapt.kinds import is_lazy, kind_of
from ..arguments import bound, replaced
from ..catalog import CATALOG
from ..scikit_image import on_host

_SIDE = 32  # of a small image, larger than most windows


def refusal(name, args, kwargs):
    """The exception that scikit-image raises for small images of the same types; None if none."""
    row = CATALOG[name]
    small, shapes = {}, {}
    for parameter, value in bound(name, args, kwargs)[0].items():
        is_image = parameter in row.images + row.beside and kind_of(value) is not None
        if is_image or is_lazy(value):
            shape = tuple(int(min(n, _SIDE)) for n in value.shape)
            small[parameter] = np.zeros(shape, value.dtype)
            shapes[str(shape)] = str(tuple(value.shape))
    args, kwargs = replaced(name, args, kwargs, small)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            on_host(name, *args, **kwargs)
    except Exception as error:
        return _of_whole(error, shapes)


def _of_whole(error, shapes):
    """`error` with the shapes of the images in place of those of small ones."""
    texts = []
    for text in error.args:
        for small, whole in shapes.items() if isinstance(text, str) else ():
            text = text.replace(small, whole)
        texts.append(text)
    error.args = tuple(texts)
    return error.with_traceback(None)
