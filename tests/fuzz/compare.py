"""A call both ways: what scikit-image itself gives, and what the public function gives."""

import itertools
import re
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

import cupy as cp
import numpy as np
import pytest
from skimage.util._backends import DispatchNotification

import cuda_simulator
from benchmarks.timing import within
from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.adapt.kinds import on_devices
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.methods import BY_STEPS
from tests.differential.check import bound_for, inside, listed
from tests.differential.compare import difference
from tests.upstream import upstream

from .of_methods import kept, target
from .options import ROWS, SWEEP


@dataclass(frozen=True)
class Difference:
    """One thing that differs.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    told : str
        What was seen.
    """

    kind: str
    told: str


KINDS = {
    "values": "the result has other values",
    "form": "the result has another type, dtype or shape",
    "identity": "the result is an argument where scikit-image's is none, or the other way round",
    "raised": "an exception where scikit-image gives a result",
    "not raised": "a result where scikit-image raises",
    "other exception": "another type of exception",
    "other text": "an exception with another text",
    "warnings": "other warnings or texts of them, or another number of them",
    "changed": "an argument is left otherwise than scikit-image leaves it",
    "invalid": "declined as refused by scikit-image, which gives a result",
    "unplanned": "the call could not be planned, by a mistake of ours",
    "silent": "ran on the CPU without a word",
    "ended": "the process ended, or went on without an end",
}


_MOST = 20  # seconds, after which scikit-image is stopped
waits = None  # set while scikit-image runs; shared with a process that waits for this one
_SLOW = 5  # seconds of scikit-image's; the simulator may take a hundred times as long


class TooLarge(Exception):
    """The call needs more memory or time than a call is given."""


@dataclass
class Ran:
    """What became of a call, one way."""

    made: dict  # the arguments, as they are afterwards
    result: object = None
    error: Exception | None = None
    warned: Counter = None
    notified: bool = False
    seconds: float = 0.0
    same: str = ""  # the argument that the result is
    returned: object = None  # without what the object keeps
    kept: dict = field(default_factory=dict)  # what the object of a method keeps
    source: str = ""
    invalid: str = ""  # why the call was declined as one that scikit-image refuses
    unplanned: str = ""  # the exception that came of deciding


def expected(call) -> Ran:
    """By scikit-image itself."""
    with use_backends():
        return _ran(call, call.made())


def actual(call) -> Ran:
    """By the public function, with the gpu backend selected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
        patch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
        output = None if ROWS[call.name].images else "cupy"
        with use_backends("gpu", output=output), poisoned():
            return _ran(call, call.made(cp if call.kind == "cupy" else np), decide=True)


def _decided(ran, name, args, kwargs):
    """Note the `Decision` of a call, or the exception that comes instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            decision = interface.gpu.decide(name, args, kwargs)
        except Exception as error:
            ran.unplanned = _told(error)
            return
    ran.source = decision.source or ""
    ran.invalid = decision.reason if decision.invalid else ""
    if ran.invalid.startswith("the call could not be planned"):
        ran.unplanned = ran.invalid


def differences(call):
    """All `Difference`s of a call, and how both ways went.

    Raises
    ------
    TooLarge
    """
    with within(_MOST, _too_large), _awaited():
        theirs = expected(call)
    if theirs.seconds > _SLOW:
        raise TooLarge(f"scikit-image takes {theirs.seconds:.0f} s")
    ours = actual(call)
    return list(_differences(call, theirs, ours)), theirs, ours


@contextmanager
def _awaited():
    """Whoever waits for this process knows that scikit-image itself is running."""
    if waits is None:
        yield
        return
    waits.value = 1
    try:
        yield
    finally:
        waits.value = 0


def _too_large(text):
    return TooLarge(f"scikit-image {text}")


def _differences(call, theirs, ours):
    if theirs.error or ours.error:
        yield from _of_errors(theirs.error, ours.error)
    if not theirs.error and ours.invalid:
        yield Difference("invalid", ours.invalid)
    if ours.unplanned:
        yield Difference("unplanned", ours.unplanned)
    if not (theirs.error or ours.error):
        yield from _of_results(call, theirs, ours)
        if not ours.notified:
            yield Difference("silent", "")
    elif theirs.error and ours.error:
        bound = bound_for(SWEEP[call.name].bound, theirs.made, theirs.kept)
        for found in compared(ours.kept, theirs.kept, bound):
            yield Difference("changed", f"self: {found.told}")
    if theirs.warned != ours.warned:
        told = f"warns {dict(ours.warned)}, scikit-image {dict(theirs.warned)}"
        yield Difference("warnings", told)


def _of_errors(theirs, ours):
    if not theirs:
        yield Difference("raised", _told(ours))
    elif not ours:
        yield Difference("not raised", _told(theirs))
    elif type(ours) is not type(theirs):
        yield Difference("other exception", f"{_told(ours)}; scikit-image: {_told(theirs)}")
    elif _text(ours) != _text(theirs):
        yield Difference("other text", f"{_told(ours)}; scikit-image: {_told(theirs)}")


