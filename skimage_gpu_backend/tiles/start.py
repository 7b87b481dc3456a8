"""Which calls run in tiles: large ones whose copies and kernels then overlap, those that do not
fit, and those that ran out of memory."""

import functools

import cupy as cp
import numpy as np

from .. import notify
from .._warn import forget
from ..adapt import managed, pinned, uploads
from ..adapt.call import call_on_device
from ..adapt.kinds import NUMPY, kind_of
from ..adapt.resident import block_of
from ..adapt.values import replace
from ..availability import as_trouble
from ..plan import Passes, Slabs, Sums
from . import devices, plan, progress
from .gate import let_in
from .memory import apply_limit, available, least_available
from .pieces import in_pieces
from .run import Cut


def run(call):
    """Result of a call, in tiles where that is better or the only way.

    Parameters
    ----------
    call : Call

    Raises
    ------
    DeviceTrouble
        The call does not fit on the device, and not in tiles either.
    """
    apply_limit()
    with let_in(call.arguments, call.plan), progress.of(call):
        return _run(call)


def _run(call):
    planned = call.plan
    if call.size >= pinned.LARGE and _crosses(call):
        done = _at_once(call)
        if done is not None:
            return done[0]
        forget()
    try:
        return call_on_device(planned.run, call)
    except MemoryError as error:
        trouble = _no_room(error)
    forget()
    uploads.forget()
    managed.free_kept()
    done = planned.reach and _in_tiles(call, _shrinking)
    if done is None:
        raise trouble
    if call.output == "resident":
        notify.ordinary_results(notify.NO_ROOM)
    return done[0]


def _no_room(error):
    """`DeviceTrouble` where the device, and not the host, has no memory; else the error is raised.

    CuPy's pool tells it by an exception of its own, Thrust by Python's.
    """
    trouble = as_trouble(error)
    if trouble is None:
        raise error
    return trouble


def _crosses(call):
    """Whether images, and their results, cross the bus; those that stay on the device do not."""
    if call.output == "resident":
        return False
    return not any(kind_of(v) is NUMPY and block_of(v) for v in call.arguments.values())


def _at_once(call):
    """Result of a large call in a 1-tuple; None where it is to run whole."""
    if call.plan.reach is None or _reads_twice_and_fits(call):
        return None
    return _in_tiles(call, _overlapping)


def _reads_twice_and_fits(call):
    """Whether pieces of the images would cross the bus again where they could have stayed."""
    reach = call.plan.reach
    if reach is not Sums and not isinstance(reach, Passes | Slabs):
        return False
    images = _images(call).values()
    need = sum(image.nbytes for image in images)
    if isinstance(reach, Slabs):
        need += max(image.size for image in images) * reach.nbytes
    elif reach is not Sums:
        need = max(i.size for i in images) * plan.bytes_per_element(images, reach.reach, 1)
    return need <= available()


def _in_tiles(call, run_cut):
    """What `run_cut` makes of the call's images, cut; None where they cannot be cut."""
    reach, make = call.plan.reach, None
    try:
        if reach is Sums:
            return (call_on_device(call.plan.run, call.with_arrays(_pieces(call))),)
        if isinstance(reach, Slabs):
            pieces = call.with_arrays(_pieces(call, reach.nbytes))
            return (_where_asked(call, call_on_device(call.plan.run, pieces)),)
        if isinstance(reach, Passes):
            make, reach = functools.partial(reach.make, reach.find(**_pieces(call))), reach.reach
        return run_cut(Cut(call, reach, make))
    except plan.TooLarge:
        return None


def _images(call):
    """Arrays by the names of their parameters."""
    return {n: v for n, v in call.arguments.items() if n != "out" and kind_of(v) is not None}


def _where_asked(call, value):
    """A result made on the host, where the call's results are to be."""
    if call.kind is NUMPY and call.output != "cupy":
        return value
    return replace(value, lambda v: cp.asarray(v) if isinstance(v, np.ndarray) else v)


def _pieces(call, beside=None):
    images = _images(call)
    pieces = in_pieces(list(images.values()), available(), call, beside)
    return dict(zip(images, pieces, strict=True))


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
        except MemoryError as error:
            _no_room(error)
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
        except MemoryError as error:
            _no_room(error)
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
