"""`python -m skimage_gpu_backend explain`: what a call would launch and move, without a device.

Of a name alone: what the function takes, and where, and the notes in its planner's docstring.
"""

import ast
import builtins
import inspect
import math
import re
import sys
from collections.abc import Mapping

import numpy as np

from . import _words, functions
from .adapt.kinds import kind_of, unsupported_dtype, why_not, why_not_dtype
from .adapt.subclasses import is_subclass
from .arguments import bound, images_of
from .catalog import CATALOG, COMPLEX, spoken
from .device.launches import Array
from .plan import Passes, Slabs, Sums
from .reasons import with_values
from .scikit_image import ALREADY, function_called, nothing_to_convert, signature
from .sizes.least import least_bytes
from .trouble import Declined, Invalid
from .upstream.check import why_unknown


class Explanation:
    """A call, and what the GPU would do for it.

    Parameters
    ----------
    name : str
        As in the catalog.
    args : tuple
    kwargs : dict
        Arrays may be without data: only their shapes and dtypes are looked at.

    Attributes
    ----------
    images : dict of str to array
        By the names of their parameters.
    plan : Plan or None
        Of our kernels.
    reason : str
        Why there is none.
    invalid : bool
        scikit-image itself refuses the arguments.
    least : int or float
        Bytes of NumPy images from which the GPU takes the call on this machine.
    """

    def __init__(self, name, args, kwargs):
        row = CATALOG[name]
        arguments, _ = bound(name, args, kwargs)
        self.name, self.plan, self.reason, self.invalid = name, None, "", False
        self.images = {n: arguments[n] for n in row.images if hasattr(arguments.get(n), "shape")}
        not_taken = why_unknown(name) or _why_not_taken(name, images_of(row, name, args, kwargs))
        try:
            if not_taken:
                raise Declined(not_taken)
            self.plan = functions.plan(name, args, kwargs)
        except Declined as declined:
            self.reason = with_values(declined.key, name, args, kwargs)
            self.invalid = isinstance(declined, Invalid)
        dtype = next(iter(self.images.values())).dtype if self.images else np.dtype(float)
        self.least = least_bytes(name, dtype, args, kwargs)

    @property
    def size(self):
        """Bytes of the images."""
        return sum(image.size * image.dtype.itemsize for image in self.images.values())

    def lines(self):
        """The explanation, a paragraph an item."""
        images = ", ".join(f"{n} {_shown(i)}" for n, i in self.images.items())
        yield f"{spoken(self.name)}: {images} ({_words.size(self.size)})"
        if self.invalid:
            yield f"scikit-image refuses these arguments: {self.reason}"
            return
        if self.plan is None:
            yield f"runs on the CPU: {self.reason}"
        else:
            yield from self._planned()
            yield self._sizes()

    def _planned(self):
        plan = self.plan
        cost = plan.cost
        if cost is None:
            yield (
                "runs on our kernels; launches and bytes depend on the image's data, or on CuPy's"
                " sorting and Fourier transforms"
            )
        elif cost.launches == 0:
            yield "runs on the GPU without a launch"
        else:
            launches = "1 launch" if cost.launches == 1 else f"{cost.launches} launches"
            yield (
                f"runs on our kernels: {'at most ' * (plan.launches is None)}{launches}; reads"
                f" {_words.size(cost.read)}, writes {_words.size(cost.written)}"
                + f", {_words.size(cost.between)} of it for the next launch"
                * bool(cost.between)
            )
        yield f"an element of the result depends on {_reach(plan.reach)}"
        if plan.launches is not None:
            back = _nbytes(plan.launches.result)
            yield (
                f"NumPy arrays: {_words.size(self.size)} cross the bus to the device,"
                f" {_words.size(back)} back"
            )

    def _sizes(self):
        if self.least == float("inf"):
            return "NumPy images stay on the CPU: the GPU does not pay off for this function"
        taken = "are large enough" if self.size >= self.least else "stay on the CPU"
        return f"NumPy images of this size {taken}: the GPU pays off from {_words.size(self.least)}"

    def launches(self):
        """Rows of kernel, blocks, threads, shared memory, bytes read and written."""
        seen = set()
        for step in self.plan.launches.steps if self.plan and self.plan.launches else ():
            arrays = [a for a in step.arguments if type(a) is Array]
            new = {a for a in arrays if not a.name and a not in seen}
            block = step.block if isinstance(step.block, tuple) else (step.block,)
            threads = math.prod(block)
            yield (
                f"{step.source}: {step.expression}",
                _blocks(step, threads),
                " x ".join(map(str, block)),
                _words.size(step.shared) if step.shared else "",
                _words.size(sum(a.nbytes for a in arrays if a not in new)),
                _words.size(sum(a.nbytes for a in new)),
            )
            seen |= new


def _why_not_taken(name, images):
    """Why images do not go to a device: their kinds and dtypes, as `decide` looks at them."""
    for parameter, image in images:
        if kind_of(image) is None and not is_subclass(image):
            return why_not(parameter, image)
        if nothing_to_convert(name, image.dtype):
            return ALREADY
        is_complex = name in COMPLEX and image.dtype.kind == "c"
        if unsupported_dtype(image.dtype) and not is_complex:
            return why_not_dtype(parameter, image.dtype)
    return None


