"""Does a backend of ours take a call? The answer is an object that says why not.

Nothing is converted or moved here and CuPy is not imported. The steps, cheapest first:
catalog, kinds of arrays, sizes, dtypes, device, and the plan that the function's room makes.
"""

import functools

from . import byte_order
from .adapt.kinds import (
    CUPY,
    NUMPY,
    device_kind,
    holds_other,
    is_lazy,
    kind_of,
    unsupported_dtype,
    why_not,
    why_not_dtype,
)
from .adapt.labelled import is_labelled, unlabelled, why_not_unlabelled
from .adapt.placement import devices_of, elsewhere, refuse_several
from .adapt.resident import block_of
from .adapt.subclasses import (
    as_scikit_image_has_it,
    as_scikit_image_has_out,
    is_plain_auxiliary,
    is_subclass,
    plain,
    why_not_as,
)
from .arguments import bound, given, images_of, replaced
from .availability import require_device
from .catalog import COMPLEX, row_of
from .decision import Decision
from .environ import reader
from .execute import guarded
from .methods import AS_FUNCTION
from .of_methods import as_function
from .on_host import ON_HOST
from .planned import decide_by_plan
from .reasons import TooSmall
from .scikit_image import ALREADY, nothing_to_convert
from .sizes.elements import BY_ARGUMENTS, elements
from .sizes.least import least_bytes
from .targets import CPU, GPU
from .trouble import DeviceTrouble, Empty, Idle, Lazy, MixedArrays
from .upstream.check import why_unknown

# Parameters into which a call writes, beside `out`, and the one that says whether it does.
_WRITTEN = {
    "skimage.draw:set_color": ("image", None),
    "skimage.morphology:flood_fill": ("image", "in_place"),
}
_min_size = reader("SKIMAGE_BACKENDS_MIN_SIZE")


def decide(name, args, kwargs, selected, target=GPU) -> Decision:
    """Does a backend with our kernels take the call of function `name`?

    Parameters
    ----------
    name : str
        Public module and function, as ``"skimage.filters:gaussian"``.
    args : tuple
    kwargs : dict
        The caller's arguments.
    selected : Selection
        What the user selected: `backends`, `named`, `convert`, `output`, `progress`.
    target : Target
        The backend's device.
    """
    if name in AS_FUNCTION:
        if reason := why_unknown(name):
            return Decision(reason)
        name, args, kwargs = as_function(name, args, kwargs)
        if name is None:
            return Decision("arguments are not points alone; give the coordinates", invalid=True)
    row = row_of(name)
    if name in ON_HOST:
        return Decision(Idle(f"{ON_HOST[name]}; nothing to change"))
    if row is None:
        return Decision("no kernel for this function")
    if not row.images:
        return _for_maker(row, name, args, kwargs, selected, target)
    images = images_of(row, name, args, kwargs)
    if not images:
        return Decision(
            "arguments have no NumPy or CuPy array; give numpy.asarray(...) of the images"
        )
    kind = None
    for parameter, image in images:
        other = kind_of(image)
        if other is None:
            if is_subclass(image):
                if reason := why_not_as(name, parameter, image):
                    return Decision(reason)
                arrays = {each: given(name, each, args, kwargs) for each, _ in images}
                return _as_plain(name, image, arrays, args, kwargs, selected, target)
            if is_labelled(image):
                return _without_labels(row, name, parameter, args, kwargs, selected, target)
            reason = why_not(parameter, image)
            return Decision(Lazy(reason) if is_lazy(image) else reason)
        if other is not kind and kind is not None:
            return Decision(run=lambda: _refuse_mixture(images))
        kind = other
    if kind is not NUMPY and CUPY not in target.kinds:
        return Decision(Idle("images are on a GPU, and cpu takes NumPy arrays"))
    if kind is not NUMPY and kind is not CUPY:
        return _for_foreign(name, kind, args, kwargs, selected, target)

    size = 0
    if kind is NUMPY:
        if target.backend not in selected.backends:
            return Decision(f"the {target.backend} backend is not selected")
        size = size_of(name, images, args, kwargs)
        declined = not_for_numpy(name, size, images, args, kwargs, selected, target)
        if declined is not None:
            return declined
    for parameter, image in images:
        if unsupported_dtype(image.dtype) and not _may_be_complex(name, image.dtype):
            return Decision(why_not_dtype(parameter, image.dtype))
    if reason := byte_order.why_not(name, images, args, kwargs) or target.unavailable():
        return Decision(reason)
    foreign = device_kind(args, kwargs, other_than=CUPY if CUPY in target.kinds else None)
    if foreign is not None and target is CPU:
        return Decision(Idle(f"arguments have a {foreign.label}, and cpu takes NumPy arrays"))
    if foreign is not None:
        return Decision(run=lambda: _refuse_beside(kind, foreign))
    if kind is CUPY:
        first, *others = devices = devices_of(args, kwargs)
        if others:
            return Decision(run=lambda: refuse_several(devices))
        if device := elsewhere(first):
            return _on_device(device, name, args, kwargs, selected, target)
    if holds_other(args) or (kwargs and holds_other(kwargs.values())):
        return _with_other_arrays(row, name, args, kwargs, selected, target)
    return decide_by_plan(row, name, kind, images, args, kwargs, selected, target, size)


def _may_be_complex(name, dtype):
    return name in COMPLEX and dtype.char in "FD"


