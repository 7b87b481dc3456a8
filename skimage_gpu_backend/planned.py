"""Decides a call by the plan that its planner makes."""

import numpy as np

from . import functions
from .adapt.kinds import CUPY, NUMPY, device_kind, why_not_dtype
from .adapt.there import There
from .adapt.values import replace
from .arguments import bound, is_array, may_hold_arrays, replaced
from .call import Call
from .catalog import THERE
from .decision import Decision
from .methods import OWN_FUNCTIONS
from .scikit_image import parameter_places
from .trouble import Declined, Empty, Invalid
from .upstream.check import why_unknown


def decide_by_plan(row, name, kind, images, args, kwargs, selected, target, size=0):
    """Decision for a call by its plan, where its planner makes one."""
    call = (name, args, kwargs)
    if name not in OWN_FUNCTIONS and (changed := why_unknown(name)):
        return Decision(changed)
    try:
        return _planned(row, name, kind, images, args, kwargs, selected, target, size)
    except Invalid as invalid:
        return Decision(invalid.key, invalid=True, call=call)
    except Declined as declined:
        reason = declined.key
    if any(getattr(value, "size", None) == 0 for value in bound(name, args, kwargs)[0].values()):
        reason = Empty(reason)
    return Decision(reason, call=call)


def _planned(row, name, kind, images, args, kwargs, selected, target, size):
    """Decision for a call that has a plan; raises what `functions.plan` raises.

    The room sees the arguments as they will be on the device: small arrays that lie there are
    read, since their values decide, but for those that it takes where they are; images whose bytes
    are swapped will be in native order.
    """
    seen = args, kwargs
    if kind is CUPY and may_hold_arrays(args, kwargs, images):
        seen = _with_small_arrays_read(row, name, args, kwargs)
    for parameter, image in images:
        if image.dtype.isnative:
            continue
        if bound(name, *seen)[0].get(parameter) is image:  # not one of a list
            # as a copy would be: contiguous, to be written; nothing is read of it
            standing_in = {parameter: np.empty(image.shape, image.dtype.newbyteorder("="))}
            seen = replaced(name, *seen, standing_in)
    plan = functions.plan(name, *seen)
    if any(map(_is_extended, (*args, *kwargs.values()))):
        given = bound(name, args, kwargs)[0].items()
        parameter, value = next(each for each in given if _is_extended(each[1]))
        raise Declined(why_not_dtype(parameter, value.dtype))

    def run():
        arrays, whole = {}, _there(name, seen, plan)
        for parameter, value in bound(name, args, kwargs)[0].items():
            is_read = parameter in (row.arrays if plan.reads is None else plan.reads)
            if is_read and is_array(value) and parameter not in whole:
                arrays[parameter] = value

        def plan_for(parts):
            return functions.plan(name, *replaced(name, *seen, parts))

        options = {
            "output": selected.output,
            "progress": selected.progress,
            "threads": selected.threads,
            "size": size,
        }
        moved = row.arrays
        if plan.stay and kind is NUMPY:
            moved = tuple(parameter for parameter in moved if parameter not in plan.stay)
        call = Call(name, moved, kind, arrays, plan=plan, plan_for=plan_for, whole=whole, **options)
        return target.execute(call)

    return Decision(run=run, source="kernel", plan=plan, call=(name, args, kwargs))


def _is_extended(value):
    """Whether an argument is an array in a precision that no device has."""
    return isinstance(value, np.ndarray) and value.dtype.char == "g"


def _there(name, seen, plan):
    """Small arrays on the device that the plan reads, by name."""
    if not plan.reads:
        return {}
    arguments = bound(name, *seen)[0]
    found = ((parameter, arguments.get(parameter)) for parameter in plan.reads)
    return {parameter: value.array for parameter, value in found if type(value) is There}


def _with_small_arrays_read(row, name, args, kwargs):
    names = row.arrays
    places = parameter_places(name)
    others = [v for n, v in zip(places, args, strict=False) if n not in names]
    others += [v for n, v in kwargs.items() if n not in names]
    if not device_kind(others, ()):
        return args, kwargs
    from .adapt.transfer import is_device_array, to_host

    there = THERE.get(name.partition(":")[0], ())

    def read(name, value):
        if name in names:
            return value
        if name in there and is_device_array(value):
            return There(value)
        # of no axes too, as scikit-image gets them
        return replace(value, lambda v: np.asarray(to_host(v)) if is_device_array(v) else v)

    args = tuple(read(*each) for each in zip(places, args, strict=False))
    return args, {name: read(name, value) for name, value in kwargs.items()}
