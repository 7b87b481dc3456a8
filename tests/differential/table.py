"""The table of all public functions: where each runs, and how far it was compared."""

from collections import Counter
from itertools import groupby

from skimage_gpu_backend import methods
from skimage_gpu_backend.catalog import CATALOG, spoken

from .inputs import ALL
from .on_cpu import NOT_DISPATCHED, by_design, not_dispatched, why_on_cpu
from .public import public_functions, same_as
from .record import FILE
from .sweeps import SWEEPS

PAGE = FILE.with_suffix(".md")

_HEAD = """\
# Where each function runs

All {all} public functions of scikit-image that work on arrays, by module; what reads files, loads
examples or asks the user stands [at the end](#not-dispatched).

{summary}

- *kernel*: this package runs the function, by CUDA kernels of its own or by a few of CuPy's
  operations.
- *CPU*: scikit-image itself runs it. Device arrays are copied to the host for it, and its result
  back. *By design*: a GPU could gain nothing, or cannot be used (a few numbers, graphs, Python
  functions, pictures).

The tables below have, for each function,

- the dtypes of images with which its usual call ran on the device (all: bool, all integers and
  floats);
- what runs on the CPU: certain calls ([what to do about them](fallbacks.md)), or why all do;
- the largest difference of floating results from scikit-image's, as a share of the result's
  range, for images and results in double, single and half precision.

Each function that can run on the device was called with NumPy and with CuPy arrays in all ways that
`tests/differential/sweeps` lists, on the simulator, and each result was compared with
scikit-image's. Shapes, dtypes and kinds of results are equal, and so are integers and booleans.
`SKIMAGE_GPU_SIMULATOR=1 python -m tests.differential` does this and writes the page; the calls with
the largest differences are in `docs/functions.json`.

Below the functions of a module stand the methods of its classes, which are dispatched and watched
as functions are, from the table in `skimage_gpu_backend/methods.py`. Attributes of objects, as
those of `RegionProperties`, are not watched one by one: [a profile](profiling.md) has their time in
a line of its own.

"""
_COLUMNS = """\
| function | runs on | dtypes | what runs on the CPU | largest difference |
| --- | --- | --- | --- | --- |
"""
_METHODS = """\
| class | methods | run on | why |
| --- | --- | --- | --- |
"""
_REST = """\
## Not dispatched

Functions and classes that scikit-image runs as it always does. They are neither asked about nor
watched; what they give is NumPy's.

| module | functions and classes | why |
| --- | --- | --- |
"""
_PLACES = ("kernel", "CPU by design", "CPU")


def render(records: dict) -> str:
    """The page, from what `record` saw."""
    page = _HEAD.format(all=sum(counts().values()), summary=_summary())
    for module, group in groupby(public_functions(), _module):
        lines = [_row(name, records.get(name, {})) for name in group]
        page += f"## {module}\n\n{_COLUMNS}" + "\n".join(lines) + "\n\n"
        if lines := _methods(module):
            page += _METHODS + "\n".join(lines) + "\n\n"
    rows = [
        f"| `{module}` | {', '.join(f'`{name}`' for name in names)} | {_cell(why)} |"
        for module in NOT_DISPATCHED
        for names, why in not_dispatched(module)
    ]
    return page + _REST + "\n".join(rows) + "\n"


def _methods(module):
    """Rows of a module's classes: methods for which the same is to be told stand together."""
    told = {
        name: ("kernel", "" if function in methods.OWN_FUNCTIONS else f"as `{spoken(function)}`")
        for name, (function, _) in methods.AS_FUNCTION.items()
    }
    told |= {name: ("by steps", steps) for name, steps in methods.BY_STEPS.items()}
    told |= {name: ("kernel", _or_by_steps(name)) for name in methods.IN_ROOMS}
    told |= {name: ("CPU", why) for name, why in methods.ON_CPU.items()}
    told |= {
        name: ("CPU, not watched", why) for why, names in methods.LEFT.items() for name in names
    }
    together = {}
    for name in sorted(name for name in told if _module(name) == module):
        kind, _, method = name.partition(":")[2].partition(".")
        together.setdefault((kind, told[name]), []).append(f"`{method}`")
    return [
        f"| `{kind}` | {', '.join(found)} | {where} | {_cell(why)} |"
        for (kind, (where, why)), found in together.items()
    ]


def _or_by_steps(name):
    return f"a class that overrides a step goes by steps: {methods.BY_STEPS[name]}"


def counts(module=None) -> Counter:
    """How many functions of a module, or of all, run in each place."""
    names = (n for n in public_functions() if not same_as(n) and module in (None, _module(n)))
    return Counter(map(_place, names))


def _module(name):
    return name.partition(":")[0]


def _place(name):
    if name in CATALOG:
        return "kernel"
    return "CPU by design" if by_design(name) else "CPU"


def _summary():
    """Table of modules: how many functions run where."""
    lines = [
        f"| module | functions | {' | '.join(_PLACES)} |",
        f"| --- |{' ---: |' * (1 + len(_PLACES))}",
    ]
    for module in [*dict.fromkeys(map(_module, public_functions())), None]:
        found = counts(module)
        link = (
            f"[{module.removeprefix('skimage.')}](#{module.replace('.', '')})" if module else "all"
        )
        numbers = (found.total(), *(found[place] for place in _PLACES))
        lines.append(f"| {link} | {' | '.join(str(n or '') for n in numbers)} |")
    return "\n".join(lines)


def _row(name, record):
    function = name.partition(":")[2]
    same = same_as(name)
    if same:
        return f"| `{function}` | {_runs_on(same)} | | the same function as `{spoken(same)}` | |"
    cells = (_runs_on(name), _dtypes(record), _on_the_cpu(name, record), _largest(name, record))
    return f"| `{function}` | " + " | ".join(map(_cell, cells)) + " |"


def _runs_on(name):
    return "kernel" if name in CATALOG else "CPU"


def _dtypes(record):
    taken = record.get("dtypes", [])
    return "all" if taken == list(ALL) else " ".join(taken)


def _on_the_cpu(name, record):
    if name not in CATALOG:
        return why_on_cpu(name)
    return "<br>".join(dict.fromkeys(record.get("declined", [])))


def _largest(name, record):
    largest = record.get("largest", {})
    parts = []
    for precision in ("double", "single", "half"):
        difference, _ = largest.get(precision, (None, ""))
        if difference is not None:
            parts.append(f"{precision} {difference:.0e}" if difference else f"{precision} 0")
    bound = next((sweep.bound for sweep in SWEEPS if sweep.name == name), None)
    return "; ".join(parts) + (f". {bound.why}" if bound else "")


def _cell(text):
    return text.replace("|", "\\|")