def _of_results(call, theirs, ours):
    bound = bound_for(SWEEP[call.name].bound, theirs.made, theirs.result)
    made = inside(list(ours.made.values()), cp.ndarray) or (
        ours.source and not ROWS[call.name].images
    )
    if made and any(on_devices(a.dtype) for a in inside([ours.returned], np.ndarray)):
        yield Difference("form", "a NumPy array came back for a CuPy one")
        return
    if ours.same != theirs.same:
        told = f"is {ours.same or 'no argument'}; scikit-image's is {theirs.same or 'none'}"
        yield Difference("identity", told)
    seen, wrong = _viewed(call, theirs)
    got, wrong_too = _viewed(call, ours)
    if type(wrong) is not type(wrong_too):
        yield Difference("form", f"has {wrong_too!r}; scikit-image's {wrong!r}")
    elif wrong is None:
        yield from compared(got, seen, bound)
    for name, left in theirs.made.items():
        given = replace(ours.made[name], from_device)
        if isinstance(left, np.ndarray) or inside(left, np.ndarray):
            for found in compared(given, left, bound):
                yield Difference("changed", f"{name}: {found.told}")


def _viewed(call, ran):
    """What the sweep looks at in a result, on the host, or the exception that it meets there."""
    try:
        with np.errstate(all="ignore"):
            return replace(SWEEP[call.name].view(ran.result), from_device), None
    except Exception as error:
        return None, error


def compared(got, seen, bound):
    """The `Difference` of one value from another, if there is one."""
    try:
        with np.errstate(all="ignore"):
            largest = difference(_native(got), _native(seen))
    except AssertionError as error:
        text = " ".join(str(error).split())
        form = re.search(r": (\(.*\)|[A-Za-z]\w*) instead of|items, not|other keys", text)
        yield Difference("form" if form else "values", text)
    else:
        if not largest <= bound:
            told = f"differs by {largest:.2e} of the range; {bound:.0e} is allowed"
            yield Difference("values", told)


def from_device(value):
    """The array on the host; anything else as it is."""
    return cp.asnumpy(value) if isinstance(value, cp.ndarray) else value


def _native(value):
    def native(item):
        if isinstance(item, np.ndarray) and not item.dtype.isnative:
            return item.astype(item.dtype.newbyteorder("="))
        return item

    return replace(value, native)


def _ran(call, made, decide=False):
    _first_turn()
    args, kwargs = call.by_position(made)
    ran, owner = Ran(made), None
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            called, owner = target(call.name, made)
            if decide:
                _decided(ran, call.name, args if owner is None else (owner, *args), kwargs)
            ran.result = ran.returned = listed(called(*args, **kwargs))
        except TooLarge:
            raise
        except Exception as error:
            if isinstance(error, MemoryError) or "array is too big" in str(error):
                raise TooLarge(str(error)) from None
            ran.error = error.with_traceback(None)
    ran.seconds = time.perf_counter() - start
    if owner is not None:
        ran.kept = kept(call.name, owner)
        ran.result = {"returned": ran.returned, **ran.kept}
    told = [str(w.message) for w in seen if w.category is DispatchNotification]
    ran.notified = bool(told)
    steps = (text for text in told if "was dispatched" in text and f"'{call.name}'" not in text)
    if call.name in BY_STEPS and any(steps):
        ran.source = "steps"
    ran.warned = Counter(
        f"{w.category.__name__}: {_text(w.message)}"
        for w in seen
        if w.category not in (RuntimeWarning, DispatchNotification)
    )
    arrays = {n: v for n, v in made.items() if isinstance(v, np.ndarray | cp.ndarray)}
    ran.same = next((name for name, value in arrays.items() if value is ran.returned), "")
    return ran


def _told(error):
    return f"{type(error).__name__}: {_text(error)}"


def _text(error):
    text = re.sub(r"0x[0-9a-f]+|run-id \d+", "…", " ".join(str(error).split()))  # Qhull's runs
    return text.replace(" (is a view)", "")  # Pythran's, of small arrays that are copied


def _first_turn():
    """Let active contours begin with their first operator, whose turn outlasts a call."""
    from skimage_gpu_backend.functions.segmentation.morphsnakes import operators

    smoothing = operators(upstream("segmentation.morphsnakes"))
    if not hasattr(smoothing, "fuzz_operators"):
        smoothing.fuzz_operators = next(smoothing.funcs), next(smoothing.funcs)
    smoothing.funcs = itertools.cycle(smoothing.fuzz_operators)


@contextmanager
def poisoned():
    """New memory of the simulator is filled with what no kernel should read."""
    if not cuda_simulator.active():
        yield
        return
    from cupy import _memory

    allocate = _memory._allocate

    def allocated(size, device):
        pointer = allocate(size, device)
        _memory.poison(pointer, size)
        return pointer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_memory, "_allocate", allocated)
        yield
