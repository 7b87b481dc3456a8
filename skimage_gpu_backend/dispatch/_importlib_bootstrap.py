"""The way of a call: all frames between the user's line and a scikit-image function.

CPython does not count frames whose code file name contains both ``importlib`` and
``_bootstrap`` when `warnings.warn` looks for its stack level. This file has its name for
that: ``warnings.warn(stacklevel=2)`` in scikit-image, and in a backend, goes on pointing at
the user's line. So nothing else may stand between, and nothing lives here that need not.
"""

import functools
import sys
from _thread import _local
from types import GeneratorType

from .. import notify
from ..failures import Failure, is_users
from ..methods import BY_STEPS, FIRST_STEPS, IN_ROOMS, STEPS_OF
from ..upstream.layout import MIGRATION, as_public
from . import registry
from .selection import Selection, Steps, current, is_chosen, selected

_INTERNAL = ("skimage", "_skimage2", "skimage2", "cucim", "skimage_gpu_backend")


def call(*args, **kwargs):
    """Stand in for a public function; `trampoline` puts its own objects for the constants."""
    __tracebackhide__ = True  # IPython and pytest leave this frame out of tracebacks
    dispatch = "<dispatch>"
    function = "<function>"
    original = "<original>"
    outcome = dispatch(function, args, kwargs)
    if outcome is None:
        return original(*args, **kwargs)
    result, tell = outcome
    if tell is None:
        return result
    result = original(*args, **kwargs)
    tell()
    return result


def generate(*args, **kwargs):
    """Stand in for a public generator function, as `call` does."""
    __tracebackhide__ = True
    dispatch = "<dispatch>"
    function = "<function>"
    original = "<original>"
    outcome = dispatch(function, args, kwargs)
    if outcome is None:
        return (yield from original(*args, **kwargs))
    results, tell = outcome
    if tell is None:
        return (yield from results)
    yield from original(*args, **kwargs)
    tell()


def dispatch(function, args, kwargs):
    """What becomes of a call: its result and None, or None where scikit-image is to run it.

    Where scikit-image is expected to refuse the call: None, and what tells that it did not.

    Parameters
    ----------
    function : Function
        The function that was called, see `trampoline`.
    args, kwargs
        The caller's own.
    """
    __tracebackhide__ = True
    selection = current()
    names = selection.backends
    pass_by = not names and (selection.off or not _device_kind(args, kwargs))
    if pass_by and record_of is None:
        return None
    names = names or ("gpu",)  # for device arrays, then
    try:
        caller = sys._getframe(2)  # of each frame that is asked for, Python makes an object
        if caller.f_globals.get("__name__") == MIGRATION:  # it warns and calls
            caller = caller.f_back
    except ValueError:  # nobody's: a thread begins with the call
        caller = None
    if _asking.now or (caller is not None and not _is_users(caller, args, selection)):
        return None
    if function.is_method:
        function = function.of(args)
    if not function.is_public and not (function := function.successor).is_public:
        return None
    if function.name == _BY_CHUNKS and not _device_kind(args, kwargs):
        return _by_chunks(function, selection, args, kwargs)
    way = _by_steps if function.name in BY_STEPS and _with_kernels(names) else _ask
    if record_of is not None:
        return _recorded(way, function, selection, names, args, kwargs, pass_by, caller)
    return way(function, selection, names, args, kwargs)


def _with_kernels(names):
    """The first of the backends that runs our kernels, None where there is none."""
    return next((name for name in names if name in ("gpu", "cpu")), None)


# A function that calls what it is given, for each chunk of an image: those calls are the user's
# and each is decided by itself, so that nothing is to be told of the call around them.
_BY_CHUNKS = "skimage.util:apply_parallel"


class _Chunk:
    """A function that is called as selected here, in whatever thread.

    Results are of the chunks' own kind: Dask puts them together.
    """

    def __init__(self, function, selection):
        self._function = function
        options = {"convert": selection.convert, "threads": selection.threads}
        self._selection = Selection(selection.backends, selection.named, **options)

    def __call__(self, *args, **kwargs):
        __tracebackhide__ = True
        with selected(self._selection):
            return self._function(*args, **kwargs)


# module and code that call it
_CHUNKS = frozenset(
    (
        ("skimage.util.apply_parallel", "wrapped_func"),
        ("_skimage2.util.apply_parallel", "wrapped_func"),
        (__name__, "__call__"),
    )
)


