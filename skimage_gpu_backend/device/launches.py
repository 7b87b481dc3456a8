"""Launches as data: told before any data moves, run when the arrays are there."""

import math
from collections.abc import Callable
from typing import NamedTuple

from ..devices import current, xp
from .kernels import launch
from .loading import load
from .rounds import rounds

MOST_BLOCKS = 65535  # along a grid's other axes than the first


class Cost(NamedTuple):
    """Launches, bytes that kernels read and write, bytes between that are no result."""

    launches: int
    read: int
    written: int
    between: int = 0


def added(*costs) -> Cost:
    """Of all of them, one after the other."""
    return Cost(*map(sum, zip(*costs, strict=True)))


class Array:
    """A place in a plan: an array of the call, or one that is made when the plan runs.

    It looks like an array without data, of which plans can be made, too. Its items along the
    first axis are parts of it.

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

    __slots__ = ("_part", "converted", "dtype", "name", "shape", "values", "zero")

    def __init__(self, shape, dtype, name=None, *, zero=False, converted=False, values=None):
        self.shape, self.dtype, self.name = shape, dtype, name
        self.zero, self.converted, self.values = zero, converted, values
        self._part = None

    def __iter__(self):
        for place in range(self.shape[0]):
            part = Array(self.shape[1:], self.dtype)
            part._part = self, place
            yield part

    @property
    def whole(self):
        """The array that it is a part of, which may be itself."""
        return self._part[0] if self._part else self

    @classmethod
    def of(cls, values):
        """A few numbers of a NumPy array, as they are now."""
        return cls(values.shape, values.dtype, values=values.copy())

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


def grid_of_tiles(down, across):
    """Grid with a block for each tile of a plane: across and, along its other axes, down.

    Blocks behind the last row of tiles have nothing to do.
    """
    return across, min(down, MOST_BLOCKS), -(-down // MOST_BLOCKS)


class Launch(NamedTuple):
    """One kernel: arguments as of `device.launch`, with `Array` where an array is to be.

    A `grid` that depends on how many blocks the device runs at once is a function. Where arguments
    depend on it too, `fit` takes the launch and returns the one for the current device. Both are
    called when the plan runs: a plan is made without a device. `over` are arrays that an earlier
    launch has written, too, and that are not read.
    """

    source: str
    expression: str
    arguments: tuple
    work: int
    block: int | tuple = 256
    shared: int = 0
    grid: tuple | Callable | None = None
    over: tuple = ()
    fit: Callable | None = None


def fitted(step: Launch) -> Launch:
    """The launch for the current device."""
    return step.fit(step) if step.fit else step


class Launches:
    """A sequence of launches that no data changes.

    Called with the call's arrays by name it returns `result`; ``out`` is written where it is
    given.

    Parameters
    ----------
    steps : sequence of Launch
    result : Array or tuple of Array
    """

    __slots__ = ("_ready", "result", "steps")

    def __init__(self, steps, result):
        self.steps, self.result = steps, result
        self._ready = set()  # devices that have had all kernels

    def __call__(self, *, out=None, **arrays):
        device = current()
        if device not in self._ready:  # what is to be compiled is compiled side by side
            load(self.kernels, device)
            self._ready.add(device)
        return _run(self.steps, self.result, arrays, out)

    @property
    def cost(self) -> Cost:
        """Counted from the steps, for arrays that are C-contiguous."""
        read = written = 0
        seen = set()
        for step in self.steps:
            arrays = _arrays(step)
            for array in arrays:
                whole = array.whole
                known = whole.name or whole.values is not None
                if known or (whole in seen and array not in step.over):
                    read += array.nbytes
                else:
                    written += array.nbytes
            seen.update(a.whole for a in arrays)
        results = self.result if isinstance(self.result, tuple) else (self.result,)
        between = sum(
            a.nbytes for a in seen if not a.name and a.values is None and a not in results
        )
        conversions = [a for a in seen if a.converted]  # an element has 8 bytes at most
        read += sum(8 * a.size for a in conversions)
        written += sum(a.nbytes for a in conversions)
        return Cost(len(self.steps) + len(conversions), read, written, between)

    @property
    def arrays(self):
        """Shape and dtype of the call's arrays that it takes, by name."""
        taken = (a.whole for step in self.steps for a in _arrays(step))
        return {a.name: (a.shape, a.dtype) for a in taken if a.name}

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
    if out is not None and _can_be_written(out, result, arrays):
        there[result] = out
    for number in rounds(len(steps)):
        source, expression, arguments, work, block, shared, grid, *_ = fitted(steps[number])
        args = []
        for argument in arguments:
            if type(argument) is Array:
                argument = _found(argument, there, arrays)
            elif type(argument) is Bytes:
                argument = _found(argument.array, there, arrays).view("uint8")
            args.append(argument)
        blocks = grid() if callable(grid) else grid
        launch(source, expression, args, work=work, block=block, shared=shared, grid=blocks)
    if isinstance(result, tuple):
        return tuple(_found(each, there, arrays) for each in result)
    made = _found(result, there, arrays)
    if out is None or made is out:
        return made
    out[...] = made
    return out


def _arrays(step):
    """Those of its arguments that are arrays."""
    arguments = (a.array if type(a) is Bytes else a for a in step.arguments)
    return [argument for argument in arguments if type(argument) is Array]


def _found(array, there, arrays):
    """The device array of an `Array`: one of those that are `there`, or of the call, or new."""
    found = there.get(array)
    if found is not None:
        return found
    if array._part:
        whole, place = array._part
        found = _found(whole, there, arrays)[place]
    elif array.name:
        found = xp.ascontiguousarray(arrays[array.name], array.dtype)
    elif array.values is not None:
        found = xp.asarray(array.values)
    else:
        found = (xp.zeros if array.zero else xp.empty)(array.shape, array.dtype)
    there[array] = found
    return found


def _can_be_written(out, result, arrays):
    """Whether kernels can write into `out` what is to be in it."""
    if out.dtype != result.dtype or not out.flags.c_contiguous:
        return False
    return not any(xp.may_share_memory(out, given) for given in arrays.values())
