"""Dispatching put into a function itself: its code object is replaced, and put back.

The function stays the same object, so every reference that anybody holds is dispatched
from then on, and name, module, docstring, defaults, identity and pickling are untouched.
"""

import ast
import functools
import importlib
import inspect
import sys
import threading
import weakref
from pathlib import Path
from types import CodeType, FunctionType

from ..catalog import SKIMAGE2
from ..upstream.layout import as_public, past_warnings
from . import _importlib_bootstrap
from .selection import current


class Function:
    """A function that was made dispatchable.

    Attributes
    ----------
    name : str
        Public module and function, as ``"skimage.filters:gaussian"``.
    original : function
        scikit-image's own function, which is not dispatched.
    code : code
        The function's own.
    """

    is_method = False

    def __init__(self, name, function, original):
        self.name = name
        self.original = original
        self._function = function
        self.code = function.__code__
        self._added = {}

    @functools.cached_property
    def is_public(self) -> bool:
        """Whether this function is the one that its name stands for in public, or a copy of it.

        Its public module does not exist yet when the function is defined, and none of
        scikit-image's modules is imported for the question alone.
        """
        return self._is_in(importlib.import_module(self.name.partition(":")[0]))

    def _is_in(self, module):
        name = self.name.partition(":")[2]
        public = getattr(module, name, None)  # deprecated functions are not in its list
        if type(public) is not FunctionType:
            return False
        return _parts(past_warnings(public)) == _parts(self._function)

    @functools.cached_property
    def successor(self):
        """This function of skimage2, where skimage has an older form of that name; else itself."""
        name = self.name.replace("skimage.", "skimage2.", 1)
        defined = self.original.__globals__["__name__"]
        if name in SKIMAGE2 and defined != as_public(defined):
            return Successor(name, self._function, self.original)
        return self

    def put_in(self):
        """Make the function dispatchable."""
        function = self._function
        function.__code__ = _trampoline(function, self)
        # what `inspect` shows is scikit-image's: the signature, and by unwrapping the source
        self._added["__signature__"] = inspect.signature(self.original)
        if not hasattr(function, "__wrapped__"):
            self._added["__wrapped__"] = self.original
        function.__dict__.update(self._added)

    def take_out(self):
        """Make the function as it was."""
        self._function.__code__ = self.code
        self.remove_attributes(self._function)

    def remove_attributes(self, function):
        """Remove what `put_in` added, in the function or a copy of it."""
        for name, value in self._added.items():
            if function.__dict__.get(name) is value:
                del function.__dict__[name]


class Successor(Function):
    """A function of skimage2 of which skimage has an older form with another behaviour."""

    @property
    def is_public(self):
        if current().steps is not None:  # scikit-image's methods call it
            return True
        return self._is_in(sys.modules.get(self.name.partition(":")[0]))


class Method(Function):
    """A function that public classes have as a method, their own or an inherited one."""

    is_method = True

    def __init__(self, name, function, original, owner):
        super().__init__(name, function, original)
        self._owner = owner
        self._method = name.rpartition(".")[2]
        self._of = weakref.WeakKeyDictionary()  # class -> Method

    @functools.cached_property
    def is_public(self) -> bool:
        module, _, name = self.name.rpartition(".")[0].partition(":")
        public = getattr(importlib.import_module(module), name, None)
        # of 0.27, public classes are subclasses that differ in their docstrings
        return isinstance(public, type) and issubclass(public, self._owner)

    def of(self, args):
        """This method as one of the public class that the object or class `args[0]` belongs to.

        A user's own class counts as the nearest one of scikit-image that it comes from.
        """
        if not args:
            return self
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        found = self._of.get(owner)
        if found is None:
            found = self._of[owner] = self._named(owner)
        return found

    def _named(self, owner):
        public = next((each for each in owner.__mro__ if each in _classes), self._owner)
        if public is self._owner:
            return self
        name = f"{_classes[public]}.{self._method}"
        return Method(name, self._function, self.original, public)


class Step(Function):
    """A private function, for calls by methods that run by steps.

    Compiled ones have no code that could be replaced: a function of ours bears the name in the
    module that calls it.
    """

    def __init__(self, name, module, function):
        original = getattr(module, function)
        super().__init__(name, _stand_in_for(original), original)
        self._place = module, function

    @property
    def is_public(self):
        return current().steps is not None

    def put_in(self):
        self._function.__code__ = _trampoline(self._function, self)
        setattr(*self._place, self._function)

    def take_out(self):
        if getattr(*self._place, None) is self._function:
            setattr(*self._place, self.original)


