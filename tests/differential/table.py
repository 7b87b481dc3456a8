"""The table of all public functions, for the documentation: where each runs."""

from collections import Counter
from itertools import groupby

from skimage_gpu_backend import interface, methods
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG, spoken

from .check import by_position, made, selected, to_device
from .inputs import ALL
from .on_cpu import NOT_DISPATCHED, by_design, not_dispatched, why_on_cpu
from .public import public_functions, same_as
from .sweeps import SWEEPS

_COLUMNS = """\
| function | runs on | dtypes | what runs on the CPU |
| --- | --- | --- | --- |
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


def render() -> str:
    """The tables, from the decisions about the calls of each sweep."""
    found = {sweep.name: decided(sweep) for sweep in SWEEPS}
    page = f"{sum(counts().values())} functions:\n\n{_summary()}\n\n"
    for module, group in groupby(public_functions(), _module):
        lines = [_row(name, *found.get(name, ([], []))) for name in group]
        page += f"## {module}\n\n{_COLUMNS}" + "\n".join(lines) + "\n\n"
        if lines := _methods(module):
            page += _METHODS + "\n".join(lines) + "\n\n"
    rows = [
        f"| `{module}` | {', '.join(f'`{name}`' for name in names)} | {_cell(why)} |"
        for module in NOT_DISPATCHED
        for names, why in not_dispatched(module)
    ]
    return page + _REST + "\n".join(rows) + "\n"


def decided(sweep):
    """Dtypes of images with which the usual call is taken, and reasons that decline calls."""
    dtypes, reasons = [], {}
    for case in sweep.cases():
        with selected(not CATALOG[sweep.name].images):
            arguments = made(case.arguments)
            if "numpy" not in sweep.kinds:
                arguments = replace(arguments, to_device)
            decision = interface.gpu.decide(sweep.name, *by_position(sweep.name, arguments))
        if decision and case.label in ALL:
            dtypes.append(case.label)
        elif not decision and not decision.invalid:
            reasons[decision.key] = None
    return [dtype for dtype in ALL if dtype in dtypes], list(reasons)


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


def _row(name, dtypes, reasons):
    function = name.partition(":")[2]
    same = same_as(name)
    if same:
        return f"| `{function}` | {_runs_on(same)} | | the same function as `{spoken(same)}` |"
    cells = (
        _runs_on(name),
        "all" if dtypes == list(ALL) else " ".join(dtypes),
        "<br>".join(reasons) if name in CATALOG else why_on_cpu(name),
    )
    return f"| `{function}` | " + " | ".join(map(_cell, cells)) + " |"


def _runs_on(name):
    return "kernel" if name in CATALOG else "CPU"


def _cell(text):
    return text.replace("|", "\\|")
