"""Does a backend of ours take a call? The answer is an object that says why not.

Nothing is converted or moved here and CuPy is not imported. The steps, cheapest first:
catalog, kinds of arrays, sizes, dtypes, device, and the plan that the function's room makes.
"""

import functools

import numpy as np

from . import cucim, functions
from .adapt.kinds import CUPY, NUMPY, device_kind, kind_of, unsupported_dtype, why_not
from .adapt.resident import block_of
from .adapt.subclasses import (
    any_subclass,
    as_scikit_image_has_it,
    is_subclass,
    plain,
    why_not_as,
)
from .adapt.values import replace
from .availability import no_cucim_because, no_device_because, require_device
from .call import Call, bound, replaced
from .catalog import CATALOG, COMPLEX
from .environ import reader
from .execute import execute, guarded
from .methods import AS_FUNCTION
from .of_methods import as_function
from .on_host import ON_HOST
from .reasons import TooSmall, with_values
from .scikit_image import ALREADY, nothing_to_convert, signature
from .sizes.least import least_bytes
from .trouble import Declined, DeviceTrouble, Everywhere, Idle, Invalid

__all__ = ["Decision", "DeviceTrouble", "decide"]

_min_size = reader("SKIMAGE_GPU_MIN_SIZE")


class Decision:
    """Whether a backend takes a call, and why not.

    True where the call is taken; then `run` executes it.

    Attributes
    ----------
    reason : str
        Why the call was declined, in words that a user understands.
    key : str
        The reason without the values of this call: what repeats is told once.
    invalid : bool
        scikit-image itself refuses these arguments and is to say so.
    source : {"kernel", "cucim", None}
        What runs a call that was taken.
    plan : Plan or None
        Of a call that our kernels run.
    """

    __slots__ = ("_call", "_reason", "_run", "invalid", "key", "plan", "source")

    def __init__(
        self, reason="", *, key=None, invalid=False, run=None, source=None, plan=None, call=None
    ):
        self._reason = reason
        self._call = call  # function, args and kwargs, which the reason is about
        self.key = key or reason
        self.invalid = invalid
        self.source = source
        self.plan = plan
        self._run = run

    @property
    def reason(self):
        return with_values(self._reason, *self._call) if self._call else str(self._reason)

    __str__ = reason.fget  # put into words only where somebody reads it

    def __bool__(self):
        return self._run is not None

    def __repr__(self):
        return f"Decision(accepted from {self.source})" if self else f"Decision({self.reason!r})"

    def run(self):
        """Execute the call; the result is what the user gets.

        Raises
        ------
        DeviceTrouble
            The device failed; nothing was written into the caller's arrays.
        """
        try:
            return self._run()
        except Declined as declined:  # of the data: NaN, labels out of range
            if self._call:
                declined.with_values = with_values(declined.key, *self._call)
            raise