def _stand_in_for(original):
    def stand_in(*args, **kwargs):
        """Only its name and documentation are used."""

    return functools.update_wrapper(stand_in, original)


_classes = {}  # public class -> its name
_dispatchable = {}  # function -> Function
_lock = threading.Lock()  # threads import modules that hold the same function


def make_dispatchable(function, name, original=None):
    """Make calls of `function` dispatchable, if they are not yet.

    Parameters
    ----------
    function : function
        A public function of scikit-image.
    name : str
        Public module and function.
    original : function, optional
        What runs where no backend takes the call, if not `function` as it is.
    """
    with _lock:
        if function not in _dispatchable:
            undo_in_copy(function)
            record = Function(name, function, original or copy_of(function))
            record.put_in()
            _dispatchable[function] = record


def make_methods_dispatchable(owner, name, methods):
    """Make calls of a public class's methods dispatchable, if they are not yet.

    Parameters
    ----------
    owner : type
    name : str
        Public module and class.
    methods : sequence of str
        Those of its methods that are meant, inherited ones too.
    """
    with _lock:
        _classes[owner] = name
        for method in methods:
            found = inspect.getattr_static(owner, method)
            function = found.__func__ if isinstance(found, classmethod) else found
            if function not in _dispatchable:
                undo_in_copy(function)
                record = Method(f"{name}.{method}", function, copy_of(function), owner)
                record.put_in()
                _dispatchable[function] = record


def make_step_dispatchable(module, name, function):
    """Make a private function dispatchable, if it is not yet, where methods by steps call it.

    Parameters
    ----------
    module : module
        The one that calls it.
    name : str
        As in `methods.PRIVATE_STEPS`.
    function : str
        Its name in the module.
    """
    with _lock:
        if getattr(module, function) not in _dispatchable:
            record = Step(name, module, function)
            record.put_in()
            _dispatchable[getattr(module, function)] = record


def restore_all():
    """Make all functions as they were."""
    with _lock:
        _classes.clear()
        while _dispatchable:
            _, record = _dispatchable.popitem()
            record.take_out()


def _parts(function):
    """What a function and its copies share, without what this package replaced."""
    record = _record_in(function)
    code = function.__code__ if record is None else record.code
    defaults = function.__defaults__, function.__kwdefaults__
    return tuple(map(id, (code, function.__closure__, *defaults)))


def _record_in(function):
    """The `Function` whose code a function has, its own or that of which it is a copy, or None."""
    found = (each for each in function.__code__.co_consts if isinstance(each, Function))
    return next(found, None)


def undo_in_copy(function):
    """Make a copy of a dispatchable function what it is without this package."""
    record = None if function in _dispatchable else _record_in(function)
    if record is not None:
        function.__code__ = record.code
        record.remove_attributes(function)


def copy_of(function) -> FunctionType:
    """A function with the same code, globals, defaults, closure and attributes."""
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    for attribute in ("__kwdefaults__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        setattr(copy, attribute, getattr(function, attribute))
    copy.__dict__.update(function.__dict__)
    return copy


def _trampoline(function, record):
    """Code that dispatches, for a function of this kind and number of free variables."""
    kind = "generate" if inspect.isgeneratorfunction(function) else "call"
    template = _template(kind, len(function.__closure__ or ()))
    constants = {
        "<dispatch>": _importlib_bootstrap.dispatch,
        "<function>": record,
        "<original>": record.original,
    }
    return template.replace(
        co_consts=tuple(
            constants.get(constant, constant) if isinstance(constant, str) else constant
            for constant in template.co_consts
        ),
        co_name=function.__name__,
        co_qualname=function.__qualname__,
    )


@functools.cache
def _template(kind, free_variables) -> CodeType:
    """Code of a function of `_importlib_bootstrap`, with unused free variables added.

    A function takes only code with as many free variables as its closure has cells. They
    must be declared by the compiler, which has frames fill them: debuggers read them. So
    the function is compiled anew inside one whose variables it mentions in dead code.
    """
    template = getattr(_importlib_bootstrap, kind).__code__
    if not free_variables:
        return template
    names = [f"unused_{number}" for number in range(free_variables)]
    outer = ast.parse(f"def outer({', '.join(names)}):\n pass\n")
    source = Path(_importlib_bootstrap.__file__).read_text(encoding="utf-8")
    inner = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == kind
    )
    inner.body.append(ast.parse(f"if False:\n ({', '.join(names)},)").body[0])
    outer.body[0].body = [inner]
    code = compile(outer, template.co_filename, "exec")
    for name in ("outer", kind):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    return code
