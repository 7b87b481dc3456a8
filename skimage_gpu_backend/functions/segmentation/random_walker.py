"""skimage.segmentation: random_walker, by the method of SciPy's solver, iteration by iteration.

Cost: 2 launches an iteration for all labels together, which read 11 doubles a pixel and label (in
volumes 13), 6 of them shared by labels (8), and write 3. There are as many iterations as in
scikit-image: the image, `beta` and `tol` decide. The host asks whether all labels are solved after
32 and each 64 more; launches beyond the last one return at once. Before them 2 launches find the
image's deviation, 1 makes weights, 1 right sides, and labels are numbered as by
`relabel_sequential`; behind them 1 makes the result. With negative labels 7 launches more find the
graph's components. Memory: 4 doubles a pixel and label, and 3 or 4 a pixel.
"""

import functools
import math

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...device.rounds import batches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, is_real, refuse_but_arrays, truth
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.components import labelled
from ...primitives.pairwise import depth, halves, partial_sums
from ...primitives.unique import Values
from ...scikit_image import private

_SOURCE = "segmentation/random_walker.cu"
_BLOCK, _FIRST, _MOST = 256, 32, 64  # threads; iterations before the host asks
_EXTENT = np.dtype([("pixels", "i8"), ("lengths", "i8", 3), ("strides", "i8", 3)])
_LAYOUT = np.dtype([("strides", "i8", 3), ("channel", "i8"), ("channels", "i8")])
_SCALE = np.dtype([("spacing", "f8", 3), ("factor", "f8")])
_SOLVING = np.dtype(
    [
        *((name, "f8") for name in ("rho", "beta", "alpha", "limit")),
        *((name, "i8") for name in ("iterations", "most", "wanted")),
        *((name, "u4") for name in ("arrived", "stopped")),
    ]
)
_MODES = ("cg_mg", "cg", "bf", "cg_j", None)
_LEAST = 1e-16  # tolerance
_EXACT = 1e-14  # of the right side: what is left of it where mode is 'bf'
_OFF = 1e-10  # by how much the sum of probabilities may differ from 1 there
_NO_SEEDS = (
    "No seeds provided in label image: please ensure it contains at least one positive value"
)
_ALL_LABELED = (
    "Random walker only segments unlabeled areas, where labels == 0. No zero valued areas in "
    "labels were found. Returning provided labels."
)
_ALL_ISOLATED = (
    "All unlabeled pixels are isolated, they could not be determined by the random walker "
    "algorithm."
)
_NO_MULTIGRID = (
    '"cg_mg" not available, it requires pyamg to be installed. '
    'The "cg_j" mode will be used instead.'
)
_SLOW = (
    '"cg" mode may be slow because UMFPACK is not available. Consider building Scipy with UMFPACK '
    'or use a preconditioned version of CG ("cg_j" or "cg_mg" modes).'
)
_NOT_ACHIEVED = (
    "Conjugate gradient convergence to tolerance not achieved. Consider decreasing beta to improve "
    "system conditionning."
)
_BEYOND = (
    "The probability range is outside [0, 1] given the tolerance `prob_tol`. Consider decreasing "
    "`beta` and/or decreasing `tol`."
)