def decide(backend, name, args, kwargs, selected) -> Decision:
    """Does `backend` take the call of function `name`?

    Parameters
    ----------
    backend : {"gpu", "cucim"}
        Which of our backends is asked.
    name : str
        Public module and function, as ``"skimage.filters:gaussian"``.
    args : tuple
    kwargs : dict
        The caller's arguments.
    selected : Selection
        What the user selected: `backends`, `named`, `convert`, `output`, `progress`.
    """
    if name in AS_FUNCTION:
        name, args, kwargs = as_function(name, args, kwargs)
        if name is None:
            return Decision("arguments are not points alone; give the coordinates", invalid=True)
    row = CATALOG.get(name)
    if name in ON_HOST:
        return Decision(Idle(f"{ON_HOST[name]}; nothing to change"))
    if row is None or (backend == "cucim" and not row.cucim):
        return Decision(f"no {'cuCIM' if backend == 'cucim' else 'GPU'} version of this function")
    if not row.images:
        return _for_maker(backend, row, name, args, kwargs, selected)
    images = _images(row, name, args, kwargs)
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
                return _as_plain(backend, name, image, args, kwargs, selected)
            return Decision(why_not(parameter, image))
        if other is not kind and kind is not None:
            return Decision(run=lambda: _refuse_mixture(images))
        kind = other
    if kind is not NUMPY and kind is not CUPY:
        return _for_foreign(backend, name, kind, args, kwargs, selected)

    size = 0
    if kind is NUMPY:
        for _, image in images:
            size += image.nbytes
        declined = _not_for_numpy(backend, name, size, images, args, kwargs, selected)
        if declined is not None:
            return declined
        if any_subclass(args, kwargs):  # beside the images
            return _as_plain(backend, name, images[0][1], args, kwargs, selected)
    elif backend == "cucim" and backend not in selected.named:
        return Decision("the cucim backend is taken only where it is named")
    for parameter, image in images:
        if unsupported_dtype(image.dtype) and not _may_be_complex(backend, name, image.dtype):
            return Decision(
                f"{parameter} has dtype {image.dtype}, which the GPU does not take; give "
                f"skimage.util.img_as_float32({parameter})"
            )
    if reason := _told_apart_by_byte_order(name, images, args, kwargs) or no_device_because():
        return Decision(reason)
    foreign = device_kind(args, kwargs, other_than=CUPY)
    if foreign is not None:
        return Decision(run=lambda: _refuse_beside(kind, foreign))
    return _by_source(backend, row, name, kind, images, args, kwargs, selected, size)


def _images(row, name, args, kwargs):
    """Name and value of each image argument that is no scalar and not None."""
    places = parameter_places(name)
    images = []
    count = len(args)
    for parameter in row.images:
        place = places.get(parameter, count)
        value = args[place] if place < count else kwargs.get(parameter)
        if type(value) in _SEQUENCES and value and all(kind_of(v) or is_subclass(v) for v in value):
            images += [(parameter, item) for item in value]
        elif value is not None and not isinstance(value, _SCALARS):
            images.append((parameter, value))
    return images


def _may_be_complex(backend, name, dtype):
    return backend == "gpu" and name in COMPLEX and dtype.char in "FD"


def _told_apart_by_byte_order(name, images, args, kwargs):
    """Why the byte order of arrays matters to scikit-image, if it does."""
    if name.startswith(_RANK):
        mask = bound(parameter_places(name), args, kwargs)[0].get("mask")
        if isinstance(mask, np.ndarray) and not mask.dtype.isnative:
            return (
                f"mask is {mask.dtype.str}, of which scikit-image's warning tells the byte order; "
                "give mask.astype(bool)"
            )
    if all(image.dtype.isnative for _, image in images):
        return None
    if any(i.dtype.char == "e" and not i.dtype.isnative for _, i in images):
        return "a half-precision image is in the other byte order; give image.astype(numpy.float16)"
    dtypes = {image.dtype for _, image in images}
    if len(dtypes) > len({dtype.newbyteorder("=") for dtype in dtypes}):
        return (
            "images are in two byte orders, which scikit-image takes for two dtypes; "
            "give image.astype(image.dtype.newbyteorder('='))"
        )
    if name == "skimage.color:convert_colorspace":  # which may give the image back
        return (
            "the image is in the other byte order, which it keeps between equal spaces; give "
            "image.astype(image.dtype.newbyteorder('='))"
        )
    if name.startswith(_RANK) and not images[0][1].dtype.isnative:
        return (
            "image is in the other byte order, of which rank filters make 8 bits; give "
            "image.astype(image.dtype.newbyteorder('='))"
        )
    if name == _SPIN:
        return (
            "x is in the other byte order, in which func gets it; give "
            "x.astype(x.dtype.newbyteorder('='))"
        )
    if name == _NOISE and images[0][1].dtype.char == "f":
        return (
            "image is in the other byte order, of which PyWavelets makes double precision; give "
            "image.astype(numpy.float32)"
        )
    return None


