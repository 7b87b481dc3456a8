"""scikit-image's modules as syntax trees, and where their names are defined.

The modules are read and not imported: of an installed scikit-image, or of a wheel.
"""

import ast
import re
from typing import NamedTuple

ROOTS = ("skimage", "_skimage2")
_PARTS = ("body", "orelse", "finalbody")


class Definition(NamedTuple):
    """A name that a module defines: a function, a class or a constant."""

    module: str
    name: str


class Submodule(NamedTuple):
    """A module that a name stands for."""

    name: str


class Opaque(NamedTuple):
    """A name whose source is not in Python: compiled, or of another package."""

    name: str
    is_compiled: bool


class Sources:
    """scikit-image's source files.

    Parameters
    ----------
    folder : pathlib.Path or zipfile.Path
        Contains the package ``skimage``.
    """

    def __init__(self, folder):
        self._folder = folder
        self._modules = {}

    @property
    def version(self) -> str:
        """scikit-image's version, as ``"0.26.0"``."""
        text = (self._folder / "skimage" / "__init__.py").read_text(encoding="utf-8")
        return re.search(r"__version__ = ['\"]([^'\"]+)", text)[1]

    def module(self, name) -> "Module | None":
        """The module `name`; None where no Python file is there."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def find(self, module, name):
        """What `name` stands for in `module`: a `Definition`, `Submodule`, `Opaque` or None."""
        if module.partition(".")[0] not in ROOTS:
            return Opaque(f"{module}.{name}", is_compiled=False)
        here = self.module(module)
        if here is None:
            return Opaque(f"{module.rpartition('.')[2]}.{name}", is_compiled=True)
        if name in here.imports:
            return self.imported(*here.imports[name])
        if name in here.definitions:
            return Definition(module, name)
        return Submodule(f"{module}.{name}") if self._path(f"{module}.{name}") else None

    def imported(self, module, name):
        """What an import gives: as `find`; of a module itself where `name` is None."""
        if name is None:
            return Submodule(module)
        inside = module.partition(".")[0] in ROOTS
        here = self.module(module) if inside else None
        defined = here is not None and (name in here.definitions or name in here.imports)
        if inside and not defined and self._path(f"{module}.{name}"):
            return Submodule(f"{module}.{name}")
        if here is not None and here.imports.get(name) == (module, name):  # itself
            return Opaque(f"{module.rpartition('.')[2]}.{name}", is_compiled=True)
        return self.find(module, name)

    def _path(self, name):
        path = self._folder
        for part in name.split("."):
            path = path / part
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
        path = path.parent / f"{path.name}.py"
        return path if path.is_file() else None

    def _read(self, name):
        path = self._path(name)
        if path is None:
            return None
        is_package = path.name == "__init__.py"
        read = Module(name, is_package, _parsed(path))
        stub = path.parent / "__init__.pyi"
        if is_package and stub.is_file():  # of a package whose names are imported when used
            read.imports |= Module(name, True, _parsed(stub)).imports
        return read


def _parsed(path):
    text = path.read_text(encoding="utf-8")
    for _ in range(9):
        try:
            return ast.parse(text)
        except SystemError:  # another thread of the program parses, too (Python 3.11)
            continue
    return ast.parse(text)


class Module:
    """What the names of a module stand for.

    Attributes
    ----------
    definitions : dict
        Statements that define, or change, each name.
    imports : dict
        Module and name that each imported name comes from; the name is None for a module.
    """

    def __init__(self, name, is_package, tree):
        self._base = name.split(".") if is_package else name.split(".")[:-1]
        self.definitions, self.imports = {}, {}
        self._scan(tree.body)

    def _scan(self, statements):
        for node in statements:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports |= self.names_of(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.definitions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                for part in _PARTS:
                    self._scan(getattr(node, part, ()))
                for handler in getattr(node, "handlers", ()):
                    self._scan(handler.body)
            else:
                for name in _changed(node):
                    self.definitions.setdefault(name, []).append(node)

    def names_of(self, node):
        """Names that an import statement of this module gives, as `imports` has them."""
        if isinstance(node, ast.Import):
            whole = [(a.asname or a.name.partition(".")[0], a) for a in node.names]
            return {n: (a.name if a.asname else n, None) for n, a in whole}
        start = self._base[: len(self._base) - node.level + 1] if node.level else []
        module = ".".join([*start, *filter(None, [node.module])])
        return {a.asname or a.name: (module, a.name) for a in node.names}


def _changed(statement):
    """Names that a statement binds, or on which it calls a method (``ranges.update(...)``)."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            names |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        names |= {n.id for n in ast.walk(call.func) if isinstance(n, ast.Name)}
    return names