@channels_moved()
def random_walker(
    data,
    labels,
    beta=130,
    mode="cg_j",
    tol=1.0e-3,
    copy=True,
    return_full_prob=False,
    spacing=None,
    *,
    prob_tol=1e-3,
    channel_axis=None,
):
    """Labels that spread from seeds: `segmentation.random_walker`.

    Notes
    -----
    Rounding changes the iterations: with ``mode="cg"`` probabilities differed by 1e-5 at the
    default `beta` and by 1e-3 at 1000. Labels are equal, except where probabilities are nearly
    equal.
    """
    refuse_but_arrays(data=data, labels=labels)
    if not (mode is None or isinstance(mode, str)) or mode not in _MODES:
        raise Invalid("mode is no known one; give 'cg_j', 'cg' or 'bf'")
    steps = _steps(spacing, len(labels.shape), data.dtype)
    axis = _axis(data, channel_axis)
    if tuple(n for a, n in enumerate(data.shape) if a != axis) != labels.shape:
        raise Invalid("labels has another shape than data; give one label for each pixel")
    if labels.size == 0:
        raise Invalid("labels has no elements, and so no seeds; give labels that have")
    if not isinstance(beta, int | float | np.floating) or not is_finite(beta):
        raise Declined("beta is not a finite number; give one, as 130")
    if mode != "bf" and not (is_finite(tol) and tol >= _LEAST):
        raise Declined("tol is no number above what rounding leaves, 1e-16; give one, as 1e-3")
    if not is_real(prob_tol):
        raise Declined("prob_tol is not a number; give one, as 1e-3")
    if isinstance(prob_tol, np.unsignedinteger):
        raise Declined("prob_tol is of an unsigned type, which has no negative; give a float")
    is_kept, is_full = truth("copy", copy), truth("return_full_prob", return_full_prob)
    tolerances = (_EXACT if mode == "bf" else float(tol), float(prob_tol))
    return Plan(functools.partial(_run, beta, mode, *tolerances, is_kept, is_full, steps, axis))


def _steps(spacing, axes, dtype):
    """Distances of neighbours along the axes."""
    if spacing is None:
        return (1.0,) * axes
    try:
        fits = len(spacing) == axes
        steps = np.asarray(np.r_[spacing, 1.0][:2] if fits and axes == 2 else spacing)
    except (TypeError, ValueError):
        raise Invalid("spacing is no sequence of numbers; give a number for each axis") from None
    if not fits:
        raise Invalid("spacing has not a number for each axis; give as many as labels has axes")
    if steps.shape != (axes,) or steps.dtype.kind not in "iuf":
        raise Declined("spacing is no sequence of real numbers; give a number for each axis")
    if np.result_type(_working(dtype), steps.dtype) != np.dtype(float):
        raise Declined(f"spacing is {steps.dtype} beside an image in single precision; give floats")
    if not all(math.isfinite(step) and step for step in steps.tolist()):
        raise Declined("spacing is 0 or not finite along an axis; give positive numbers")
    return tuple(float(step) for step in steps)


def _working(dtype):
    """Type in which gray values of an image of `dtype` are computed (Working in the kernel)."""
    return np.dtype("f4" if dtype.char in "ef" else "f8")


def _axis(data, channel_axis):
    """The axis of the channels, if there is one."""
    axes = len(data.shape)
    if channel_axis is None:
        if axes not in (2, 3):
            raise Invalid(f"data has {axes} axes; give a plane or a volume, or channel_axis")
        return None
    if axes not in (3, 4):
        raise Invalid(f"data has {axes} axes, one of them of channels; give 3 or 4")
    refuse_axis(data, channel_axis)
    return channel_axis % axes


