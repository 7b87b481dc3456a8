"""skimage.registration: optical_flow_tvl1, three launches an iteration, rounded as NumPy rounds.

Cost of an iteration: 1 launch for the data, 2 that make the flow smooth. Of a warp 1 launch more
before its iterations and 1 behind, which tells on the device whether the flow has settled; then
what was launched beyond returns at once. With `prefilter` medians take 1 launch, of volumes 4, and
1 keeps the flow before. Between levels 1 launch makes a larger flow.
Before all this both images are made floating (1 launch each), and pyramids of them: as many
launches as `gaussian` and `resize` take, for each level. Nothing
comes to the host.
"""

import functools
import itertools

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.rounds import rounds
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, refuse_narrow, refuse_wider, truth
from ._pyramids import checked, cost, pyramid, resized, without_outliers

_SOURCE = "registration/tvl1.cu"
_BLOCK = 128


def optical_flow_tvl1(
    reference_image,
    moving_image,
    *,
    attachment=15,
    tightness=0.3,
    num_warp=5,
    num_iter=10,
    tol=1e-4,
    prefilter=False,
    dtype=np.float32,
):
    """Where each pixel has gone, smooth but for edges: `skimage.registration.optical_flow_tvl1`."""
    value, warps = checked(reference_image, moving_image, num_warp, dtype)
    for name, number in (("attachment", attachment), ("tightness", tightness), ("tol", tol)):
        refuse_wider(name, number, value)
        refuse_narrow(name, number)
        if not abs(float(number)) < 1e30:
            raise Declined(f"{name} is not finite, or larger than any image; give a number, as 1")
    if tightness == 0:
        raise Invalid("tightness is 0, by which is divided; give a number above 0")
    iterations = integer("num_iter", num_iter)
    if iterations < 1:
        raise Declined("num_iter is below 1, so that nothing moves; nothing to change")
    time = 0.5 / reference_image.ndim
    numbers = attachment * tightness, time, time / tightness, tol
    numbers = tuple(float(number) for number in numbers)
    smooths = truth("prefilter", prefilter)
    run = functools.partial(_flow, value, warps, iterations, numbers, smooths)
    axes = reference_image.ndim
    # of an iteration: the data, and twice what is smooth; beside them linear equations, an end
    launches, rest = 2 + smooths + 3 * iterations, 2 * axes * (1 + smooths)
    read = axes + 2 + rest + iterations * (2 * axes + 2 + 2 * axes * (axes + 2))
    written = axes + 2 + axes * smooths + iterations * (axes + 2 * axes * (axes + 1))
    kept = 4 * axes + 2 + 2 * axes**2
    given = reference_image.shape, reference_image.dtype, value, warps
    return Plan(run, cost=cost(*given, (launches, read, written), kept, smooths))


def _flow(value, warps, iterations, numbers, smooths, reference_image, moving_image):
    references, others = (pyramid(image, value) for image in (reference_image, moving_image))
    flow, turns = None, iter(rounds(warps * len(references)))
    for reference, moving in zip(references[::-1], others[::-1], strict=True):
        shape = reference.shape
        flow = xp.zeros((len(shape), *shape), value) if flow is None else resized(flow, shape)
        here = itertools.islice(turns, warps)
        flow = _settled(reference, moving, flow, here, iterations, numbers, smooths)
    return flow


def _settled(reference, moving, flow, turns, iterations, numbers, smooths):
    """The flow on a level after all its iterations."""
    strength, time, weight, tol = numbers
    axes, value, shape, count = reference.ndim, reference.dtype, reference.shape, reference.size
    types, work = f"{axes}, {c_name(value)}", flow.size
    extent = np.zeros((), [("size", "i8", axes)])
    extent["size"] = shape
    extent = extent[()]
    first, auxiliary, between = (xp.empty(flow.shape, value) for _ in range(3))
    linear = xp.empty((axes + 2, *shape), value)
    dual, dual_between = (
        xp.zeros((axes, axes, *shape), value),
        xp.empty((axes, axes, *shape), value),
    )
    blocks = min(-(-work // _BLOCK), resident_blocks(_BLOCK))
    flags, partials = xp.zeros(2, "uint32"), xp.empty(blocks)
    done, arrived = flags[:1], flags[1:]
    for _ in turns:
        here, before = flow, first
        if smooths:
            here, before = without_outliers(flow), flow.copy()
        args = reference, moving, here, extent, done, linear
        launch(_SOURCE, f"linearized<{types}>", args, work=count, block=_BLOCK)
        for iteration in range(iterations):
            # scikit-image compares with the flow after the first step, which it does in place
            into = auxiliary if iteration or smooths else first
            args = here, linear, count, strength, done, into
            launch(_SOURCE, f"data_term<{types}>", args, work=count, block=_BLOCK)
            steps = (into, dual, dual_between, between), (between, dual_between, dual, flow)
            for source, duals, written, result in steps:
                args = source, into, duals, extent, time, weight, done, written, result
                launch(_SOURCE, f"regularized<{types}>", args, work=work, block=_BLOCK)
            here = flow
        args = before, flow, work, tol * count, done, partials, arrived
        size = {"work": work, "block": _BLOCK, "grid": (blocks,)}
        launch(_SOURCE, f"settled<{c_name(value)}>", args, **size)
    return flow


def specializations():
    """Every (source, expression) that the function launches."""
    for name in ("float", "double"):
        yield _SOURCE, f"settled<{name}>"
        for axes in (2, 3):
            for kernel in ("linearized", "data_term", "regularized"):
                yield _SOURCE, f"{kernel}<{axes}, {name}>"
            yield "registration/ilk.cu", f"resized_flow<{axes}, {name}>"
