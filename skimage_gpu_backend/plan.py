"""What a room answers to a call: how it runs on the device, known before any data moves.

Everything here is told from shapes, dtypes and plain arguments. CuPy is not imported.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

from ._warn import warn_caller
from .device.launches import Launches
from .trouble import Declined, Idle, Invalid

__all__ = [
    "Declined",
    "Idle",
    "Invalid",
    "Passes",
    "Plan",
    "Reach",
    "Slabs",
    "Sums",
    "keeps_order",
    "point",
    "warned",
]


class Plan:
    """A call that is taken.

    Parameters
    ----------
    run : callable
        Takes the images, the arrays beside them and ``out`` by the names of their parameters, on
        the device, and returns device arrays, NumPy scalars or containers of them: `Launches`, or
        a function where something is done around them, or the data decides what is launched.
    reach : Reach, Sums, Slabs, Passes or None
        What of the images a part of the result needs; None: all of them.
    launches : Launches, optional
        Those that a function launches whatever the data is.
    cost : Cost, optional
        The most that `run` takes, by default that of its launches. Tests hold it.
    reads : tuple of str, optional
        Parameters whose arrays `run` takes, by default all: others stay where they are.
    stay : tuple of str, optional
        Parameters whose arrays `run` takes where the caller has them, on the host or on the device.
    tells : tuple of tuple, optional
        Texts and categories of warnings that `run` gives whatever the data is.

    Attributes
    ----------
    transposed : callable or None
        Makes the plan of the same call for arrays whose axes are in reverse order, or None. By it
        arrays in Fortran order run as they are, and the result is in Fortran order, too.
    """

    __slots__ = ("_cost", "launches", "reach", "reads", "run", "stay", "tells", "transposed")

    def __init__(self, run, reach=None, *, launches=None, cost=None, reads=None, stay=(), tells=()):
        self.run, self.reach, self._cost, self.reads = run, reach, cost, reads
        self.stay, self.tells, self.transposed = stay, tells, None
        self.launches = run if type(run) is Launches else launches

    @property
    def cost(self):
        """`Cost`, or None where the data decides."""
        return self._cost or (self.launches and self.launches.cost)


def keeps_order(planned):
    """Decorator of a function that plans an elementwise call by shape, which comes first.

    Such a plan does not depend on the order of axes: see `Plan.transposed`.
    """

    @functools.wraps(planned)
    def of_shape(shape, *args):
        plan = planned(shape, *args)
        plan.transposed = functools.partial(of_shape, shape[::-1], *args)
        return plan

    return of_shape


def warned(plan, text, category=UserWarning) -> Plan:
    """`plan`, which warns the caller first; as it is where `text` is empty."""
    if not text:
        return plan
    run = plan.run

    def warning(**arrays):
        warn_caller(text, category)
        return run(**arrays)

    tells = ((text, category), *plan.tells)
    options = {"launches": plan.launches, "cost": plan.cost, "reads": plan.reads}
    return Plan(warning, plan.reach, stay=plan.stay, tells=tells, **options)


class Reach(NamedTuple):
    """What part of its images an element of a result depends on.

    All images of a call share their axes, but for those behind the last one that is cut, which some
    may lack; all arrays among its results share theirs.

    Attributes
    ----------
    halo : tuple of (int or None)
        For each axis of the images: elements on either side that an element of the result
        depends on, counting from its own place. None: on all along this axis.
    places : tuple of int, optional
        For each axis of the images the axis of the results that it becomes; where None, the
        same one. What it says of axes with a halo of None does not matter.
    align : tuple of int, optional
        For each axis: tiles begin at multiples of this, since the function adds up in chunks that
        are counted from the first element, and floating sums depend on where a chunk begins.
    arrays : int
        Arrays of the image's shape in the floating type that it works in, which it has at
        a time: results and what it needs in between. An estimate for the first plan.
    """

    halo: tuple
    places: tuple | None = None
    align: tuple | None = None
    arrays: int = 2


class Sums:
    """Instead of a reach: the call adds up what it sees, and takes its image in pieces."""


class Slabs(NamedTuple):
    """Instead of a reach: the call takes its image in slabs along the first axis, and joins them.

    An image that does not fit comes as `tiles.pieces.Pieces`; the arrays that `run` then makes are
    NumPy's.

    Attributes
    ----------
    nbytes : int
        Of device memory for each element of a slab, beside the image's own. An estimate.
    """

    nbytes: int


class Passes(NamedTuple):
    """Instead of a reach: one pass adds up what it sees, a second one makes the result.

    Attributes
    ----------
    find : callable
        Takes the images by the names of their parameters, in pieces (`tiles.pieces.Pieces`).
    make : callable
        Takes what `find` gave, then the arrays of a tile by name, as `Plan.run` does.
    reach : Reach
        Of `make`.
    """

    find: Callable
    make: Callable
    reach: Reach


def point(image, arrays=1) -> Reach:
    """Reach of a function whose result is made element by element."""
    return Reach((0,) * image.ndim, arrays=arrays)