# call for the user, whose image was a Dask array or a stack
_FOR_USERS = frozenset(
    f"skimage_gpu_backend.{name}" for name in ("lazy.chunk", "_over", "_over_whole")
)
_PREPARING = "skimage.feature.util"  # makes an image floating for those that call it


def _is_users(caller, args, selection):
    """Whether the frame that calls is the user's, or calls for the user what he has given."""
    module = caller.f_globals.get("__name__")
    if not _is_internal(module):
        return True
    if selection.steps is not None:
        if as_public(module) == _PREPARING:
            module = caller.f_back.f_globals.get("__name__")
        if as_public(module) in STEPS_OF:
            return True
    if module in _FOR_USERS:
        return True
    # one element or none: with these Dask asks for the dtype of results
    by_chunks = (module, caller.f_code.co_name) in _CHUNKS
    return by_chunks and bool(args) and getattr(args[0], "size", 2) > 1


def _by_chunks(function, selection, args, kwargs):
    """As `dispatch`: a selection of this thread's is handed on to those of Dask."""
    __tracebackhide__ = True
    if not is_chosen(selection):
        return None
    if args:
        args = (_Chunk(args[0], selection), *args[1:])
    elif "function" in kwargs:
        kwargs = {**kwargs, "function": _Chunk(kwargs["function"], selection)}
    return function.original(*args, **kwargs), None


def _by_steps(function, selection, names, args, kwargs, record=None):
    """As `_ask`: what the method calls is decided call by call, and stays on the device."""
    __tracebackhide__ = True
    failed, backend = None, _with_kernels(names)
    if function.name in IN_ROOMS:
        ran, failed = _in_room(function, selection, backend, args, kwargs, record)
        if ran:
            return None, None
    if record is not None:
        record.declined = [(backend, _REST, _REST)]
    on_device = _device_kind(args, kwargs)
    steps = Steps()
    options = {
        "convert": selection.convert or on_device,
        "output": "resident",
        "progress": selection.progress,
        "threads": selection.threads,
        "steps": steps,
    }
    with selected(Selection(names, selection.named, **options)):
        if backend == "gpu":
            args, kwargs = _with_image_there(function.name, args, kwargs)
        if _device_kind(args, kwargs):
            from ..adapt.host import moved_to_host
            from ..trouble import DeviceTrouble

            try:
                args, kwargs, _ = moved_to_host(args, kwargs)
            except DeviceTrouble:  # the arrays are another library's, which can do without CuPy
                return None
        result = function.original(*args, **kwargs)
    if not steps.ran and steps.too_small:
        notify.declined(function.name, steps.too_small, host_copies=on_device)
    if failed is not None:  # and scikit-image did not raise
        failed.log(function.name)
        notify.declined(function.name, [(backend, failed.reason, failed.reason)])
    return result, None


def _in_room(function, selection, backend, args, kwargs, record):
    """Whether a method that returns nothing was run as a whole, and the `Failure` if it failed."""
    __tracebackhide__ = True
    _asking.now = True
    try:
        asked = registry.backend(backend)
        try:
            decision = asked.decide(function.name, args, kwargs, selection)
        except Exception:  # the steps tell of it
            return False, None
        if not decision:
            return False, None
        notify.dispatched(function.name, backend)
        try:
            decision.run()
        except asked.trouble:
            return False, None
        except Exception as error:
            if is_users(error):
                raise
            return False, Failure(error)
    finally:
        _asking.now = False
    if record is not None:
        record.ran_on(backend, decision)
    return True, None


def _with_image_there(name, args, kwargs):
    """Arguments of a method by steps, with its image copied once where it pays for the first."""
    first = FIRST_STEPS[name.rpartition(".")[0]]
    _asking.now = True
    try:
        keep = registry.backend("gpu").kept
        if len(args) > 1:
            return (args[0], keep(first, args[1]), *args[2:]), kwargs
        return args, {each: keep(first, v) if each == "image" else v for each, v in kwargs.items()}
    finally:
        _asking.now = False


_REST = "what it calls is told by itself, and this is the rest; nothing to change"
record_of = None  # while `observe` observes: makes the record of a call


