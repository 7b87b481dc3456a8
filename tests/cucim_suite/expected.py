"""The tests that are known to fail, with their causes, against what has happened."""

import re
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("expected.toml")


def entries() -> list[dict]:
    """Rows of `expected.toml`: ``tests`` (``*`` stands for anything), ``cause``."""
    return tomllib.loads(FILE.read_text()).get("expected", [])


def matches(entry: dict, test: str) -> bool:
    """Whether an entry is about a test."""
    parts = (re.escape(part) for part in entry["tests"].split("*"))
    return re.fullmatch(".*".join(parts), test) is not None


def cause(test: str) -> str | None:
    """The cause for which a test fails, if it is listed."""
    return next((entry["cause"] for entry in entries() if matches(entry, test)), None)


def complaints(outcomes: dict, complete: bool) -> list[str]:
    """What makes the run a failure; `complete` where all tests of the modules ran."""
    found = []
    for outcome in outcomes.values():
        for test, message in outcome.of("failed").items():
            if cause(test) is None:
                found.append(f"FAILED without a cause listed: {test}: {_first_line(message)}")
    every = {test: o for outcome in outcomes.values() for test, (o, *_) in outcome.tests.items()}
    for entry in entries():
        about = {test: o for test, o in every.items() if matches(entry, test)}
        found += [
            f"PASSED, but is listed as failing: {t}" for t, o in about.items() if o == "passed"
        ]
        if complete and not about and entry["tests"].split("/tests/")[0] in _folders(every):
            found.append(f"LISTED as failing, but there is no such test: {entry['tests']}")
    return found


def _folders(tests):
    return {test.split("/tests/")[0] for test in tests}


def _first_line(message):
    return message.strip().split("\n")[0][:300]
