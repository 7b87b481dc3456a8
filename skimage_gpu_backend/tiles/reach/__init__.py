"""How far each op's output looks: one module per scikit-image module, one function per op.

A function has the signature of the scikit-image function, as those of ``accept/``, which have
taken the call before. It answers with a `Reach`, or None where an element of the result may
depend on all of the image. An op without a function here looks at all of the image.
"""

import functools
import importlib
from collections.abc import Callable
from typing import NamedTuple

from ...catalog import module_of


class Reach(NamedTuple):
    """What part of its images an element of a result depends on.

    All images of a call share their axes; so do all arrays among its results.

    Attributes
    ----------
    halo : tuple of (int or None)
        For each axis of the images: elements on either side that an element of the result
        depends on, counting from its own place. None: on all along this axis.
    places : tuple of int, optional
        For each axis of the images the axis of the results that it becomes; where None, the
        same one. What it says of axes with a halo of None does not matter.
    align : tuple of int, optional
        For each axis: tiles begin at multiples of this, since the op adds up in chunks that it
        counts from the first element, and floating sums depend on where a chunk begins.
    arrays : int
        Arrays of the image's shape in the floating type that the op works in, which it has at
        a time: results and what it needs in between. An estimate for the first plan.
    """

    halo: tuple
    places: tuple | None = None
    align: tuple | None = None
    arrays: int = 2


class Sums:
    """Instead of a reach: the op adds up what it sees, and takes its image in pieces."""


class Passes(NamedTuple):
    """Instead of a reach: one pass adds up what it sees, a second one makes the result.

    Attributes
    ----------
    find : callable
        Takes the image in pieces and the call's other arguments.
    make : callable
        Takes what `find` gave and the arguments of the call.
    reach : Reach
        Of `make`.
    """

    find: Callable
    make: Callable
    reach: Reach


def point(image, arrays=1) -> Reach:
    """Reach of an op whose result is made element by element."""
    return Reach((0,) * image.ndim, arrays=arrays)


def reach_of(name, args, kwargs):
    """`Reach` of a call that our own op has taken, `Sums` or `Passes`.

    None where it looks at all of its images.
    """
    function = _function(name)
    return None if function is None else function(*args, **kwargs)


@functools.cache
def _function(name):
    try:
        module = importlib.import_module(f"{__name__}.{module_of(name)}")
    except ModuleNotFoundError:
        return None
    return getattr(module, name.partition(":")[2], None)