def _run(beta, mode, tolerance, prob_tol, is_kept, is_full, steps, axis, data, labels):
    original = private("segmentation.random_walker_segmentation")
    if mode == "cg_mg" and original.amg_loaded:
        raise Declined(
            "mode is 'cg_mg', a multigrid solver; give mode='cg_j', which changes the result "
            "within tol"
        )
    values, codes = _codes(labels)
    if codes is None:
        if not (is_kept or is_full):
            raise Declined("copy=False and labels without zeros, which are the result; give copy")
        return _given(labels.copy(), values, _ALL_LABELED, is_full)
    count, has_pruned = int((values > 0).sum()), bool(values[0] < 0)
    if has_pruned and not is_kept:
        raise Declined(
            "copy=False writes into labels that have negative ones; leave copy out, and take the "
            "result"
        )
    if mode == "bf" and count == 1:
        raise Declined("labels has one label, of which SciPy's result has another shape; give two")
    extent = _extent(labels.shape)
    if has_pruned:
        _prune(codes, extent)
    data, layout = _layout(data, axis)
    scale = _scale(data, beta, steps, axis is not None, int(layout["channels"]))
    axes = 3 if len(labels.shape) == 3 else 2
    weights = xp.empty((axes, *labels.shape))
    args = (data, layout, codes, extent, scale, weights)
    launch(_SOURCE, f"weigh<{c_name(data.dtype)}, {axes}>", args, work=labels.size)
    most = 32 * sum(labels.shape) if mode == "bf" else -1
    x, solved = _solved(codes, weights, extent, axes, count, mode != "cg", tolerance, most)
    if not solved["wanted"][0]:
        pruned = xp.where(labels == 0, labels.dtype.type(-1), labels)
        return _given(pruned, values, _ALL_ISOLATED, is_full)
    result, (low, high, off) = _assigned(codes, x, labels.dtype, is_full)
    if not np.isfinite([*solved["rho"], *solved["limit"], low, high]).all():
        raise Declined("beta makes weights that are not finite; give a smaller one")
    reached = bool((solved["iterations"] < solved["most"]).all())
    if mode == "bf" and not (reached and off < _OFF):
        raise Declined("beta is so large that only a factorization is exact; give a smaller one")
    if mode == "cg_mg":
        warn_caller(_NO_MULTIGRID, UserWarning)
    if mode == "cg" and original.UmfpackContext is None:
        warn_caller(_SLOW, UserWarning)
    if not reached:
        warn_caller(_NOT_ACHIEVED, UserWarning)
    if low < -prob_tol or high > 1 + prob_tol:
        warn_caller(_BEYOND, UserWarning)
    return result


def _codes(labels):
    """The labels that there are; all numbered from 1 on, negative ones from -1 down, or None."""
    if labels.dtype.kind == "f":
        whole = labels.astype("int64")
        if not bool((whole == labels).all()):
            raise Declined(
                "labels has fractions, or what is no number; give labels.astype(int), which "
                "changes the result"
            )
        labels = whole
    found = Values(labels)
    if found.high <= 0:
        raise ValueError(_NO_SEEDS)
    values = to_host(found.values)
    zero = int(np.searchsorted(values, 0))
    if values[zero] != 0:
        return values, None
    numbers = np.arange(len(values), dtype=np.int32) - np.int32(zero)
    return values, found.mapped(xp.asarray(numbers))


def _given(labels, values, told, is_full):
    """Labels that no walker changes, or where each positive one is."""
    warn_caller(told, UserWarning)
    if not is_full:
        return labels
    planes = xp.atleast_3d(labels)[:, :, None] == xp.asarray(values[values > 0][:, None])
    return planes.reshape(*labels.shape[:2], -1)


def _extent(shape):
    """The struct Extent of the kernels."""
    lengths = (1, *shape)[-3:]
    strides = (lengths[1] * lengths[2], lengths[2], 1)
    return np.array([(math.prod(shape), lengths, strides)], _EXTENT)[0]


def _prune(codes, extent):
    """Take pixels out of the graph from which no walker comes to a seed."""
    index = np.dtype("i4" if codes.size < 2**31 else "i8")
    found = labelled(Array(codes.shape, np.dtype(bool), "graph"), 0, 1, index)
    components, told = found(graph=codes >= 0)
    seen, alone = xp.zeros((int(to_host(told)[0]) + 1, 2), "uint8"), xp.zeros(1, "uint32")
    name = c_name(index)
    launch(_SOURCE, f"note<{name}>", (codes, components, codes.size, seen), work=codes.size)
    args = (codes, components, extent, seen, alone)
    launch(_SOURCE, f"prune<{name}>", args, work=codes.size)
    if int(to_host(alone)[0]):
        raise Declined(
            "labels has a seed with pruned pixels all around, of which scikit-image makes a "
            "singular matrix; give it a negative label"
        )


