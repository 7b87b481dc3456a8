"""Every reason for which a call may not run on the device, as the source code has it.

Reasons are texts in a few kinds of places: what `Declined`, `Everywhere` and the like are made of,
and what functions of a few files return. Numbers and names that only a call knows are shown as
three dots.
"""

import ast
import functools
import itertools
import re
from pathlib import Path

from skimage.measure._regionprops import COL_DTYPES

import skimage_gpu_backend

PACKAGE = Path(skimage_gpu_backend.__file__).parent
_MADE_OF = ("Declined", "DeviceTrouble", "Decision", "Everywhere", "Idle")
_TOLD_BY = ("TooSmall",)
_HELD_BY = ("_state", "_LAST_BITS", "FAR_MIRRORED", "NOT_FINITE")
_RETURNED_IN = ("availability", "byte_order", "kinds", "compile")  # files


@functools.cache
def every_reason() -> list[str]:
    """All reasons that end a call on the CPU, sorted; not those for which scikit-image raises."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        if "profiling" not in file.parts:
            found.update(reasons_in(file))
    return sorted(found)


def reasons_in(file):
    """Reasons that one file's source has."""
    return {text for text in _in_source(file) if re.search(r"\w\w.* | .*\w\w", text)}


def _in_source(file):
    returned = file.stem in _RETURNED_IN
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name in _TOLD_BY:
            yield from (
                t for n in ast.walk(node) if isinstance(n, ast.Return) for t in _texts(n.value)
            )
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in _HELD_BY:
            yield from _texts(node.value)
        elif isinstance(node, ast.Call) and node.args:
            # one of two kinds: (Invalid if ... else Declined)(...)
            made = [getattr(node.func, part, node.func) for part in ("body", "orelse")]
            if any(getattr(kind, "id", "") in _MADE_OF for kind in made):
                yield from _texts(node.args[0])
        elif returned and isinstance(node, ast.Return):
            yield from _texts(node.value)


def _texts(node):
    """The texts that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _texts(value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        pieces = [list(_texts(part)) or ["…"] for part in node.values]
        for chosen in itertools.product(*pieces):
            yield re.sub("…{2,}", "…", "".join(chosen))
    elif isinstance(node, ast.FormattedValue):
        yield from _texts(node.value)


def of_columns() -> dict[str, list[str]]:
    """Why scikit-image computes columns of a table of regions, and which: none named, any."""
    reasons, uses = {}, {}
    for file in sorted((PACKAGE / "functions" / "measure").glob("*region*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for made in (node for each in (tree, *classes) for node in each.body):
            if not isinstance(made, ast.FunctionDef):
                continue
            inside = list(ast.walk(made))
            own = {made.name} if made not in tree.body else set()
            for name in own:
                uses[name] = {n.attr for n in inside if isinstance(n, ast.Attribute)}
            for node in inside:
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NotHere":
                    for text in _texts(node.args[0]):
                        reasons.setdefault(text, set()).update(own)
    found = {}
    for text, names in reasons.items():
        while more := {name for name in uses if uses[name] & names} - names:
            names |= more
        found[text] = sorted(names & COL_DTYPES.keys())
    return found
