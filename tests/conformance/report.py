"""What came out, on the page ``docs/conformance.md`` and in ``results.json``."""

import re
import tomllib
from pathlib import Path

from tests.conftest import ROOT
from tests.results import by_device, updated

from . import source

RESULTS = Path(__file__).with_name("results.json")
EXCUSED = Path(__file__).with_name("excused.toml")
PAGE = ROOT / "docs" / "conformance.md"


def compared(plain, backend) -> dict:
    """Numbers of a module, and the tests that the backend breaks, each with its message."""
    broken = {t: m for t, m in backend.outcomes.items() if t in plain.passed - backend.passed}
    # a process that died takes its tests along
    broken |= dict.fromkeys(plain.passed - set(backend.outcomes), "did not run")
    return {
        "tests": len(plain.outcomes),
        "passed": len(plain.passed),
        "passed with the backend": len(plain.passed & backend.passed),
        "calls": backend.calls,
        "calls on the device": backend.device_calls,
        "calls refused": backend.refused_calls,
        "calls of others": backend.other_calls,
        "left": dict(sorted(backend.left.items())),
        "broken": {test: _in_short(message) for test, message in sorted(broken.items())},
    }


def matches(entry, test) -> bool:
    """Whether an entry of `excused.toml` is about a test; ``*`` stands for anything."""
    parts = (re.escape(part) for part in entry["tests"].split("*"))
    return re.fullmatch(".*".join(parts), test) is not None


def excuse(test) -> str | None:
    """Why no backend can pass a test, if it is excused."""
    for entry in tomllib.loads(EXCUSED.read_text()).get("excused", []):
        if matches(entry, test):
            return " ".join(entry["reason"].split())
    return None


def unexcused(numbers) -> list[str]:
    """Tests that the backend breaks for no reason that is known."""
    return [test for test in numbers["broken"] if excuse(test) is None]


def line(module, numbers) -> str:
    """One module, for the terminal."""
    text = (
        f"{module}: {numbers['passed with the backend']} of the {numbers['passed']} tests that"
        f" pass without ({numbers['tests']} in all);"
        f" {numbers['calls on the device']} of {numbers['calls']} calls on the device"
    )
    return "\n".join([text, *(f"  FAILED {t}: {m}" for t, m in numbers["broken"].items())])


def write(results, device):
    """Bring `results.json` and the page up to date with the modules that ran."""
    PAGE.write_text(page(updated(RESULTS, device, results)))


def page(every) -> str:
    """The page's text."""
    parts = [_INTRODUCTION.format(version=source.version())]
    for device, modules in by_device(every):
        parts += [f"## On the {device}\n", _table(modules), *_broken(modules)]
        parts += _commits(modules)
        parts += _left(modules)
    return "\n".join(parts)


_INTRODUCTION = """\
# scikit-image's own tests

`python -m tests.conformance` writes this page. It runs the tests of scikit-image {version}
twice, as they are and with the backend selected for images of every size. Tests that do not pass
as they are, because they need a download, say, count on neither side. "Calls" are those that the
tests make of scikit-image's public functions; those that are not on the device ran on the CPU,
for reasons that [the table of functions](functions.md) lists. "Refused" are those that scikit-image
answers with an exception, and "without a version" the others of functions that have no GPU version,
or no images (`gabor_kernel`, `window`); the share is that of all but these. Modules that ran before
this was counted have none.
"""


def _table(modules):
    rows = [
        "| module | tests | pass as they are | and with the backend | calls | refused"
        " | without a version | on the device | share |",
        f"| --- |{' ---: |' * 8}",
    ]
    for module, numbers in sorted(modules.items()):
        rows.append(f"| `{module}` | {' | '.join(_cells(numbers))} |")
    columns = [*_TOLD, *(_POSSIBLE if all("left" in each for each in modules.values()) else ())]
    sums = {column: sum(each[column] for each in modules.values()) for column in columns}
    return "\n".join([*rows, f"| all | {' | '.join(_cells(sums))} |", ""])


_TOLD = ("tests", "passed", "passed with the backend", "calls", "calls on the device")
_POSSIBLE = ("calls refused", "calls of others")


def _cells(numbers):
    *told, on_device = (f"{numbers[column]:,}" for column in _TOLD)
    if "calls refused" not in numbers:
        return [*told, "", "", on_device, ""]
    refused, others = numbers["calls refused"], numbers["calls of others"]
    possible = numbers["calls"] - refused - others
    share = f"{100 * numbers['calls on the device'] / possible:.0f} %" if possible else ""
    return [*told, f"{refused:,}", f"{others:,}", on_device, share]


def _broken(modules):
    tests = {test: m for numbers in modules.values() for test, m in numbers["broken"].items()}
    yield f"Tests that pass as they are and fail with the backend: {len(tests) or 'none'}.\n"
    for test, message in sorted(tests.items()):
        yield f"- `{test}`: {excuse(test) or f'not excused: `{message}`'}"
    if tests:
        yield ""


def _commits(modules):
    told = {}
    for module, numbers in sorted(modules.items()):
        if "commit" in numbers:
            told.setdefault(numbers["commit"], []).append(f"`{module}`")
    for commit, names in told.items():
        yield f"At commit {commit}: {', '.join(names)}.\n"


def _left(modules):
    told = [
        f"- `{module}`: {'; '.join(_together(numbers['left']))}."
        for module, numbers in sorted(modules.items())
        if numbers.get("left")
    ]
    if told:
        yield "What else ran on the CPU, of functions that have images and a version and of"
        yield "arguments that scikit-image takes, with the number of calls:\n"
        yield from told
        yield ""


def _together(left):
    """Functions and reasons, those with most calls first."""
    for said, calls in sorted(left.items(), key=lambda item: (-item[1], item[0])):
        yield f"{said} ({calls:,})"


def _in_short(message):
    """Its first line and the last one, which tells what a thread ended with."""
    first, *others = message.strip().split("\n")
    return " … ".join(line[:200] for line in (first, *others[-1:]))
