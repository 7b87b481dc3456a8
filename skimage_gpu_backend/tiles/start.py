"""Which calls run in tiles: large ones whose copies and kernels then overlap, those that do not
fit, and those that ran out of memory."""

import functools

import cupy as cp

from ..adapt import managed, uploads
from ..adapt.call import bound, call_on_device
from ..adapt.kinds import NUMPY, kind_of
from ..adapt.resident import block_of
from ..catalog import CATALOG
from ..dispatch import notify
from . import LARGE, devices, pinned, plan
from .memory import apply_limit, available, least_available
from .pieces import in_pieces
from .reach import Passes, Sums, reach_of
from .run import Call

OutOfMemoryError = cp.cuda.memory.OutOfMemoryError


def run(source, name, op, size, *call, **options):
    """Result of a call, in tiles where that is better or the only way.

    Parameters
    ----------
    source : {"kernel", "cucim"}
        Only our own ops run in tiles.
    name : str
        Public module and function.
    op : callable
    size : int
        Bytes of the images that come from the host.
    *call, **options
        Further arguments of `adapt.call.call_on_device`.

    Raises
    ------
    cupy.cuda.memory.OutOfMemoryError
        The call does not fit on the device, and not in tiles either.
    """
    apply_limit()
    if source == "kernel" and size >= LARGE and _cross(call, **options):
        done = _at_once(name, op, call, options)
        if done is not None:
            return done[0]
    try:
        return call_on_device(op, *call, **options)
    except OutOfMemoryError as error:
        if source != "kernel":
            raise
        trouble = error.with_traceback(None)  # whose frames hold device arrays
    uploads.forget()
    managed.free_kept()
    done = _after_trouble(name, op, call, options)
    if done is None:
        raise trouble
    if options.get("output") == "resident":
        notify.ordinary_results(notify.NO_ROOM)
    return done[0]


def _cross(call, output=None):
    """Whether images, and their results, cross the bus; those that stay on the device do not."""
    *_, args, kwargs = call
    if output == "resident":
        return False
    return not any(
        kind_of(value) is NUMPY and block_of(value) for value in (*args, *kwargs.values())
    )


def _at_once(name, op, call, options):
    """Result of a large call in a 1-tuple; None where it is to run whole."""
    looks = reach_of(name, *call[-2:])
    if looks is None or _reads_twice_and_fits(looks, call):
        return None
    return _in_tiles(name, looks, op, call, options, _overlapping)


def _after_trouble(name, op, call, options):
    """Result in a 1-tuple of a call that ran out of memory; None where it cannot be cut."""
    looks = reach_of(name, *call[-2:])
    return looks and _in_tiles(name, looks, op, call, options, _shrinking)


def _reads_twice_and_fits(looks, call):
    """Whether pieces of the images would cross the bus again where they could have stayed."""
    if looks is not Sums and not isinstance(looks, Passes):
        return False
    images = _images(call)[0].values()
    need = sum(image.nbytes for image in images)
    if looks is not Sums:
        need = max(i.size for i in images) * plan.bytes_per_element(images, looks.reach, 1)
    return need <= available()


def _in_tiles(name, looks, op, call, options, run_cut):
    try:
        if looks is Sums:
            return (_summed(name, call_on_device, op, call, options),)
        if isinstance(looks, Passes):
            op, looks = _made(name, looks, call), looks.reach
        return run_cut(Call(name, op, looks, *call, **options))
    except plan.TooLarge:
        return None


def _made(name, looks, call):
    """What makes the result of a tile, after the first of two passes."""
    if not CATALOG[name].room:
        return functools.partial(looks.make, _summed(name, _call, looks.find, call, {}))
    images = _images(call)[0]
    pieces = in_pieces(list(images.values()), available(), name)
    found = looks.find(**dict(zip(images, pieces, strict=True)))
    names = (*call[0], "out")

    def make(**arguments):
        return looks.make(found, **{n: arguments[n] for n in names if n in arguments})

    return make


def _images(call):
    """Images by the names of their parameters, all arguments, and those without a name."""
    names, places, _, args, kwargs = call
    arguments, rest = bound(places, args, kwargs)
    images = {n: v for n, v in arguments.items() if n in names and kind_of(v) is not None}
    return images, arguments, rest


def _summed(function, run_op, op, call, options):
    """Result of an op that takes its image in pieces."""
    names, places, kind, *_ = call
    images, arguments, rest = _images(call)
    pieces = in_pieces(list(images.values()), available(), function)
    arguments |= zip(images, pieces, strict=True)
    return run_op(op, names, places, kind, rest, arguments, **options)


def _call(op, names, places, kind, args, kwargs):
    return op(*args, **kwargs)


def _overlapping(cut):
    """Result in a 1-tuple, by a piece or more at a time; None where the whole fits only whole."""
    slabs = _slabs(cut)
    if slabs and devices.chosen():
        return _shrinking(cut, plan.extent(slabs, cut.shape, cut.reach) * cut.cost)
    free = available()
    there = sum(image.nbytes for image in cut.images.values())
    if slabs and there + plan.extent(slabs, cut.shape, cut.reach) * cut.cost <= free:
        try:
            return (cut.run(slabs, whole=True),)
        except OutOfMemoryError:
            pass
    elif plan.extent(cut.shape, cut.shape, cut.reach) * cut.cost <= free:
        return None
    return _shrinking(cut)


def _shrinking(cut, most=None):
    """Result in a 1-tuple, in tiles that become smaller until they fit; None if none does.

    `most` bounds the bytes of the first try.
    """
    numbers = () if cut.on_device else devices.chosen()
    # what was planned with need not have been all that is needed: then at least two tiles
    largest = plan.extent(cut.shape, cut.shape, cut.reach) * cut.cost
    free = least_available() if numbers else available()
    budget = min(free, most or largest // max(2, 2 * len(numbers)))
    while True:
        try:
            lengths = plan.tile_shape(cut.shape, cut.reach, cut.cost, budget)
        except plan.TooLarge:
            return None
        try:
            return (cut.run(lengths, numbers),)
        except OutOfMemoryError:
            budget = plan.extent(lengths, cut.shape, cut.reach) * cut.cost // 2


def _slabs(cut):
    """Lengths of slabs along the first axis of about a piece each; None if there is but one."""
    halo = cut.reach.halo[0]
    if halo is None or cut.on_device or any(i.flags.fnc for i in cut.images.values()):
        return None  # of arrays in Fortran order the last axis would be the one
    row = sum(image.nbytes for image in cut.images.values()) // cut.shape[0]
    # the halo of a slab is computed twice: it is to be the lesser part
    align = cut.reach.align[0] if cut.reach.align else 1
    length = plan.up_to(max(1, pinned.PIECE // row, 8 * halo), align)
    return (length, *cut.shape[1:]) if length < cut.shape[0] else None