_NOISE = "skimage.restoration:estimate_sigma"
_RANK = "skimage.filters.rank:"
_SPIN = "skimage.restoration:cycle_spin"
_SCALARS = (bool, int, float, str)
_SEQUENCES = (list, tuple)


def _for_maker(backend, row, name, args, kwargs, selected):
    """Decision for a function that makes an array from nothing: a Gabor kernel, a window."""
    if backend not in selected.backends or selected.output != "cupy":
        return Decision(Idle("makes a small array; the GPU is taken only to have it there"))
    if reason := no_device_because():
        return Decision(reason)
    return _by_source(backend, row, name, NUMPY, [], args, kwargs, selected)


@functools.cache
def parameter_places(name):
    """Positions of the positional parameters of a scikit-image function."""
    parameters = signature(name).parameters.values()
    return {
        parameter.name: place
        for place, parameter in enumerate(parameters)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }


def _refuse_mixture(images):
    told = " and ".join(f"{parameter} is a {kind_of(image).label}" for parameter, image in images)
    raise TypeError(f"{told}; give arrays of one kind")


def _refuse_beside(kind, other):
    raise TypeError(f"a {kind.label} and a {other.label}; give arrays of one kind")


def _as_plain(backend, name, image, args, kwargs, selected):
    """Decision for subclasses of arrays: as for plain ones, and `out` is the caller's."""
    taken, named = plain(args), plain(kwargs)
    decision = decide(backend, name, taken, named, selected)
    if not decision:
        return decision

    def run():
        result = decision.run()
        if result is _out(name, taken, named) and result is not None:
            return _out(name, args, kwargs)
        return as_scikit_image_has_it(name, image, result)

    return Decision(run=run, source=decision.source)


def _out(name, args, kwargs):
    place = parameter_places(name).get("out", len(args))
    return args[place] if place < len(args) else kwargs.get("out")


def _for_foreign(backend, name, kind, args, kwargs, selected):
    """Decision for device arrays of another library: as for CuPy arrays over their memory."""
    try:
        require_device()
        taken = _taken()(kind, args, kwargs)
    except DeviceTrouble as trouble:
        return Decision(trouble.reason)
    except Exception as error:  # the library's, which says it again when the host wants the data
        return Decision(f"{type(error).__name__}: {error}")
    decision = decide(backend, name, taken.args, taken.kwargs, selected)
    out = _out(name, taken.args, taken.kwargs)
    if out is not None and id(out) in taken.read_only:
        return Decision("out is read-only; give an array that can be written", invalid=True)
    if not decision:
        return decision
    run = functools.partial(guarded, functools.partial(taken.run, decision.run))
    return Decision(run=run, source=decision.source)


@functools.cache
def _taken():
    """`Taken`, whose module needs CuPy."""
    from .adapt.foreign import Taken

    return Taken


def _not_for_numpy(backend, name, size, images, args, kwargs, selected):
    """Decision that declines NumPy images of `size` bytes, or None.

    Images whose data stays on the device are large enough: they are there.
    """
    if backend not in selected.backends or (backend == "cucim" and backend not in selected.named):
        return Decision(f"the {backend} backend is not selected")
    if not selected.convert:
        return Decision(Everywhere("conversion of NumPy arrays is switched off"))
    if nothing_to_convert(name, images[0][1].dtype):
        return Decision(ALREADY)
    override = _min_size()
    if override is None:
        least = least_bytes(name, parameter_places, images[0][1].dtype, args, kwargs)
    else:
        least = override
    if size < least and not (block_of(images[0][1]) and all(block_of(i) for _, i in images)):
        if reason := no_device_because():  # what no size would change
            return Decision(reason)
        return _too_small(name, size, least, override is not None)
    return None


@functools.lru_cache(maxsize=256)  # the same small images come again and again
def _too_small(name, size, least, as_set):
    key = Idle("size") if least == float("inf") else "size"  # no size has anything to gain
    return Decision(TooSmall(name, size, least, as_set), key=key)


