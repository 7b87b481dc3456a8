"""Launches as data: told before any data moves, run when the arrays are there."""

import math
from typing import NamedTuple

from .kernels import launch
from .lazy import cp


class Cost(NamedTuple):
    """Launches, bytes that kernels read and write, bytes between that are no result."""

    launches: int
    read: int
    written: int
    between: int = 0


class Array:
    """A place in a plan: an array of the call, or one that is made when the plan runs.

    It looks like an array without data, of which plans can be made, too.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        An array of the call is brought to it, and made C-contiguous.
    name : str, optional
        Parameter whose array it is. Without one it is made, and the launch in which it
        first stands writes it.
    zero : bool
        Whether it is made of zeros, to which the launch adds.
    converted : bool
        Whether the array of the call has another dtype, so that one more launch converts it.
    values : numpy.ndarray, optional
        A few numbers, which go to the device when the plan runs.
    """

    __slots__ = ("converted", "dtype", "name", "shape", "values", "zero")

    def __init__(self, shape, dtype, name=None, *, zero=False, converted=False, values=None):
        self.shape, self.dtype, self.name = shape, dtype, name
        self.zero, self.converted, self.values = zero, converted, values

    @classmethod
    def of(cls, values):
        """A few numbers of a NumPy array."""
        return cls(values.shape, values.dtype, values=values)

    @classmethod
    def given(cls, name, array):
        """The array of the parameter `name`."""
        return cls(array.shape, array.dtype, name)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize


class Bytes(NamedTuple):
    """In a launch: an `Array` that the kernel takes as bytes, whatever its dtype is."""

    array: Array


class Launch(NamedTuple):
    """One kernel: arguments as of `device.launch`, with `Array` where an array is to be."""

    source: str
    expression: str
    arguments: tuple
    work: int
    block: int | tuple = 256
    shared: int = 0
    grid: tuple | None = None


class Launches:
    """A sequence of launches that no data changes.

    Called with the call's arrays by name it returns `result`; ``out`` is written where it is
    given.

    Parameters
    ----------
    steps : sequence of Launch
    result : Array or tuple of Array
    """

    __slots__ = ("result", "steps")

    def __init__(self, steps, result):
        self.steps, self.result = steps, result

    def __call__(self, *, out=None, **arrays):
        return _run(self.steps, self.result, arrays, out)

    @property
    def cost(self) -> Cost:
        """Counted from the steps, for arrays that are C-contiguous."""
        read = written = 0
        seen = set()
        for step in self.steps:
            for array in _arrays(step):
                if array.name or array.values is not None or array in seen:
                    read += array.nbytes
                else:
                    written += array.nbytes
                seen.add(array)
        results = self.result if isinstance(self.result, tuple) else (self.result,)
        between = sum(
            a.nbytes for a in seen if not a.name and a.values is None and a not in results
        )
        conversions = [a for a in seen if a.converted]  # an element has 8 bytes at most
        read += sum(8 * a.size for a in conversions)
        written += sum(a.nbytes for a in conversions)
        return Cost(len(self.steps) + len(conversions), read, written, between)

    @property
    def kernels(self):
        """Pairs of source and expression."""
        return [(step.source, step.expression) for step in self.steps if step.work]


def _run(steps, result, arrays, out=None):
    """Launch `steps` for the call's device `arrays`, by the names of their parameters.

    Returns
    -------
    cupy.ndarray or tuple
        What the plan's `result` became; `out`, which then holds it, where that is given.
    """
    there = {}
    if out is not None and out.flags.c_contiguous and not _shares(out, arrays):
        there[result] = out
    for source, expression, arguments, work, block, shared, grid in steps:
        args = []
        for argument in arguments:
            if type(argument) is Array:
                argument = _found(argument, there, arrays)
            elif type(argument) is Bytes:
                argument = _found(argument.array, there, arrays).view("uint8")
            args.append(argument)
        launch(source, expression, args, work=work, block=block, shared=shared, grid=grid)
    if isinstance(result, tuple):
        return tuple(there[each] for each in result)
    made = there[result]
    if out is None or made is out:
        return made
    out[...] = made
    return out


def _arrays(step):
    """Those of its arguments that are arrays."""
    arguments = (a.array if type(a) is Bytes else a for a in step.arguments)
    return [argument for argument in arguments if type(argument) is Array]


def _found(place, there, arrays):
    found = there.get(place)
    if found is None:
        found = there[place] = _made(place, arrays)
    return found


def _made(place, arrays):
    if place.name:
        return cp.ascontiguousarray(arrays[place.name], place.dtype)
    if place.values is not None:
        return cp.asarray(place.values)
    return (cp.zeros if place.zero else cp.empty)(place.shape, place.dtype)


def _shares(out, arrays):
    return any(cp.may_share_memory(out, given) for given in arrays.values())
