"""A profile as tables for people, and as a dict for programs."""

import io
import json
import linecache
from collections import defaultdict
from pathlib import Path

import cuda_simulator

from .. import _words
from .._status import device_name
from ..catalog import spoken
from .advice import advice, fallbacks
from .remedies import cause, remedy
from .tally import IN_GRAPH, OFF_DEVICE, ON_CPU, total

_NO_CALL = (
    "No function of scikit-image was called in this process{}."
    " Calls count from the user's own code; what scikit-image calls inside is part of them."
)


def _no_call(profile):
    not_watched = "; child processes are not watched"
    return _NO_CALL.format(not_watched if profile.children is None else " or in its children")


_SEEN = 0.02  # seconds outside of all calls of which samples tell something
_MOST = 3
_WIDTH = 120  # of the tables in a file
_WHOLE = ("function", "ran by", "on the CPU")  # columns whose texts are not broken
_RAN_BY = {
    "kernel": "our kernel",
    "cucim": "cuCIM",
    IN_GRAPH: "made a Dask graph",
    ON_CPU: "scikit-image (CPU)",
}


def as_text(profile) -> str:
    """The report as plain text."""
    from rich.console import Console

    console = Console(file=io.StringIO())
    show(profile, console)
    return console.file.getvalue()


def show(profile, console=None):
    """Print the report.

    Parameters
    ----------
    profile : Profile
    console : rich.console.Console, optional
        Where to; standard output if not given.
    """
    from rich.console import Console

    console = console or Console()
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    if not profile.tallies:
        console.print(_no_call(profile))
        if outside := _outside(profile):
            console.print(outside, highlight=False, markup=False)
        return
    if cuda_simulator.active():
        console.print("On the simulator: times are this machine's CPU's, counts are a GPU's.")
    console.print(_functions(profile))
    if fallbacks(profile):
        console.print(_why(profile))
    console.print(_totals(profile), highlight=False)
    if outside := _outside(profile):
        console.print(outside, highlight=False, markup=False)
    if profile.children:
        processes = "1 child process" if profile.children == 1 else f"{profile.children} children"
        console.print(f"Among them are the calls of {processes} of this program.", highlight=False)
    found = advice(profile)
    if found:
        console.print("What would help most:")
    for number, item in enumerate(found, 1):
        text = f"  {number}. {item.text}; up to {_time(item.seconds)}."
        console.print(text, highlight=False, markup=False)


def show_lines(profile, file, console=None, called=str):
    """Print a file's source with the time of scikit-image's calls beside each line.

    Below it are the lines of other files that made calls meanwhile.

    Parameters
    ----------
    profile : Profile
    file : str
        As in the calls' tracebacks; its source is what `linecache` knows.
    console : rich.console.Console, optional
    called : callable, optional
        Gives for a file the name under which a user knows it.
    """
    from rich.console import Console
    from rich.text import Text

    console = console or Console()
    files = lines_of(profile)
    if not files:
        console.print(_no_call(profile))
        return
    lines = files.pop(file, {})
    table = _table("line", *_LINE_COLUMNS, ("source", "left"))
    for number, source in enumerate(linecache.getlines(file), 1):
        cells = _line_cells(*lines.get(number, (total(()), total(()))))
        table.add_row(str(number), *cells, Text(source.rstrip()))
    if lines:
        console.print(table)
    if files:
        table = _table(("called from elsewhere", "left"), "calls", *_LINE_COLUMNS)
        for other, lines in files.items():
            for number, (device, cpu) in sorted(lines.items()):
                place = f"{called(other)}, line {number}" if other else "C code"
                calls = str(device.calls + cpu.calls)
                table.add_row(Text(place), calls, *_line_cells(device, cpu))
        console.print(table)


_LINE_COLUMNS = ("device", "CPU", "copies")


def _line_cells(device, cpu):
    copied = device.to_device_bytes + device.to_host_bytes
    return _time(device.seconds), _time(cpu.seconds), _size(copied)


def write_json(profile, file):
    """Write `as_dict` to a file."""
    Path(file).write_text(json.dumps(as_dict(profile), indent=1), encoding="utf-8")


def lines_of(profile):
    """For each file, for each line, the tallies on the device and on the CPU."""
    sums = defaultdict(lambda: defaultdict(lambda: ([], [])))
    for case, tally in profile.tallies.items():
        sums[case.file][case.line][0 if case.on_device else 1].append(tally)
    return {
        file: {line: (total(device), total(cpu)) for line, (device, cpu) in lines.items()}
        for file, lines in sums.items()
    }


