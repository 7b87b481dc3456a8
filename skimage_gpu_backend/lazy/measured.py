"""What is made of a chunk in place of its function's own result: on the device if that takes it."""

from ..adapt.host import moved_to_host
from ..adapt.kinds import device_kind, kind_of
from ..call import Call
from ..decide import decide
from ..dispatch.block import use_backends
from ..dispatch.selection import current
from ..execute import execute, trouble_of
from ..plan import Plan
from ..trouble import DeviceTrouble
from .once import once


def measured(chunks, task, plan_of, host):
    """What a plan, or the host, makes of the chunks of a call.

    Parameters
    ----------
    chunks : tuple of array
        Of the images of `task.parameters`.
    task : Task
        A call that is taken where the device is to do this.
    plan_of : callable
        Takes the plan of that call, and gives the plan of this one.
    host : callable
        Takes the chunks as NumPy arrays, and makes the same of them on the host.
    """
    images = dict(zip(task.parameters, chunks, strict=True))
    args = task.args[len(images) :]
    with use_backends(*task.backends, **task.options), once(task.call, task.told):
        decision = _decided(task.name, args and (*chunks, *args), task.kwargs | images)
        if decision and decision.plan:
            plan = plan_of(decision.plan)
            options = {"output": task.options["output"], "plan": plan, "plan_for": lambda _: plan}
            try:
                kind = kind_of(chunks[0])
                return execute(Call(task.name, task.parameters, kind, images, **options))
            except DeviceTrouble:  # the host has it all
                pass
    if not device_kind(chunks, {}):
        return host(*chunks)
    chunks, _, back = moved_to_host(chunks, {})
    return back(host(*chunks))


def plan_to(make):
    """For `measured`: a plan that runs `make` of the images by the names of their parameters."""
    return lambda plan: Plan(make)


def _decided(name, args, kwargs):
    """`Decision` of a chunk's call, None where the device fails."""
    try:
        return decide(name, args, kwargs, current())
    except Exception as error:  # as in `interface`
        if trouble_of(error) is None:
            raise
        return None