def _blocks(step, threads):
    if step.fit:
        return "depends on the device"
    if callable(step.grid):
        return "those that run at once"
    return str(math.prod(step.grid) if step.grid else -(-step.work // threads))


def _shown(array):
    shape = " x ".join(map(str, array.shape)) or "scalar"
    return f"{shape} {array.dtype}"


def _nbytes(result):
    return sum(a.nbytes for a in (result if isinstance(result, tuple) else (result,)))


def _reach(reach):
    if reach is None:
        return "all of the image, which therefore must fit into the device's memory"
    if reach is Sums:
        return "sums over the image, which is taken in pieces where it is large"
    if isinstance(reach, Slabs):
        return "all of the image, which is taken in slabs where it is large, and joined"
    if isinstance(reach, Passes):
        return f"sums over the image, then on {_reach(reach.reach)}"
    if not any(reach.halo) and None not in reach.halo:
        return "its own place"
    halo = " x ".join("all" if h is None else str(h) for h in reach.halo)
    return f"its surroundings ({halo} elements on either side): large images go in tiles"


def parsed(text, shape, dtype):
    """Name, args and kwargs of a call as a user writes it.

    Parameters
    ----------
    text : str
        As ``"filters.gaussian(image, 3)"``. Names that are none of Python's, and not ``np``, stand
        for arrays without data.
    shape : tuple of int
    dtype : str
        Of these arrays.

    Raises
    ------
    ValueError
        It is no call of a function of the catalog.
    """
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no Python expression: {error.msg}") from None
    if not isinstance(call, ast.Call):
        raise ValueError(f"{text!r} is no call, as filters.gaussian(image, 3)")
    name, *others = _words.catalog_names(ast.unparse(call.func).removeprefix("ski."), CATALOG)
    if others:
        raise ValueError(f"it may be one of {', '.join(map(spoken, (name, *others)))}")
    names = _Names(shape, np.dtype(dtype))

    def value(node):
        code = compile(ast.Expression(node), text, "eval")
        try:
            return eval(code, {"__builtins__": builtins}, names)
        except Exception as error:
            told = f"{ast.unparse(node)} raises {type(error).__name__}: {error}"
            raise ValueError(told) from None

    args = tuple(value(node) for node in call.args)
    return name, args, {keyword.arg: value(keyword.value) for keyword in call.keywords}


class _Names(Mapping):
    """What names stand for in the call."""

    def __init__(self, shape, dtype):
        self._array = np.broadcast_to(np.zeros((), dtype), shape)

    def __getitem__(self, name):
        if name in ("np", "numpy"):
            return np
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return self._array

    def __iter__(self):
        return iter(("np", "numpy"))

    def __len__(self):
        return 2


def _is_name(text):
    return all(part.isidentifier() for part in text.split("."))


def taken(name):
    """What a function takes, and where, a paragraph an item.

    Parameters
    ----------
    name : str
        As in the catalog.
    """
    row, parameters = CATALOG[name], signature(name)
    yield f"{spoken(name)}{parameters}"
    if row.images:
        yield (
            f"on the device: {', '.join((*row.images, *row.beside))}: NumPy arrays where a backend"
            " is selected, device arrays of CuPy, PyTorch, JAX, Numba and others, all of one kind;"
            " results are of this kind, too"
        )
    others = [p for p in parameters.parameters if p not in row.arrays]
    if others:
        yield f"on the host: {', '.join(others)}; arrays among them are small, and read there"
    if "out" in parameters.parameters:
        yield "out: of the images' kind; it receives the result"
    function = functions.find(name)
    if function.__module__.startswith(__package__):  # else the text is scikit-image's own
        for each in _paragraphs(inspect.getdoc(function) or ""):
            yield " ".join(each.split())


def _paragraphs(text):
    """Those of a docstring between its summary and its first section, and those of its Notes."""
    before, *sections = re.split(r"\n\n(\w[\w ]*)\n-{3,}\n", text)
    yield from before.split("\n\n")[1:]
    notes = dict(zip(sections[::2], sections[1::2], strict=True)).get("Notes")
    yield from notes.split("\n\n") if notes else ()


def _print_what_is_taken(text):
    try:
        name, *others = _words.catalog_names(text.removeprefix("ski."), CATALOG)
        if others:
            raise LookupError(f"it may be one of {', '.join(map(spoken, (name, *others)))}")
    except LookupError as error:
        sys.exit(f"nothing to explain: {error.args[0]}")
    _print(taken(name))
    return 0


def _print(lines):
    from rich.console import Console

    console = Console(highlight=False)
    for line in lines:
        console.print(line, markup=False)
    return console


def main(text, shape, dtype):
    """Print what a call would do.

    Of a function's name alone it prints what the function takes, and where. The exit status is 1
    where the text is no such call or scikit-image refuses its arguments.
    """
    from rich.table import Table

    if _is_name(text):
        return _print_what_is_taken(text)
    try:
        found = parsed(text, shape, dtype)
        function_called(found[0])
    except (ValueError, TypeError, LookupError) as error:
        sys.exit(f"nothing to explain: {error}")
    explanation = Explanation(*found)
    console = _print(explanation.lines())
    rows = list(explanation.launches())
    if rows:
        table = Table("kernel")
        for title in ("blocks", "threads", "shared", "reads", "writes"):
            table.add_column(title, justify="right")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    return int(explanation.invalid)
