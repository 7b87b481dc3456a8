"""Whether cuCIM is given a call, and the call itself."""

import contextlib
import functools
import importlib
import importlib.util
import inspect
import itertools
from collections.abc import Iterator
from types import SimpleNamespace

from ..adapt.values import replace
from ..availability import as_trouble
from ..catalog import CATALOG
from ..scikit_image import signature
from ..trouble import Declined, DeviceTrouble, Invalid
from . import told
from .documented import defaults, why_odd

# Parameters that are arrays beside the images in every function that has them, and go to
# the device with them. Any other array is small and read on the host (a sigma for each axis).
BESIDE = (
    "footprint",
    "footprints",
    "mask",
    "masks",
    "labels",
    "kernel",
    "psf",
    "reg",
    "impulse_response",
    "hist",
    "table",
    "intensity_image",
    "image0_mask",
    "image1_mask",
    "image_alpha",
    "background",
    "reference_mask",
    "moving_mask",
    "init_level_set",
    "matrix",
    "mu",
    "input_vals",
    "output_vals",
    "inverse_map",
)

# Functions whose results are views of their images, whatever their layout.
_VIEWS = ("skimage.util:crop", "skimage.util:view_as_blocks", "skimage.util:view_as_windows")


def why_not(name, args, kwargs) -> Declined | None:
    """Why cuCIM is not given this call; None where it is. `Invalid` where scikit-image refuses it.

    Nothing is imported but scikit-image, and no data is looked at.
    """
    try:
        given = _by_name(name, args, kwargs)
    except TypeError as error:
        return Invalid(str(error))
    call = defaults(name) | given
    if odd := why_odd(name, call, given):
        return odd
    if kwargs.get("channel_axis") not in (None, -1) and any(
        image in kwargs for image in CATALOG[name].images
    ):
        # so scikit-image's decorator has it; what it then does with the image is its own
        return Declined(
            "channel_axis is given and the image by its name, where scikit-image does "
            "not look at channel_axis; give the image by position"
        )
    call = SimpleNamespace(**call, by_position=len(args))
    differences = about(name, "DIFFERENCES", ())
    try:
        difference = next((known for known in differences if known.applies(call)), None)
    except Exception as error:
        # arguments that nobody foresaw: scikit-image is the judge of them
        return Declined(
            f"arguments are odd for cuCIM ({type(error).__name__}: {error}); give them as "
            "scikit-image documents them"
        )
    if difference is None:
        return None
    return (Invalid if difference.invalid else Declined)(difference.reason)


def _by_name(name, args, kwargs):
    """The arguments by name; where they do not fit the function, its `TypeError`."""
    positional, known, required = _names(name)
    given = dict(zip(positional, args, strict=False))
    if len(args) <= len(positional) and known >= kwargs.keys() and given.keys().isdisjoint(kwargs):
        given |= kwargs
        if required <= given.keys():
            return given
    return signature(name).bind(*args, **kwargs).arguments  # slower, and knows what is wrong


@functools.cache
def _names(name):
    """Names of the positional parameters, of all that have one, and of those to be given."""
    parameters = [p for p in signature(name).parameters.values() if p.kind is not p.VAR_KEYWORD]
    return (
        [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY],
        {p.name for p in parameters},
        {p.name for p in parameters if p.default is p.empty},
    )


@functools.cache
def about(name, table, default=None):
    """What a table of the modules beside this one says of a function."""
    module, _, function = name.partition(":")
    place = f"{__package__}.{module.removeprefix('skimage.').replace('.', '_')}"
    if importlib.util.find_spec(place) is None:
        return default
    return getattr(importlib.import_module(place), table, {}).get(function, default)


@functools.cache
def implementation(name):
    """cuCIM's function for scikit-image's `name`, in scikit-image's signature.

    The returned function takes and returns device arrays. It raises `Declined` where
    cuCIM raises: scikit-image then runs, and says in its own words what is wrong with the
    arguments, or does what cuCIM cannot.

    Raises
    ------
    DeviceTrouble
        The installed cuCIM has no such function.
    """
    module, _, function = name.partition(":")
    try:
        theirs = getattr(importlib.import_module(f"cucim.{module}"), function)
    except (ImportError, AttributeError) as error:
        raise DeviceTrouble(f"cuCIM cannot be used: {error}") from error
    told.hand_on()
    expected = signature(name)
    correction = about(name, "CORRECTIONS")
    by_name = _takes_names(theirs, any_layout=name in _VIEWS)
    run = functools.partial(correction, by_name) if correction else by_name
    rest = next((p.name for p in expected.parameters.values() if p.kind is p.VAR_KEYWORD), None)

    def delegate(*args, **kwargs):
        arguments = expected.bind(*args, **kwargs).arguments
        arguments.update(arguments.pop(rest, {}))
        with _declining():
            result = run(**arguments)
        if isinstance(result, Iterator):
            return _in_turn(result)
        if arguments.get("out") is not None and result is not arguments["out"]:
            raise Declined(
                "out is one that cuCIM does not write into; give no out, and take the result"
            )
        return result

    return delegate


@contextlib.contextmanager
def _declining():
    """What cuCIM raises inside, as `Declined`."""
    try:
        yield
    except Declined:
        raise
    except Exception as error:
        if as_trouble(error):
            raise
        raise Declined(
            f"cuCIM raised {type(error).__name__} ({error}); nothing to change"
        ) from error


def _in_turn(results):
    """Items of a generator, which raises where it is asked for the next one."""
    with _declining():
        yield from results


def _takes_names(theirs, any_layout):
    """cuCIM's function with all of its parameters taken by name."""
    parameters = inspect.signature(theirs).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p.name for p in parameters if p.kind in kinds]

    @functools.wraps(theirs)
    def called(**arguments):
        # by position, as users call: decorators that move channels look there only
        # and `out` by name, since others refuse it by position
        given = list(itertools.takewhile(lambda n: n in arguments and n != "out", positional))
        first = [arguments.pop(name) for name in given]
        return theirs(*first, **arguments)

    return called if any_layout else _with_c_layout(called)


def _overlap(array, other):
    import cupy as cp

    return isinstance(other, cp.ndarray) and bool(cp.may_share_memory(array, other))


def _has_c_strides(array):
    """Whether steps between elements are those of C order, along axes of one element, too.

    CuPy's filters multiply by them what they have not yet found to be beyond the border.
    """
    step = array.itemsize
    for length, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if stride != step:
            return False
        step *= length
    return True


def _with_c_layout(function):
    """`function` gets C-contiguous arrays and an `out` apart from them, and returns the caller's.

    cuCIM's 1-D convolutions write any output, also one that they make after the image, as
    if it were C-contiguous (filters/_separable_filtering.py, _shmem_convolve1d). Its grey
    morphology writes into `out` what it still has to read, where that is the image.
    """

    @functools.wraps(function)
    def called(**arguments):
        import cupy as cp

        copies = {}  # id of a copy -> (the copy, the caller's array)
        out = arguments.get("out")

        def c_contiguous(value, beside=None):
            if not isinstance(value, cp.ndarray):
                return value
            if _has_c_strides(value) and not _overlap(value, beside):
                return value
            copy = value.copy()
            copies[id(copy)] = (copy, value)
            return copy

        apart = functools.partial(c_contiguous, beside=out)
        arguments = {
            name: replace(value, c_contiguous if name == "out" else apart)
            for name, value in arguments.items()
        }
        result = function(**arguments)
        if not copies:
            return result
        if arguments.get("out") is not out:
            out[...] = arguments["out"]
        return replace(result, lambda value: copies.get(id(value), (value, value))[1])

    return called