def _by_function(profile):
    """Tally of each function and place, in the order of their time."""
    sums = defaultdict(list)
    for case, tally in profile.tallies.items():
        sums[case.short, case.where].append(tally)
    rows = [(*key, total(tallies)) for key, tallies in sums.items()]
    return sorted(rows, key=lambda row: -row[2].seconds)


def _functions(profile):
    columns = ("calls", "device", "CPU", "to device", "to host", "copies")
    table = _table(("function", "left"), ("ran by", "left"), *columns)
    for function, where, tally in _by_function(profile):
        seconds = _time(tally.seconds)
        table.add_row(
            function,
            _RAN_BY.get(where, where),
            str(tally.calls) + (f" ({tally.errors} raised)" if tally.errors else ""),
            "" if where in OFF_DEVICE else seconds,
            seconds if where in OFF_DEVICE else "",
            _size(tally.to_device_bytes),
            _size(tally.to_host_bytes),
            _time(tally.transfer_seconds),
        )
    return table


def _why(profile):
    from rich.text import Text

    table = _table(
        ("on the CPU", "left"), "calls", "time", ("because", "left"), ("what would lift it", "left")
    )
    rows = sorted(fallbacks(profile).items(), key=lambda item: -item[1].seconds)
    shown = set()
    for (function, why), tally in rows:
        reason = profile.reasons[function, why]
        helps = remedy(reason)
        table.add_row(
            spoken(function),
            str(tally.calls),
            _time(tally.seconds),
            Text(cause(reason)),  # not markup
            Text("as above" if helps in shown else helps),
        )
        shown.add(helps)
    return table


def totals(profile) -> dict:
    """Sums over the whole profile, times in seconds."""
    device = total(tally for case, tally in profile.tallies.items() if case.on_device)
    cpu = total(tally for case, tally in profile.tallies.items() if not case.on_device)
    seconds = device.seconds + cpu.seconds
    everything = total((device, cpu))
    return {
        "child processes": profile.children,
        "calls": everything.calls,
        "calls on the device": device.calls,
        "seconds": profile.seconds,
        "seconds in scikit-image": seconds,
        "seconds outside of calls": sum(profile.outside.copy().values()),
        "share on the device": device.seconds / seconds if seconds else 0.0,
        "transfers": everything.transfers,
        "seconds in transfers": everything.transfer_seconds,
        "bytes to device": everything.to_device_bytes,
        "bytes to host": everything.to_host_bytes,
    }


def _totals(profile):
    sums = totals(profile)
    share = f"{100 * sums['share on the device']:.0f} %"
    return (
        f"{sums['calls on the device']} of {sums['calls']} calls ran on the device, with"
        f" {share} of the {_time(sums['seconds in scikit-image'])}"
        f" in scikit-image's functions (the whole took {_time(profile.seconds)});"
        f" {sums['transfers']} transfers took {_time(sums['seconds in transfers']) or '0 ms'}."
    )


def _outside(profile):
    """The line about scikit-image outside of these calls, where it took time worth a line."""
    seconds = sum(profile.outside.values())
    if seconds < _SEEN:
        return ""
    most = sorted(profile.outside.copy(), key=profile.outside.get, reverse=True)[:_MOST]
    names = ", ".join(map(spoken, most))
    return (
        f"Outside of these calls scikit-image took about {_time(seconds)} more, most of it in"
        f" {names}: it is not dispatched, and samples tell it."
    )


def as_dict(profile) -> dict:
    """The profile as numbers and texts, fit for JSON: seconds, bytes, counts."""
    return {
        "device": device_name(),
        "totals": totals(profile),
        "functions": [
            {"function": function, "ran by": where, **_numbers(tally)}
            for function, where, tally in _by_function(profile)
        ],
        "outside": profile.outside.copy(),
        "fallbacks": [
            {
                "function": spoken(function),
                "reason": profile.reasons[function, why],
                "remedy": remedy(profile.reasons[function, why]),
                **_numbers(tally),
            }
            for (function, why), tally in fallbacks(profile).items()
        ],
        "lines": [
            {
                "file": file,
                "line": line,
                "device": _numbers(device),
                "cpu": _numbers(cpu),
            }
            for file, lines in lines_of(profile).items()
            for line, (device, cpu) in sorted(lines.items())
        ],
        "advice": [item._asdict() for item in advice(profile)],
    }


def _numbers(tally):
    return {name: getattr(tally, name) for name in tally.__slots__}


def _table(*columns):
    from rich.table import Table

    table = Table()
    for column in columns:
        name, justify = (column, "right") if isinstance(column, str) else column
        table.add_column(name, justify=justify, no_wrap=name in _WHOLE)
    return table


def _time(seconds):
    if not seconds:
        return ""
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _size(nbytes):
    return _words.size(nbytes) if nbytes else ""
