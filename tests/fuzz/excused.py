"""What may differ, and why: each is told in ``docs/limits.md``, in the words of `named`."""

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from skimage_gpu_backend.adapt import values
from tests.differential.check import inside
from tests.differential.compare import difference

from .arrays import Array
from .compare import expected


@dataclass(frozen=True)
class Excuse:
    """A kind of difference that is none of ours.

    Parameters
    ----------
    functions : str
        Pattern of names, as ``"filters.rank.*"``.
    kinds : tuple of str
        Of differences, as `compare.KINDS` has them.
    applies : callable
        Takes the call, the `Difference`, and how scikit-image and ours went.
    why : str
        For a reader of this table.
    named : str
        Words by which ``docs/limits.md`` tells it.
    """

    functions: str
    kinds: tuple[str, ...]
    applies: Callable
    why: str
    named: str


def excuse(call, found, theirs, ours) -> Excuse | None:
    """The excuse for a difference, if there is one."""
    name = call.name.removeprefix("skimage.").replace(":", ".")
    for known in EXCUSES:
        concerns = found.kind in known.kinds and fnmatch.fnmatch(name, known.functions)
        if concerns and known.applies(call, found, theirs, ours):
            return known
    return None


# What Cython says where a buffer is not as a function has declared it.
_BUFFERS = re.compile(
    "buffer source array is read-only|is not (C|Fortran)-contiguous|Big-endian buffer|Little-endian"
    "|assignment destination is read-only|output array is read-only"
)


def _refused_memory(call, found, theirs, ours):
    """scikit-image, or we where both refuse, met memory that compiled code does not take."""
    errors = [error for error in (theirs.error, ours.error) if error is not None]
    return theirs.error is not None and any(_BUFFERS.search(str(error)) for error in errors)


def _view(call, found, theirs, ours):
    """scikit-image's result is a view of what ours is."""
    return isinstance(theirs.result, np.ndarray) and theirs.result.base is not None


def _lost_digits(call, found, theirs, ours):
    """scikit-image's own result changes as much when the last bit of the images does."""
    if theirs.error is not None or (found.kind == "changed" and not found.told.startswith("out:")):
        return False
    seen = _distance(ours.result, theirs.result)
    for seed in range(3):
        again = expected(_last_bits_changed(call, seed))
        if again.error is not None or seen <= 4 * _distance(again.result, theirs.result):
            return True
    return False


@dataclass(frozen=True, eq=False)
class _Changed(Array):
    """An array with other last bits."""

    by: int = 0

    def values(self):
        made = super().values()
        if made.dtype.kind != "f":
            return made
        rng = np.random.default_rng(self.by)
        step = np.finfo(made.dtype).eps * rng.integers(-2, 3, made.shape)
        with np.errstate(all="ignore"):
            return (made + made * step).astype(made.dtype)


def _last_bits_changed(call, seed):
    def changed(value):
        if not isinstance(value, Array):
            return value
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        return _Changed(**fields, by=seed)

    arguments = {name: values.replace(value, changed) for name, value in call.arguments.items()}
    return replace(call, arguments=arguments)


def _distance(a, b):
    """Largest difference as a share of the range; else the share that differs."""
    from .compare import from_device

    a = values.replace(a, lambda item: from_device(item, False))
    try:
        with np.errstate(all="ignore"):
            return difference(a, b)
    except AssertionError:
        pass
    a, b = (inside([each], np.ndarray | np.generic) for each in (a, b))
    if [x.shape for x in a] != [x.shape for x in b]:
        return np.inf
    parts = [
        np.mean(x != y) if x.dtype.kind not in "fc" else np.inf
        for x, y in zip(a, b, strict=True)
        if x.size
    ]
    return max(parts, default=np.inf)


_REFUSED = ("not raised", "other exception", "other text")
EXCUSES = (
    Excuse(
        "*",
        ("values", "changed"),
        _lost_digits,
        "what rounding makes of an image, scikit-image's is as far from the exact result",
        "changes as much when the last bits of the image change",
    ),
    Excuse(
        "*",
        _REFUSED,
        _refused_memory,
        "compiled parts of scikit-image declare no buffers that are read-only, strided or swapped",
        "refuse memory that is read-only, in another layout or in the other byte order",
    ),
    Excuse(
        "filters.rank.*",
        ("identity",),
        _view,
        "scikit-image gives a view of `out`, ours is `out` itself",
        "return a view of `out`",
    ),
)
