"""Makes scikit-image's public functions dispatchable as soon as they are defined.

A finder follows the execution of each scikit-image module, public or not: where a function
is reached from (lazily, from a private module, out of a pickle) then makes no difference.
Importing this file must be light: it happens when Python starts. Nothing of scikit-image
is imported here before the program itself imports it.
"""

import sys
from _thread import allocate_lock
from types import FunctionType

from ..upstream.layout import BACKENDS, ROOTS, as_public, copied_from, past, past_warnings

PUBLIC = (
    "skimage.color",
    "skimage.draw",
    "skimage.exposure",
    "skimage.feature",
    "skimage.filters",
    "skimage.filters.rank",
    "skimage.graph",
    "skimage.measure",
    "skimage.metrics",
    "skimage.morphology",
    "skimage.registration",
    "skimage.restoration",
    "skimage.segmentation",
    "skimage.transform",
    "skimage.util",
)
# public functions that are defined outside of every public module
_SHARED = {f"{root}_shared.filters": {"gaussian": "skimage.filters"} for root in ROOTS}
_TRAMPOLINE = f"{__package__}.trampoline"  # imported where there is something to dispatch
_homes = {}  # module -> public module, where it was asked for
_lock = allocate_lock()  # that of `threading`, which is not light
was_enabled = False  # at any time in this process


def enable():
    """Make scikit-image's public functions dispatchable in this program.

    Every function that scikit-image has loaded is changed in place, so references that
    anybody already holds are dispatched too; the others follow when they are imported.
    What runs where still depends on the selection: an environment variable or
    `use_backends`.

    See Also
    --------
    disable : Undo it.
    use_backends : Select backends; enables by itself.

    Examples
    --------
    >>> import skimage_gpu_backend
    >>> from skimage.filters import gaussian
    >>> skimage_gpu_backend.enable()
    >>> gaussian.__module__, gaussian.__name__  # still the same function
    ('skimage._shared.filters', 'gaussian')
    >>> skimage_gpu_backend.disable()
    """
    global was_enabled
    with _lock:
        was_enabled = True
        if _finder in sys.meta_path:
            return
        sys.meta_path.insert(0, _finder)
        for name, module in sys.modules.copy().items():  # another thread may import
            if _may_define(name):
                _offer_all(module)


def disable():
    """Undo `enable`: all functions of scikit-image are as if it had never been called."""
    with _lock:
        if _finder not in sys.meta_path:
            return
        sys.meta_path.remove(_finder)
        if trampoline := sys.modules.get(_TRAMPOLINE):
            trampoline.restore_all()


class _Finder:
    """Lets the other finders find a module of scikit-image, and follows its execution."""

    def find_spec(self, name, path=None, target=None):
        if not _may_define(name):
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)  # old finders have none
            if finder is not self and find and (spec := find(name, path, target)):
                if spec.loader is not None:  # a folder without __init__ has none
                    _follow(spec.loader)
                return spec
        return None


_finder = _Finder()


def _follow(loader):
    """Have the module adopted after its execution; the loader keeps its type."""
    execute = loader.exec_module

    def exec_module(module):
        from ._importlib_bootstrap import execute_hooked

        del loader.exec_module
        execute_hooked(execute, module, _adopt)

    loader.exec_module = exec_module


def _may_define(name) -> bool:
    """Whether public functions may be defined in the module called `name`."""
    return name.startswith(ROOTS) and (name in _SHARED or _public_module(name) is not None)


def _public_module(name) -> str | None:
    """Public module that the module called `name` is a part of.

    The rule of `skimage.util._backends.public_api_module`, which cannot be imported before
    the program imports `skimage.util`. None for ``skimage._shared``.
    """
    if name not in _homes:
        parts = name.split(".")
        # the longest that fits: skimage.filters.rank lies in skimage.filters
        homes = (".".join(["skimage", *parts[1:length]]) for length in (3, 2))
        _homes[name] = next((home for home in homes if home in PUBLIC), None)
    return _homes[name]


def _adopt(module):
    """Make the public functions that the module defines, or imported, dispatchable."""
    if _finder not in sys.meta_path:
        return
    _offer_all(module)
    # only a public module that has been executed says which functions are public
    public = as_public(module.__name__)
    if public in PUBLIC:
        for name, part in sys.modules.copy().items():  # another thread may import
            inside = name.startswith(ROOTS) and _public_module(name) == public
            if inside and as_public(name) not in PUBLIC:
                _adopt(part)


def _offer_all(module):
    for value in list(vars(module).values()):
        if type(value) is FunctionType:
            if name := public_name(value):
                _offer(past_warnings(value), name)
            elif trampoline := sys.modules.get(_TRAMPOLINE):
                trampoline.undo_in_copy(value)  # private: of what the module has imported
        elif isinstance(value, type):
            _offer_methods(value)
    _offer_steps(module)


def _offer_methods(owner):
    """Make the methods of a public class dispatchable that the table of methods lists."""
    defined = owner.__module__
    if not isinstance(defined, str) or not defined.startswith(ROOTS):
        return
    from ..methods import DISPATCHED

    name = f"{_public_module(defined)}:{owner.__name__}"
    if found := DISPATCHED.get(name):
        from . import trampoline

        trampoline.make_methods_dispatchable(owner, name, found)


def _offer_steps(module):
    """Make the private functions dispatchable that the module's methods call, for those alone."""
    from ..methods import PRIVATE_STEPS

    for name in PRIVATE_STEPS:
        home, _, function = name.partition(":")
        if home == as_public(module.__name__) and function in vars(module):
            from . import trampoline

            trampoline.make_step_dispatchable(module, name, function)


def public_name(function) -> str | None:
    """Name of a function, as ``"skimage.filters:gaussian"``, or None if it cannot be public.

    Told by where it is defined. What is defined under a public name is not always what
    bears the name in public: `trampoline.Function` looks, when it is called.
    """
    defined, name = function.__module__ or "", function.__name__
    if not defined.startswith(ROOTS):
        return None
    home = _SHARED.get(defined, {}).get(name)
    if home is None:
        home = _public_module(defined)
        if home is None or not _is_exported(home.removeprefix("skimage."), name):
            return None
        # one that two public modules export is named after the module that defines it
        home = _public_module(copied_from(function).__module__) or home
    return f"{home}:{name}"


def _is_exported(home, name):
    modules = (sys.modules.get(root + home) for root in ROOTS)
    if any(name in getattr(module, "__all__", ()) for module in modules):
        return True
    from ..on_host import CATALOG, ON_HOST

    # the module has deprecated functions, but does not list them
    public = f"skimage.{home}:{name}"
    return public in CATALOG or public in ON_HOST


def _offer(function, name):
    from . import trampoline

    original = None
    if function.__globals__.get("__name__") == BACKENDS:
        if _selects_itself(sys.modules[BACKENDS]):
            return
        original = past(function, (BACKENDS,))
    trampoline.make_dispatchable(function, name, original)


def _selects_itself(upstream) -> bool:
    """Whether this scikit-image has a selection of its own.

    Then the functions that it dispatches are its own affair. The dispatcher of 0.26 has
    none, so there ours takes the place of its wrapper, and a call is told once.
    """
    return hasattr(upstream, "set_backends") or hasattr(upstream, "get_backend_priority")
