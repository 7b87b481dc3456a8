"""How far each op's output looks: one module per scikit-image module, one function per op.

A function has the signature of the scikit-image function, as those of ``accept/``, which have
taken the call before. It answers with a `Reach`, or None where an element of the result may
depend on all of the image. An op without a function here looks at all of the image.
"""

import functools
import importlib

from ... import functions
from ...catalog import CATALOG, module_of
from ...plan import Passes, Reach, Sums, point

__all__ = ["Passes", "Reach", "Sums", "point", "reach_of"]


def reach_of(name, args, kwargs):
    """`Reach` of a call that our own op has taken, `Sums` or `Passes`.

    None where it looks at all of its images.
    """
    if CATALOG[name].room:
        return functions.plan(name, args, kwargs).reach
    function = _function(name)
    return None if function is None else function(*args, **kwargs)


@functools.cache
def _function(name):
    try:
        module = importlib.import_module(f"{__name__}.{module_of(name)}")
    except ModuleNotFoundError:
        return None
    return getattr(module, name.partition(":")[2], None)
