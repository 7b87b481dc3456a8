"""What came out, on the page ``docs/gallery.md`` and in ``results.json``."""

import tomllib
from pathlib import Path

from tests.conformance import source
from tests.conftest import ROOT
from tests.results import by_device, updated

RESULTS = Path(__file__).with_name("results.json")
EXCUSED = Path(__file__).with_name("excused.toml")
PAGE = ROOT / "docs" / "gallery.md"


def excuse(name) -> str | None:
    """Why an example may differ, if it is known."""
    reason = tomllib.loads(EXCUSED.read_text()).get(name)
    return reason and " ".join(reason.split())


def unexcused(name, outcome) -> bool:
    """Whether an example differs for no reason that is known."""
    return bool(outcome.differences) and excuse(name) is None


def line(name, outcome) -> str:
    """One example, for the terminal."""
    if outcome.stopped:
        return f"{name}: does not run as it is: {outcome.stopped}"
    same = outcome.compared - len(outcome.differences)
    text = (
        f"{name}: {outcome.device_calls} of {outcome.calls} calls on the device,"
        f" {same} of {outcome.compared} results the same"
    )
    return "\n".join([text, *(f"  {n}: {how}" for n, how in outcome.differences.items())])


def write(outcomes, device):
    """Bring `results.json` and the page up to date with the examples that ran."""
    rows = {name: outcome.to_dict() for name, outcome in outcomes.items()}
    PAGE.write_text(page(updated(RESULTS, device, rows)))


def page(every) -> str:
    """The page's text."""
    parts = [_INTRODUCTION.format(version=source.version())]
    for device, examples in by_device(every):
        parts += [f"## On the {device}\n", *_sections(examples)]
    return "\n".join(parts)


_INTRODUCTION = """\
# scikit-image's gallery

`python -m tests.gallery` writes this page. It runs the scripts of scikit-image {version}'s gallery
as they are and with the backend forced on for images of every size, and compares what they print
and the arrays and numbers that they leave in their variables.
"""


_COLUMNS = ("calls", "device_calls", "compared")


def _sections(examples):
    ran = {name: row for name, row in examples.items() if not row["stopped"]}
    same = sum(not row["differences"] for row in ran.values())
    yield (
        f"Of {len(examples)} examples {len(ran)} run here as they are. {same} of them give the same"
        " results with the backend.\n"
    )
    yield "| example | calls | on the device | results compared | different |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, row in sorted(ran.items()):
        cells = " | ".join(f"{row[column]:,}" for column in _COLUMNS)
        yield f"| `{name}` | {cells} | {len(row['differences']) or ''} |"
    sums = (sum(row[column] for row in ran.values()) for column in _COLUMNS)
    yield f"| all | {' | '.join(f'{number:,}' for number in sums)} | |"
    yield ""
    for name, row in sorted(ran.items()):
        if row["differences"]:
            which = ", ".join(f"`{variable}`" for variable in row["differences"])
            yield f"- `{name}` ({which}): {excuse(name) or 'not explained.'}"
    stopped = {}
    for name, row in sorted(examples.items()):
        if row["stopped"]:
            stopped.setdefault(row["stopped"], []).append(f"`{name}`")
    for why, names in sorted(stopped.items()):
        yield f"\nNot run, since each {why}: {', '.join(names)}."
    yield ""