def _recorded(way, function, selection, names, args, kwargs, pass_by, caller):
    """Run a call to its end by `way`, here, so that its time and result can be recorded."""
    __tracebackhide__ = True
    record = record_of(function.name, args, kwargs, caller)
    try:
        outcome = None if pass_by else way(function, selection, names, args, kwargs, record)
        record.result, tell = outcome or (None, _nothing)
        if tell is not None:
            record.result = function.original(*args, **kwargs)
            tell()
    except BaseException:
        record.end(failed=True)
        raise
    record.end(failed=False)
    if type(record.result) is GeneratorType:
        return _recorded_in_turn(record.result, record), None
    return record.result, None


def _nothing():
    """There is nothing to tell."""


def _recorded_in_turn(results, record):
    """Items of `results`, each of which is computed when the user asks for it."""
    __tracebackhide__ = True
    while True:
        record.again()
        try:
            record.result = next(results)
        except StopIteration:
            record.end(failed=False)
            return
        except BaseException:
            record.end(failed=True)
            raise
        record.end(failed=False)
        yield record.result


class _Asking(_local):
    """Whether this thread runs a backend, whose calls of scikit-image are its own affair."""

    now = False


_asking = _Asking()
_internal_modules = {}


def _is_internal(module):
    """Whether a call from `module` is scikit-image's or a backend's own, not the user's."""
    internal = _internal_modules.get(module)
    if internal is None:
        root, *inner = str(module).split(".")
        internal = _internal_modules[module] = root in _INTERNAL and "tests" not in inner
    return internal


def _device_kind(args, kwargs):
    """Replace this function by the one that knows array kinds, at the first call.

    It needs NumPy, which must not be imported before scikit-image does it.
    """
    global _device_kind
    from ..adapt.kinds import device_kind as _device_kind

    return _device_kind(args, kwargs)


def _ask(function, selection, names, args, kwargs, record=None):
    """Ask backends in turn; device arrays do not depend on what is selected.

    A `record` gets to know who ran the call, and why others did not.
    """
    on_device = _device_kind(args, kwargs)
    if on_device and "gpu" not in names:
        names = (*names, "gpu")
    steps = selection.steps
    declined = []
    refused, failed = False, None
    if record is not None:
        record.declined = declined
    for name in names:
        _asking.now = True
        try:
            asked = registry.backend(name)
            decision = asked.decide(function.name, args, kwargs, selection)
        except Exception as error:
            # a mistake of a backend must not end the user's program
            failure = Failure(error, "to decide").reason
            declined.append((name, failure, failure))
            continue
        finally:
            _asking.now = False
        if decision:
            notify.dispatched(function.name, name, declined)
            if steps is not None:
                steps.ran = True
            _asking.now = True
            try:
                result = decision.run()
                if record is not None:
                    record.ran_on(name, decision)
                if hasattr(type(result), "__next__"):
                    from .layers import resumed

                    result = resumed(result, function, name, asked.trouble, args, kwargs)
                return result, None
            except asked.trouble as trouble:
                declined.append((name, trouble.reason, trouble.key))
                continue
            except Exception as error:
                if is_users(error):
                    raise
                # scikit-image may raise the same, then nobody is told
                failed, refused = Failure(error), True
                declined.append((name, failed.reason, failed.reason))
                break
            finally:
                _asking.now = False
        declined.append((name, decision, decision.key))
        refused = decision.invalid
        if refused:
            break
    if not refused:
        _tell(function, steps, declined, on_device)
        if not on_device:
            return None
    tell = functools.partial(_tell, function, steps, declined, on_device, failed)
    if not on_device:
        return None, tell
    from ..adapt.host import moved_to_host
    from ..trouble import DeviceTrouble

    try:
        args, kwargs, back = moved_to_host(args, kwargs)
    except DeviceTrouble:  # the arrays are another library's, which can do without CuPy
        return None
    result = back(function.original(*args, **kwargs))
    if refused:
        tell()
    return result, None


def _tell(function, steps, declined, on_device, failed=None):
    """Tell the user, or whoever tells of all calls of a method, that no backend took a call."""
    if failed is not None:
        failed.log(function.name)
    if steps is None or not steps.keep(declined):
        notify.declined(function.name, declined, host_copies=on_device)


def execute_hooked(execute, module, adopt):
    """Execute a module and then `adopt` it; warnings at import point past this frame."""
    execute(module)
    adopt(module)
