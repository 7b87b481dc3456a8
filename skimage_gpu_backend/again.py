"""Repeated calls: the same function, with arrays of the same shapes and dtypes on the same device.

What a call is decided and planned by is its arguments, but for the images' data. Where its plan is
launches alone, the second call of its kind has them prepared: from then on a call allocates and
launches, and does nothing else. Whatever is out of the ordinary - a profile, no memory for arrays -
goes the whole way.
"""

import contextlib
import functools
from typing import NamedTuple

import numpy as np

from .adapt import meter
from .adapt.kinds import CUPY, NUMPY, kind_of
from .adapt.placement import elsewhere
from .arguments import bound
from .catalog import row_of
from .decision import Decision
from .device.launches import Launches
from .devices import current, on_cpu
from .environ import reader
from .execute import trouble_of
from .plan import Plan
from .targets import CPU

_min_size = reader("SKIMAGE_BACKENDS_MIN_SIZE")
_SCALARS = frozenset((bool, int, float, str, type(None)))
_SMALL = 1 << 12  # bytes of an array on the host, as a footprint is
_MOST = 512  # calls that are kept
_UNUSUAL = object()  # instead of a result
_known = {}  # key -> Known


class Known(NamedTuple):
    """A call that was planned: its arrays' parameters, its plan, and what is prepared of it."""

    parameters: tuple
    plan: Plan
    prepared: dict  # by device and by how often kernels were forgotten


def key_of(target, name, args, kwargs):
    """What a call's plan depends on, and its arrays; None where that takes long to find out."""
    kind = NUMPY if target is CPU else CUPY
    key, arrays = [target.backend, name, target is CPU and _min_size()], []
    for value in args:
        if not _add(value, kind, key, arrays):
            return None
    for parameter, value in kwargs.items():
        key.append(parameter)
        if not _add(value, kind, key, arrays):
            return None
    return (tuple(key), arrays) if arrays else None


def _add(value, kind, key, arrays):
    of = type(value)
    if of in _SCALARS:
        # equal numbers differ in their type, and zeros in their sign
        key.append((of, str(value) if of is float and value == 0 else value))
    elif of is tuple:
        if not all(type(each) in _SCALARS for each in value):
            return False
        inside = []
        for each in value:
            _add(each, kind, inside, arrays)
        key.append(tuple(inside))
    elif of is np.ndarray and value.nbytes <= _SMALL and value.dtype.kind in "biuf":
        key.append((value.shape, value.dtype, value.flags.c_contiguous, value.tobytes()))
    elif kind_of(value) is kind and value.flags.c_contiguous:
        if kind is NUMPY and not (value.flags.aligned and value.dtype.isnative):
            return False
        device = value.data.device_id if kind is CUPY else None
        key.append((value.shape, value.dtype, device))
        arrays.append(value)
    else:
        return False
    return True


def keep(key, arrays, name, args, kwargs, plan):
    """Remember a call whose plan is launches that take all of its arrays as they are."""
    from .device.prepared import can_be

    if type(plan.run) is not Launches or plan.tells or not can_be(plan.run):
        return
    given, rest = bound(name, args, kwargs)
    parameters = tuple(p for p, value in given.items() if any(value is each for each in arrays))
    seen = {p: (given[p].shape, given[p].dtype) for p in parameters}
    if rest or len(parameters) != len(arrays) or "out" in parameters:
        return
    # planners read the values of other arrays where they are NumPy's
    if kind_of(arrays[0]) is NUMPY and not set(parameters) <= set(row_of(name).arrays):
        return
    if plan.run.arrays == seen:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = Known(parameters, plan, {})


def decision(target, key, arrays, selected, whole) -> Decision | None:
    """A call that has come before.

    Parameters
    ----------
    target : Target
    key, arrays
        As `key_of` gives them.
    selected : Selection
    whole : callable
        Decides the call the whole way, where something turns out to be out of the ordinary.
    """
    known = _known.get(key)
    if known is None or selected.progress or target.unavailable():
        return None
    if target is CPU and (target.why_no_numpy(selected) or "cpu" not in selected.backends):
        return None
    on_device = functools.partial(_on_cpu, selected.threads) if target is CPU else _on_gpu

    def run():
        result = _run(known, arrays, on_device)
        return whole().run() if result is _UNUSUAL else result

    return Decision(run=run, source="kernel", plan=known.plan)


def _on_gpu(known, arrays):
    from .tiles.gate import let_in
    from .tiles.memory import apply_limit

    with elsewhere(arrays[0].data.device_id) or contextlib.nullcontext():
        apply_limit()
        with let_in(dict(zip(known.parameters, arrays, strict=True)), known.plan):
            return _prepared(known)(*arrays)


def _on_cpu(threads, known, arrays):
    from .devices.cpu.threads import limited_to

    with on_cpu(), limited_to(threads):
        return _prepared(known)(*arrays)


def _run(known, arrays, on_device):
    """Result of a call, run by `on_device`."""
    from .device import rounds

    if meter.watcher is not None or rounds.asked.get() is not None:
        return _UNUSUAL
    try:
        return on_device(known, arrays)
    except MemoryError:  # which tiles overcome
        return _UNUSUAL
    except Exception as error:
        trouble = trouble_of(error)
        if trouble is None:
            return _UNUSUAL
    except BaseException as stop:  # a console keeps it, and would keep what frames hold
        raise stop.with_traceback(None) from None
    raise trouble  # the error is gone, whose frames hold arrays


def _prepared(known):
    from .device import loading

    where = current(), loading.forgotten
    prepared = known.prepared.get(where)
    if prepared is None:
        from .device.prepared import Prepared

        prepared = known.prepared[where] = Prepared(known.plan.run, known.parameters)
    return prepared