def _by_source(backend, row, name, kind, images, args, kwargs, selected, size=0):
    """Our plan where there is one for the call, else cuCIM."""
    reason, call = None, (name, args, kwargs)
    if backend == "gpu":
        try:
            return _planned(row, name, kind, images, args, kwargs, selected, size)
        except Invalid as invalid:
            return Decision(invalid.key, invalid=True, call=call)
        except Declined as declined:
            reason = declined.key
    if row.cucim:
        no_cucim = no_cucim_because()
        theirs = cucim.why_not(name, args, kwargs) if no_cucim is None else None
        if isinstance(theirs, Invalid):
            return Decision(theirs.key, invalid=True, call=call)
        if no_cucim is None and theirs is None:
            run = _cucims(row, name, kind, args, kwargs, selected)
            return Decision(source="cucim", run=run, call=call)
        reason = reason or (theirs.key if theirs else no_cucim)
    return Decision(reason, call=call)


def _planned(row, name, kind, images, args, kwargs, selected, size):
    """Decision for a call that has a plan; raises what `functions.plan` raises.

    The room sees the arguments as they will be on the device: small arrays that lie there are
    read, since their values decide; images whose bytes are swapped will be in native order.
    """
    seen = args, kwargs
    if kind is CUPY and _may_hold_arrays(args, kwargs, images):
        seen = _with_small_arrays_read(row, name, args, kwargs)
    for parameter, image in images:
        if image.dtype.isnative:
            continue
        if bound(parameter_places(name), *seen)[0].get(parameter) is image:  # not one of a list
            # as a copy would be: contiguous, to be written; nothing is read of it
            standing_in = {parameter: np.empty(image.shape, image.dtype.newbyteorder("="))}
            seen = replaced(parameter_places(name), *seen, standing_in)
    plan = functions.plan(name, *seen)

    def run():
        arrays = {}
        for parameter, value in bound(parameter_places(name), args, kwargs)[0].items():
            is_read = parameter in (row.arrays if plan.reads is None else plan.reads)
            if is_read and _is_array(value):
                arrays[parameter] = value

        def plan_for(parts):
            return functions.plan(name, *replaced(parameter_places(name), *seen, parts))

        options = {"output": selected.output, "progress": selected.progress, "size": size}
        call = Call(name, row.arrays, kind, arrays, plan=plan, plan_for=plan_for, **options)
        return execute(call)

    return Decision(run=run, source="kernel", plan=plan, call=(name, args, kwargs))


def _is_array(value):
    return kind_of(value) is not None or type(value) in _SEQUENCES


def _cucims(row, name, kind, args, kwargs, selected):
    def run():
        arguments, rest = bound(parameter_places(name), args, kwargs)
        to_device = row.images + cucim.BESIDE
        options = {"output": selected.output, "progress": selected.progress}
        return execute(Call(name, to_device, kind, arguments, rest, **options))

    return run


def _may_hold_arrays(args, kwargs, images):
    """Whether an argument beside the images is more than a number or a text."""
    count = len(images)
    for values in (args, kwargs.values()):
        for value in values:
            if value is not None and not isinstance(value, _SCALARS):
                count -= 1
    return count != 0


def _with_small_arrays_read(row, name, args, kwargs):
    names = row.arrays
    places = parameter_places(name)
    others = [v for n, v in zip(places, args, strict=False) if n not in names]
    others += [v for n, v in kwargs.items() if n not in names]
    if not device_kind(others, ()):
        return args, kwargs
    from .adapt.transfer import is_device_array, to_host

    def read(name, value):
        if name in names:
            return value
        # of no axes too, as scikit-image gets them
        return replace(value, lambda v: np.asarray(to_host(v)) if is_device_array(v) else v)

    args = tuple(read(*each) for each in zip(places, args, strict=False))
    return args, {name: read(name, value) for name, value in kwargs.items()}
