"""A digest of the source of a function and of all that it uses inside scikit-image.

Docstrings, annotations and where something is imported from do not count, so that the digest
stays the same where code only moves. Compiled modules, whose source is not there, count by
scikit-image's minor version. The digest does not depend on Python's version.
"""

import ast
import hashlib

from .sources import ROOTS, Definition, Opaque, Submodule

# They warn, write documentation and dispatch, and change no result.
_IGNORED = ("_doctest_adapters", "_migration", "_shared._warnings", "util._backends")
_NOT_COMPARED = {"annotation", "returns", "type_comment", "type_params", "kind"}


class Digests:
    """The digests of one scikit-image.

    Parameters
    ----------
    sources : Sources

    Attributes
    ----------
    sources : Sources
    """

    def __init__(self, sources):
        self.sources = sources
        self._minor = ".".join(sources.version.split(".")[:2])
        self._read = {}  # definition -> its text and what it uses

    def of(self, name) -> str | None:
        """Digest of a function or method, as ``"skimage.filters:gaussian"``; None without source.

        That of a method covers its whole class.
        """
        module, _, inner = name.partition(":")
        first = self._first(module, inner.partition(".")[0])
        if first is None:
            return None
        found, left = {}, [first]
        while left:
            each = left.pop()
            if each in found:
                continue
            if isinstance(each, Definition):
                text, uses = self._definition(each)
                found[each] = f"{each.name} {text}"
                left += uses
            else:
                found[each] = f"{each.name} {self._minor if each.is_compiled else ''}"
        text = "\n".join(sorted(found.values()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _first(self, module, name):
        """What defines a function, or the class of a method."""
        root, _, inner = module.partition(".")
        for place in ROOTS if root == "skimage" else (f"_{root}",):  # there is no skimage2 yet
            found = self.sources.find(f"{place}.{inner}", name)
            if isinstance(found, Definition | Opaque):
                return found
        return None

    def _definition(self, definition):
        if definition not in self._read:
            module = self.sources.module(definition.module)
            reader = _Reader(self.sources, definition.module)
            statements = module.definitions[definition.name]
            self._read[definition] = " ".join(map(reader.text, statements)), reader.uses
        return self._read[definition]


class _Reader:
    """Texts of statements of one module, and what of scikit-image they use.

    Attributes
    ----------
    uses : list of (Definition or Opaque)
    """

    def __init__(self, sources, module):
        self._sources, self._name = sources, module
        self._module = sources.module(module)
        self._local = {}  # names that functions import
        self.uses = []

    def text(self, node) -> str:
        """The node, with the names of scikit-image's own without their modules."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._local |= self._module.names_of(node)
            return ""
        if isinstance(node, ast.Name | ast.Attribute):
            named = self._named(node)
            if named is not None:
                return named
        if isinstance(node, ast.JoinedStr):
            return f"JoinedStr({self._joined(node)})"
        fields = [
            f"{field}={self._value(value)}"
            for field, value in ast.iter_fields(node)
            if field not in _NOT_COMPARED and value not in (None, [])
        ]
        return f"{type(node).__name__.replace('AnnAssign', 'Assign')}({' '.join(fields)})"

    def _value(self, value):
        if isinstance(value, ast.AST):
            return self.text(value)
        if isinstance(value, list):
            return f"[{' '.join(map(self._value, _without_docstring(value)))}]"
        return repr(value)

    def _joined(self, node):
        """The parts of an f-string; texts in a row are one."""
        parts = [
            part.value if isinstance(part, ast.Constant) else [self.text(part)]
            for part in node.values
        ]
        joined = []
        for part in parts:
            if isinstance(part, str) and joined and isinstance(joined[-1], str):
                joined[-1] += part
            else:
                joined.append(part)
        return repr(joined)

    def _named(self, node):
        """Text of a name, or a chain of attributes, that is scikit-image's; else None."""
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        found = self._look_up(node.id)
        while isinstance(found, Submodule) and attributes and _is_inside(found.name):
            found = self._sources.find(found.name, attributes.pop(0))
        if not isinstance(found, Definition | Opaque):
            return None
        if isinstance(found, Definition) and found.module.partition(".")[2] in _IGNORED:
            found = Opaque(found.name, is_compiled=False)
        self.uses.append(found)
        return ".".join([f"Name({found.name.rpartition('.')[2]})", *attributes])

    def _look_up(self, name):
        if name in self._local:
            return self._sources.imported(*self._local[name])
        return self._sources.find(self._name, name)


def _is_inside(module):
    return module.partition(".")[0] in ROOTS


def _without_docstring(values):
    first = values[0] if values else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return values[1:] if is_text and isinstance(first.value.value, str) else values
