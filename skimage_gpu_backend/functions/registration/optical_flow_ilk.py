"""skimage.registration: optical_flow_ilk, two launches an iteration.

Cost of an iteration on a level of the pyramid: planes 2 launches, volumes 3. The first finds slopes
and errors of the moved image, the others average what the equations are made of and solve them;
nothing of the equations is written but, of volumes, their means along the first axis. With
`prefilter` medians take 1 launch more, of volumes 4. Between levels 1 launch makes a larger flow.
Before all this both images are made floating (1 launch each), and pyramids of them: as many
launches as `gaussian` and `resize` take, for each level. 8 bytes come to the host.
"""

import functools
import itertools

import numpy as np

from ...device import c_name, launch
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Plan
from ...primitives.arguments import integer, truth
from ...primitives.gaussian import bell
from ...primitives.window_means import shared_bytes, windows
from ._pyramids import checked, cost, pyramid, resized, without_outliers

_SOURCE = "registration/ilk.cu"
_BLOCK = 128
_TRUNCATE = 4.0  # of Gaussians, in sigmas
_SHARED = 47 * 1024


def optical_flow_ilk(
    reference_image,
    moving_image,
    *,
    radius=7,
    num_warp=10,
    gaussian=False,
    prefilter=False,
    dtype=np.float32,
):
    """Where each pixel has gone, by local equations: `skimage.registration.optical_flow_ilk`.

    Notes
    -----
    The flow has no single solution where an image changes along one direction only, is nearly flat,
    or has an axis of less than three pixels. There rounding decides, and results may differ.
    """
    value, warps = checked(reference_image, moving_image, num_warp, dtype)
    reach, weights = integer("radius", radius), None
    if reach < 0 or reach > 1 << 20:
        raise Declined("radius is negative or larger than any image; give one from 0 on")
    if truth("gaussian", gaussian):
        reach, *weights = bell((2 * reach + 1) / 4, _TRUNCATE)
    numbers = 2 * reach + 1, reach, _terms(reference_image.ndim), value.itemsize
    if sum(shared_bytes(*numbers, weighted=weights is not None)) > _SHARED:
        raise Declined("radius is too large for a GPU's shared memory; give a smaller one")
    smooths = truth("prefilter", prefilter)
    axes = reference_image.ndim
    means = _terms(axes) * (axes - 2)  # of volumes, which take a launch more
    of_warp = axes, 2 * axes + 3 + means, 2 * axes + 1 + means
    given = reference_image.shape, reference_image.dtype, value, warps
    run = functools.partial(_flow, value, warps, reach, weights, smooths)
    return Plan(run, cost=cost(*given, of_warp, axes + 1 + means, smooths))


def _terms(axes):
    """Numbers of the equations of an element (Terms in the kernel)."""
    return axes * (axes + 3) // 2


def _views(shape, value, reach, weights):
    """For each launch that averages: the struct Windows, and the launch's size."""
    axes, side = len(shape), 2 * reach + 1
    plane = _terms(axes), value.itemsize, weights
    *planes, rows, columns = shape
    last = (*(planes or (1,)), rows, 1, columns, 1)
    views = [windows(last, (rows, columns), (side, side), (reach, reach), *plane)]
    if planes:
        across = rows * columns
        first = 1, planes[0], 1, across, 1
        views.insert(0, windows(first, (planes[0], across), (side, 1), (reach, 0), *plane))
    return views


def _flow(value, warps, reach, weights, smooths, reference_image, moving_image):
    references, others = (pyramid(image, value) for image in (reference_image, moving_image))
    flow, odd = None, xp.zeros(1)
    turns = iter(rounds(warps * len(references)))
    for reference, moving in zip(references[::-1], others[::-1], strict=True):
        shape = reference.shape
        flow = xp.zeros((len(shape), *shape), value) if flow is None else resized(flow, shape)
        how = itertools.islice(turns, warps), reach, weights, smooths
        flow = _settled(reference, moving, flow, odd, how)
    if to_host(odd)[0]:
        raise Declined(
            "reference_image or moving_image has NaN, infinities or numbers whose squares are "
            "infinite; give finite numbers, as numpy.nan_to_num(image), which changes the result"
        )
    return flow


def _settled(reference, moving, flow, odd, how):
    """The flow on a level after all its iterations."""
    turns, *window, smooths = how
    axes, value, shape = reference.ndim, reference.dtype, reference.shape
    name, bells, count = c_name(value), str(window[1] is not None).lower(), reference.size
    extent = np.zeros((), [("size", "i8", axes)])
    extent["size"] = shape
    slopes = xp.empty((axes + 1, *shape), value)
    views = _views(shape, value, *window)
    means = xp.empty((count, _terms(axes)), value) if axes == 3 else None
    for _ in turns:
        if smooths:
            flow = without_outliers(flow)
        args = reference, moving, flow, extent[()], slopes
        launch(_SOURCE, f"slopes<{axes}, {name}>", args, work=count, block=_BLOCK)
        source = slopes
        for view, size, _ in views[:-1]:
            kernel = f"system_down<{axes}, {bells}, {name}>"
            launch(_SOURCE, kernel, (source, count, view, means, odd), **size)
            source = means
        view, size, _ = views[-1]
        kernel = f"solved<{axes}, {bells}, {name}>"
        launch(_SOURCE, kernel, (source, count, view, flow, odd), **size)
    return flow


def specializations():
    """Every (source, expression) that the function launches."""
    for name in ("float", "double"):
        for axes in (2, 3):
            yield _SOURCE, f"resized_flow<{axes}, {name}>"
            yield _SOURCE, f"slopes<{axes}, {name}>"
            for bells in ("false", "true"):
                yield _SOURCE, f"solved<{axes}, {bells}, {name}>"
        for bells in ("false", "true"):
            yield _SOURCE, f"system_down<3, {bells}, {name}>"
