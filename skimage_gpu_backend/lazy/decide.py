"""Does a call with Dask arrays become a graph? As `decide`, which it stands beside."""

import math
import warnings
from functools import partial

import numpy as np

from .. import functions
from .._warn import warn_caller
from ..adapt.kinds import (
    holds_other,
    is_lazy,
    kind_of,
    unsupported_dtype,
    why_not,
    why_not_dtype,
)
from ..adapt.labelled import unlabelled
from ..arguments import bound, replaced
from ..catalog import CATALOG, spoken
from ..decision import Decision
from ..device.launches import Array
from ..failures import for_user
from ..plan import Passes, Reach, Sums
from ..scikit_image import nothing_to_convert, on_host, signature
from ..trouble import Declined, Invalid
from ..upstream.check import why_unknown
from .chunk import Task
from .graph import Graph, Made, alike
from .joined import ANY_SHAPES, ANY_SIZE, JOINED
from .passes import lazily
from .reduced import REDUCED, Call
from .refused import refusal

# Why the whole image is needed, where that is not plain.
_WHY = {
    "skimage.metrics:hausdorff_pair": "gives one of several pixels that may be equally near, as a "
    "tree of all pixels has them; hausdorff_distance goes by chunks",
}


def decide(name, args, kwargs, selected) -> Decision:
    """As `decide.decide`, for a call that has a Dask array among its images."""
    try:
        return _decide(name, args, kwargs, selected)
    except Invalid as invalid:
        error = refusal(name, args, kwargs)
        if error is None:
            return Decision(invalid.key, invalid=True, call=(name, args, kwargs))
        return Decision(run=partial(_raise, error), source="dask")
    except Declined as declined:
        return Decision(declined.key, call=(name, args, kwargs))


def _raise(error):
    raise for_user(error)


def _decide(name, args, kwargs, selected):
    if reason := why_unknown(name):
        raise Declined(reason)
    row = CATALOG[name]
    args, kwargs = unlabelled(row, name, args, kwargs)
    arguments = bound(name, args, kwargs)[0]
    images = {}
    for parameter, value in arguments.items():
        if is_lazy(value):
            _refuse(parameter, value, row)
            images[parameter] = value
        elif holds_other((value,)):
            raise Declined(why_not(parameter, value))
        elif parameter in row.images + row.beside and kind_of(value) is not None:
            images[parameter] = value
    first = next(iter(images.values()))
    if is_lazy(first) and nothing_to_convert(name, first.dtype) and not arguments.get("force_copy"):
        return Decision(run=lambda: first, source="dask")
    is_small = name in ANY_SIZE and len({i.shape for i in images.values()}) == 1
    without_data = {
        p: Array((1,) * i.ndim if is_small else i.shape, i.dtype.newbyteorder("="))
        for p, i in images.items()
    }
    plan = functions.plan(name, *replaced(name, args, kwargs, without_data))
    output = selected.output if selected.output == "cupy" else None
    options = {"convert": selected.convert, "output": output, "threads": selected.threads}
    make = REDUCED.get(name) if plan.reach is Sums else JOINED.get(name)
    if isinstance(plan.reach, Reach):  # frangi with a number for gamma
        make = None
    if make or isinstance(plan.reach, Passes):
        for parameter, image in images.items():
            if 0 in image.shape:
                raise Declined(f"{parameter} has no elements; give {parameter}.compute()")
    if not make and not isinstance(plan.reach, Reach | Passes):
        parameter = next(iter(images))
        why = f"{spoken(name)} {_WHY.get(name, 'needs the whole of it at once')}"
        raise Declined(f"{parameter} is a Dask array, and {why}; give {parameter}.compute()")
    nothing = replaced(name, args, kwargs, dict.fromkeys(images))
    token = _token(name, nothing, images)
    if make or isinstance(plan.reach, Passes):
        call = _call(name, args, kwargs, images, selected.backends, options, token)
    if make:
        return Decision(run=lambda: make(call), source="dask", plan=plan)

    def run():
        for text, category in plan.tells:
            warn_caller(text, category)
        told = tuple(text for text, _ in plan.tells)
        task = Task(name, tuple(images), *nothing, selected.backends, options, token, told)
        make = partial(_made, name, args, kwargs, images, plan)
        if isinstance(plan.reach, Passes):
            return lazily(call, plan.reach, task, images, make)
        return Graph(list(images.values()), plan.reach, task).results(make())

    return Decision(run=run, source="dask", plan=plan, call=(name, args, kwargs))


def _token(name, nothing, images):
    """A name for the call, which is the same whenever it is made."""
    from dask.base import tokenize

    return tokenize(name, nothing, [getattr(image, "name", None) for image in images.values()])


def _call(name, args, kwargs, images, backends, options, token):
    """`Call` of a function that adds up before all else."""
    arguments = signature(name).bind(*args, **kwargs)
    arguments.apply_defaults()
    arguments = arguments.arguments  # in the order of the parameters
    rest = {key: v for key, v in arguments.items() if key not in images}
    lazy = [images[key] for key in arguments if key in images]
    if name not in ANY_SHAPES:
        lazy = alike(lazy)

    def task(function, parameters, **kwargs):
        return Task(function, parameters, (), kwargs, backends, options, token)

    return Call(name, lazy, rest, task)


def _small(shape, dtype):
    """An image of zeros and a one, since some functions give images of one value back."""
    image = np.zeros(shape, dtype)
    image[..., -1:] = 1
    return image


def _refuse(parameter, array, row):
    if parameter not in row.images + row.beside:
        raise Declined(f"{parameter} is a Dask array; give {parameter}.compute()")
    if any(math.isnan(n) for n in array.shape):
        raise Declined(
            f"{parameter} has chunks of unknown lengths; give {parameter}.compute_chunk_sizes()"
        )
    if unsupported_dtype(array.dtype):
        raise Declined(why_not_dtype(parameter, array.dtype))


def _made(name, args, kwargs, images, plan):
    """`Made` of the call's results, or a tuple or list of them."""
    if plan.launches is plan.run and isinstance(plan.run.result, Array):
        return Made(plan.run.result.shape, plan.run.result.dtype)
    # scikit-image tells it of a small image
    reach = getattr(plan.reach, "reach", plan.reach)  # of the second pass
    whole = max((i.shape for i in images.values()), key=len)
    small = tuple(
        n if halo is None else min(n, 2 * halo + 2)
        for n, halo in zip(whole, reach.halo, strict=True)
    )
    zeros = {p: _small(small[: i.ndim], i.dtype) for p, i in images.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        args, kwargs = replaced(name, args, kwargs, zeros)
        found = on_host(name, *args, **kwargs)
    places = reach.places or range(len(whole))
    cut = {p: n for p, n, halo in zip(places, whole, reach.halo, strict=True) if halo is not None}

    def full(result):
        shape = (cut.get(axis, n) for axis, n in enumerate(result.shape))
        return Made(tuple(shape), result.dtype)

    return type(found)(map(full, found)) if isinstance(found, list | tuple) else full(found)
