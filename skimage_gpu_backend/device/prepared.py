"""Launches that are made ready once, for arrays of the same shapes and dtypes on one device."""

import functools

from ..devices import CPU, current, xp
from ..devices.cuda.lazy import cp
from .kernels import explicit, shape_of
from .launches import Array, Bytes, Launches, fitted
from .loading import load, loaded


class Prepared:
    """Kernels with their grids and arguments, in which only arrays are missing.

    Called with the call's arrays, which are C-contiguous and of the dtypes that `launches` have
    them in, it returns what `launches` return.

    Parameters
    ----------
    launches : Launches
    parameters : sequence of str
        Names of the call's arrays, in their order.
    """

    __slots__ = ("_count", "_results", "_steps")

    def __init__(self, launches, parameters):
        load(launches.kernels, device := current())
        numbers = {name: number for number, name in enumerate(parameters)}
        self._steps = []
        for step in map(fitted, launches.steps):
            if step.work == 0:
                continue
            makes, slots, template = [], [], []
            for place, argument in enumerate(step.arguments):
                if isinstance(argument, Array | Bytes):
                    slots.append((place, _number(argument, numbers, makes)))
                    argument = None
                template.append(explicit(argument))
            grid = step.grid() if callable(step.grid) else step.grid
            grid, block = shape_of(step.work, step.block, grid)
            function = loaded[step.source, step.expression, device]
            self._steps.append((makes, slots, template, function, grid, block, step.shared))
        results, makes = launches.result, []
        of = functools.partial(_number, numbers=numbers, makes=makes)
        self._results = tuple(map(of, results)) if isinstance(results, tuple) else of(results)
        self._steps.append((makes, (), (), None, (), (), 0))
        self._count = len(numbers)

    def __call__(self, *arrays):
        there = [*arrays, *[None] * (self._count - len(arrays))]
        for makes, slots, template, function, grid, block, shared in self._steps:
            for number, make in makes:
                there[number] = make(there)
            if function is not None:
                args = template.copy()
                for place, number in slots:
                    args[place] = there[number]
                function(grid, block, args, shared)
        if type(self._results) is tuple:
            return tuple([there[number] for number in self._results])
        return there[self._results]


def can_be(launches: Launches) -> bool:
    """Whether what comes back of launches are new arrays, which have axes."""
    results = launches.result
    results = results if isinstance(results, tuple) else (results,)
    return all(each.shape and not each.whole.name for each in results)


def _number(array, numbers, makes):
    """The place of an array among those of a run; with what makes it, where it is a new one."""
    key = array if isinstance(array, Bytes) else array.name or array
    if key in numbers:
        return numbers[key]
    make = _make(array, numbers, makes)
    numbers[key] = len(numbers)
    makes.append((numbers[key], make))
    return numbers[key]


def _make(array, numbers, makes):
    if isinstance(array, Bytes):
        number = _number(array.array, numbers, makes)
        return lambda there: there[number].view("uint8")
    if array._part:
        whole, place = array._part
        number = _number(whole, numbers, makes)
        return lambda there: there[number][place]
    if array.values is not None:
        kept = xp.asarray(array.values)
        if current() != CPU:
            cp.cuda.get_current_stream().synchronize()  # it is read on any stream from now on
        return lambda there: kept
    make = functools.partial(xp.zeros if array.zero else xp.empty, array.shape, array.dtype)
    return lambda there: make()