def _layout(data, axis):
    """The image in memory without gaps, and where its pixels and channels are."""
    if not (data.flags.c_contiguous or data.flags.f_contiguous):
        data = xp.ascontiguousarray(data)
    strides = [each // data.dtype.itemsize for each in data.strides]
    channel, channels = (0, 1) if axis is None else (strides.pop(axis), data.shape[axis])
    strides = (0, *strides)[-3:]
    layout = np.array([(strides, channel, channels)], _LAYOUT)[0]
    return (data if data.flags.c_contiguous else data.T), layout


def _scale(data, beta, steps, is_multichannel, channels):
    """The struct Scale of the kernel, computed as scikit-image computes it."""
    value = _working(data.dtype)
    partials, arrived = xp.empty(partial_sums(data.size), value), xp.zeros(1, "uint32")
    found = xp.empty(2, value)
    how = data.size, np.int32(depth(data.size)), np.int32(halves(data.size))
    for mean, result in ((None, found[:1]), (found[:1], found[1:])):
        args = (data, *how, mean, partials, arrived, result)
        kernel = f"moment<{c_name(data.dtype)}>"
        launch(_SOURCE, kernel, args, work=len(partials) * _BLOCK, block=_BLOCK)
    deviation = to_host(found)[1]
    if not 0 < deviation <= np.finfo(value).max:
        raise Declined("data has one value only, or values that are not finite; nothing to change")
    with np.errstate(all="ignore"):
        factor = -beta / (10 * deviation)
        factor = factor / np.sqrt(channels) if is_multichannel else factor
    return np.array([((1.0, *steps)[-3:], float(factor))], _SCALE)[0]


def _solved(codes, weights, extent, axes, count, jacobi, tolerance, most):
    """A label's probabilities for each pixel, and the structs Solving of the kernels."""
    blocks = min(-(-codes.size // _BLOCK), resident_blocks(_BLOCK))
    how = {"work": codes.size, "block": _BLOCK, "grid": (blocks, count)}
    solving = xp.zeros((count, _SOLVING.itemsize), "uint8")
    partials = xp.empty((count, blocks, 3))
    x, r, p, spare = (xp.empty((count, *codes.shape)) for _ in range(4))
    inverse = xp.empty(codes.shape)
    args = (codes, weights, extent, jacobi, tolerance, most, x, r, p, inverse, partials, solving)
    launch(_SOURCE, f"begin<{axes}>", args, **how)
    for _, batch in batches(math.inf, _FIRST, _MOST):
        found = to_host(solving).view(_SOLVING)[:, 0]
        if found["stopped"].all():
            return x, found
        for _ in batch:
            args = (weights, inverse, extent, r, p, spare, partials, solving)
            launch(_SOURCE, f"direct<{axes}>", args, **how)
            args = (weights, inverse, extent, spare, x, r, partials, solving)
            launch(_SOURCE, f"advance<{axes}>", args, **how)
            p, spare = spare, p


def _assigned(codes, x, dtype, is_full):
    """Labels or probabilities; least and largest of these, and how far their sum is from 1."""
    blocks = min(-(-codes.size // _BLOCK), resident_blocks(_BLOCK))
    whole = np.dtype("i8") if dtype.kind == "f" else dtype
    result = None if is_full else xp.empty(codes.shape, whole)
    partials, arrived, judged = xp.empty((blocks, 3)), xp.zeros(1, "uint32"), xp.empty(3)
    args = (codes, codes.size, np.int32(len(x)), x, result, partials, arrived, judged)
    how = {"work": codes.size, "block": _BLOCK, "grid": (blocks,)}
    launch(_SOURCE, f"assign<{c_name(whole)}>", args, **how)
    return (x if is_full else result.astype(dtype, copy=False)), to_host(judged).tolist()


def specializations():
    """Every (source, expression) that the function launches."""
    for name in C_NAMES.values():
        yield _SOURCE, f"moment<{name}>"
        for axes in (2, 3):
            yield _SOURCE, f"weigh<{name}, {axes}>"
        if name not in ("float16", "float", "double"):
            yield _SOURCE, f"assign<{name}>"
    for axes in (2, 3):
        for kernel in ("begin", "direct", "advance"):
            yield _SOURCE, f"{kernel}<{axes}>"
    for name in ("int", "long long"):
        yield _SOURCE, f"note<{name}>"
        yield _SOURCE, f"prune<{name}>"
