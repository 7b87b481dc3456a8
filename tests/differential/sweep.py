"""The calls of one function, as data."""

import hashlib
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from skimage_gpu_backend.catalog import CATALOG

from .inputs import ALL, Input


@dataclass(frozen=True)
class Bound:
    """How far results may differ from scikit-image's where the usual bounds are too narrow.

    Parameters
    ----------
    why : str
    single, double : float or None
        Share of the result's range for images in single (and half) and double precision.
    """

    why: str
    single: float | None = None
    double: float | None = None


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes
    ----------
    sweep : Sweep
    label : str
        What distinguishes it from the standard call; "standard" for that one.
    arguments : mapping
        By name; `Input`s, also inside lists and tuples, stand for arrays.
    """

    sweep: "Sweep"
    label: str
    arguments: Mapping[str, object] = field(hash=False)

    @property
    def standard(self) -> bool:
        """Whether this is the call that must be taken."""
        return self.label == "standard"

    def __str__(self):
        return f"{self.sweep.name}-{self.label}"


@dataclass(frozen=True)
class Sweep:
    """A standard call of a function, and what else is tried from there.

    Parameters
    ----------
    name : str
        As in the catalog.
    call : mapping
        The standard call: what a user writes most often. It must be taken.
    vary : mapping
        Parameters and the values that take their place, one at a time. Every value that
        the documentation enumerates belongs here.
    also : tuple of mappings
        Further calls: changes of the standard one, several parameters at once.
    dtypes : tuple of str
        Dtypes in which the images of the standard call are given, all at a time.
    bound : Bound, optional
        Where results may differ more than elsewhere.
    view : callable
        Makes of a result what is compared, where the result is an object.
    kinds : tuple of str
        "numpy", "cupy", or both: kinds of arrays for which the calls are taken.
    strided : bool
        Whether the standard call is tried with strided images too.
    """

    name: str
    call: Mapping[str, object] = field(hash=False)
    vary: Mapping[str, list] = field(default_factory=dict, hash=False)
    also: tuple = field(default=(), hash=False)
    dtypes: tuple[str, ...] = ALL
    bound: Bound | None = None
    view: Callable = lambda result: result
    kinds: tuple[str, ...] = ("numpy", "cupy")
    strided: bool = True

    def cases(self) -> Iterator[Case]:
        """All calls; labels are unique."""
        yield Case(self, "standard", self.call)
        images = CATALOG[self.name].images
        for dtype in self.dtypes:
            cast = operator.methodcaller("cast", dtype)
            yield Case(self, dtype, changed(self.call, images, cast))
        if self.strided and images:
            yield Case(self, "strided", changed(self.call, images, Input.strided))
        for parameter, values in self.vary.items():
            for value in values:
                label = f"{parameter}={_short(value)}"
                yield Case(self, label, {**self.call, parameter: value})
        for changes in self.also:
            label = ",".join(f"{name}={_short(value)}" for name, value in changes.items())
            yield Case(self, label, {**self.call, **changes})


@dataclass(frozen=True)
class MethodSweep(Sweep):
    """The calls of a method, of which random ones are made.

    Arguments whose names begin with "self." make the object; class methods have none of these.

    Parameters
    ----------
    images : str
        The method's, as a row of the catalog has them.
    make : str
        Module and name of what makes the object; "" for its class.
    hidden : tuple of str
        Attributes that are nobody's but the object's.
    """

    images: str = "image"
    make: str = ""
    hidden: tuple[str, ...] = ()


def changed(arguments, names, change):
    """Arguments with `change` applied to the `Input`s of these parameters."""

    def new(value):
        if isinstance(value, Input):
            return change(value)
        if isinstance(value, list | tuple):
            return type(value)(new(item) for item in value)
        return value

    return {k: new(v) if k in names else v for k, v in arguments.items()}


def _short(value):
    text = getattr(value, "__name__", None) or repr(value)
    text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(text.split()))  # where an object lies
    text = text.replace("_skimage2.", "skimage.")  # where 0.27 implements its class
    # few letters of a hash tell long texts apart
    return (
        text if len(text) <= 40 else f"{text[:28]}…{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    )
