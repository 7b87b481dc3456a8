"""The table in ``docs/cucim_suite.md``, from what `results.json` has of the latest runs."""

import importlib.metadata
from pathlib import Path

from tests.results import by_device, updated

from . import expected, suite

RESULTS = Path(__file__).with_name("results.json")
DOCUMENT = suite.repository() / "docs" / "cucim_suite.md"
_COLUMNS = ("passed", "download", "skipped", "xfailed", "failed")
_INTRODUCTION = """\
# cuCIM's own tests

`python -m tests.cucim_suite` writes this page. It runs the tests that cuCIM's wheel ships, as
they are, on the device under test: a GPU if there is one, else the simulator. [The page about
machines without a GPU](without_gpu.md#cucim) says how to install what it needs.

Tests that need an image that scikit-image would download, or one that lies in cuCIM's repository
and not in its wheel, are not run. All others that cuCIM does not skip itself count as run.
"""


def line(name, outcome) -> str:
    """What the command prints when a module is done."""
    counts = ", ".join(f"{len(outcome.of(c))} {c}" for c in _COLUMNS if outcome.of(c))
    broken = "" if outcome.tests else f"no tests ran\n{outcome.output}"
    cut = ", and the time was up" if outcome.cut else ""
    return f"{name}: {counts or broken}{cut} ({outcome.seconds:.0f} s)"


def write(outcomes):
    """Bring `results.json` and the page up to date with the modules that ran."""
    for name, outcome in outcomes.items():
        device = "simulator" if outcome.device.get("simulator", True) else outcome.device["name"]
        row = {
            **{column: len(outcome.of(column)) for column in _COLUMNS},
            "seconds": round(outcome.seconds),
            "failures": sorted(outcome.of("failed")),
            "reasons": _counted([*outcome.of("skipped").values()]),
            "files": _counted([*outcome.of("download").values()]),
        }
        results = updated(RESULTS, device, {name: row})
        DOCUMENT.write_text("\n".join([_INTRODUCTION, *_sections(results)]))


def _sections(results):
    yield f"cuCIM {importlib.metadata.version(_distribution())}, scikit-image " + (
        f"{importlib.metadata.version('scikit-image')}.\n"
    )
    for device, modules in by_device(results):
        yield f"## On the {device if device == 'simulator' else f'GPU ({device})'}\n"
        yield "| module | tests | passed | need a download | skipped | xfailed | failed | seconds |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        ordered = sorted(modules, key=lambda m: (m.startswith("core."), m))
        for name in ordered:
            yield _row(f"`{name}`", [modules[name]])
        yield _row("all", modules.values())
        run = _sum(modules.values(), "passed") + _sum(modules.values(), "failed")
        passed = _sum(modules.values(), "passed")
        yield f"\nOf the {run:,} tests that ran, {100 * passed / max(run, 1):.2f} % passed.\n"
        yield from _failures(modules, ordered)
        yield from _counts(modules, "files", "Tests that need a download", "what is missing")
        yield from _counts(modules, "reasons", "Tests that cuCIM skips", "cuCIM's reason")


def _row(title, rows):
    rows = list(rows)
    cells = [_sum(rows, c) for c in _COLUMNS]
    seconds = _sum(rows, "seconds")
    return f"| {title} | {sum(cells):,} | " + " | ".join(f"{c:,}" for c in [*cells, seconds]) + " |"


def _sum(rows, column):
    return sum(row[column] for row in rows)


def _failures(modules, ordered):
    by_cause = {}
    for name in ordered:
        for test in modules[name]["failures"]:
            by_cause.setdefault(expected.cause(test) or "No cause listed.", []).append(test)
    if by_cause:
        yield "### Tests that fail, by cause\n"
    for cause, tests in by_cause.items():
        yield f"{' '.join(cause.split())}\n"
        yield "\n".join(f"- `{test}`" for test in tests) + "\n"


def _counts(modules, kind, title, column):
    total = {}
    for row in modules.values():
        for message, count in row[kind].items():
            total[message] = total.get(message, 0) + count
    if total:
        yield f"### {title}\n"
        yield f"| tests | {column} |\n| ---: | --- |"
    for message, count in sorted(total.items(), key=lambda item: (-item[1], item[0])):
        message = message.removeprefix("Unable to download ")
        yield f"| {count} | {' '.join(message.split()).replace('|', '/') or '(none given)'} |"
    if total:
        yield ""


def _counted(messages):
    return {message: messages.count(message) for message in sorted(set(messages))}


def _distribution():
    return importlib.metadata.packages_distributions()["cucim"][0]