def _for_maker(row, name, args, kwargs, selected, target):
    """Decision for a function that makes an array from nothing: a Gabor kernel, a window."""
    if target is CPU or "gpu" not in selected.backends or selected.output != "cupy":
        return Decision(Idle("makes a small array; the GPU is taken only to have it there"))
    if reason := target.unavailable():
        return Decision(reason)
    if holds_other(args) or holds_other(kwargs.values()):
        return _with_other_arrays(row, name, args, kwargs, selected, target)
    return decide_by_plan(row, name, NUMPY, [], args, kwargs, selected, target)


def _refuse_mixture(images):
    told = " and ".join(f"{parameter} is a {kind_of(image).label}" for parameter, image in images)
    raise MixedArrays(f"{told}; give arrays of one kind")


def _refuse_beside(kind, other):
    raise MixedArrays(f"a {kind.label} and a {other.label}; give arrays of one kind")


def _on_device(device, *call):
    """Decision for CuPy arrays that are not on the current device: made and run on their own."""
    with device:
        decision = decide(*call)
    if not decision:
        return decision

    def run():
        with device:
            return decision.run()

    return Decision(run=run, source=decision.source, plan=decision.plan)


def _with_other_arrays(row, name, args, kwargs, selected, target):
    """Decision for plain images with an array-like of another kind among the other arguments."""
    subclasses = {}
    for parameter, value in bound(name, args, kwargs)[0].items():
        if not holds_other((value,)):
            continue
        if parameter in row.arrays and is_lazy(value):
            return Decision(Lazy(why_not(parameter, value)))
        if parameter in row.beside and is_labelled(value):
            return _without_labels(row, name, parameter, args, kwargs, selected, target)
        if not is_plain_auxiliary(name, parameter, value):
            return Decision(why_not(parameter, value))
        subclasses[parameter] = value
    return _as_plain(name, None, subclasses, args, kwargs, selected, target)


def _as_plain(name, image, subclasses, args, kwargs, selected, target):
    """Decision for subclasses of arrays, as for plain arrays over their memory.

    `subclasses` has them by parameter; `image` is the first of them that is an image, or None.
    """
    taken = {parameter: plain(value) for parameter, value in subclasses.items()}
    decision = decide(name, *replaced(name, args, kwargs, taken), selected, target)
    if not decision:
        return decision
    out = given(name, "out", args, kwargs)

    def run():
        result = decision.run()
        if out is not None and result is taken.get("out", out):
            return as_scikit_image_has_out(name, out)
        return result if image is None else as_scikit_image_has_it(name, image, result)

    return Decision(run=run, source=decision.source)


def _without_labels(row, name, parameter, args, kwargs, selected, target):
    """Decision for `DataArray`s: as for the arrays under them, if scikit-image has it so."""
    if reason := why_not_unlabelled(name, parameter):
        return Decision(reason)
    return decide(name, *unlabelled(row, name, args, kwargs), selected, target)


def _for_foreign(name, kind, args, kwargs, selected, target):
    """Decision for device arrays of another library: as for CuPy arrays over their memory."""
    try:
        require_device()
        taken = _taken()(kind, args, kwargs)
    except DeviceTrouble as trouble:
        return Decision(trouble.reason)
    except Exception as error:  # the library's, which says it again when the host wants the data
        return Decision(f"{type(error).__name__}: {error}")
    decision = decide(name, taken.args, taken.kwargs, selected, target)
    for parameter, flag in (("out", None), *filter(None, [_WRITTEN.get(name)])):
        array = given(name, parameter, taken.args, taken.kwargs)
        is_written = flag is None or given(name, flag, taken.args, taken.kwargs)
        if array is not None and is_written and id(array) in taken.read_only:
            told = f"{parameter} is read-only; give an array that can be written"
            return Decision(told, invalid=True)
    if not decision:
        return decision
    run = functools.partial(guarded, functools.partial(taken.run, decision.run))
    return Decision(run=run, source=decision.source)


@functools.cache
def _taken():
    """`Taken`, whose module needs CuPy."""
    from .adapt.foreign import Taken

    return Taken


def size_of(name, images, args, kwargs):
    """Bytes of a call's NumPy images, from which it depends whether the device pays off."""
    size = 0
    for _, image in images:
        size += image.nbytes
    if name in BY_ARGUMENTS:
        size = max(size, elements(name, args, kwargs) * images[0][1].itemsize)
    return size


def not_for_numpy(name, size, images, args, kwargs, selected, target):
    """Decision that declines NumPy images of `size` bytes, or None.

    Images whose data stays on the device are large enough.
    """
    if reason := target.why_no_numpy(selected):
        return Decision(reason)
    first = images[0][1]
    dtype = first.dtype
    if nothing_to_convert(name, dtype):
        return Decision(ALREADY)
    override = _min_size()
    least = least_bytes(name, dtype, args, kwargs, target.backend) if override is None else override
    if size < least and not (block_of(first) and all(block_of(i) for _, i in images)):
        if reason := target.unavailable():  # what no size would change
            return Decision(reason)
        return _too_small(name, size, least, override is not None, target.backend)
    return None


@functools.lru_cache(maxsize=256)  # the same small images come again and again
def _too_small(name, size, least, as_set, backend):
    key = Idle("size") if least == float("inf") else "size"  # no size has anything to gain
    key = key if size else Empty("size")
    return Decision(TooSmall(name, size, least, as_set, backend), key=key)
