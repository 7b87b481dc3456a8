"""Runs sweeps and keeps what was seen: the data of the table in the documentation."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from .check import check
from .inputs import ALL

FILE = Path(__file__).parents[2] / "docs" / "functions.json"


def seen(sweep) -> dict:
    """What the calls of one function gave.

    Returns
    -------
    dict
        ``calls`` and ``taken`` (numbers), ``digest`` of the calls, ``dtypes`` taken, reasons for
        which calls were ``declined``, and the ``largest`` difference with its call by precision.

    Raises
    ------
    AssertionError
        A call failed its test.
    """
    dtypes, largest, declined, taken = {}, {}, {}, 0
    for case in sweep.cases():
        outcomes = [check(case, kind) for kind in ("numpy", "cupy")]
        declined |= {o.declined: None for o in outcomes if o.declined and not o.refused}
        ran = [o for o in outcomes if o.source and not o.refused]
        taken += bool(ran)
        if ran and case.label in ALL:
            dtypes[case.label] = None
        for outcome in ran:
            if outcome.difference >= largest.get(outcome.precision, (0,))[0]:
                largest[outcome.precision] = (outcome.difference, case.label)
    return {
        "calls": sum(1 for _ in sweep.cases()),
        "taken": taken,
        "digest": digest(sweep),
        "dtypes": [dtype for dtype in ALL if dtype in dtypes],
        "declined": list(declined),
        "largest": {p: [float(f"{d:.0e}"), label] for p, (d, label) in sorted(largest.items())},
    }


def digest(sweep) -> str:
    """Tells whether the calls of a sweep are those that were recorded."""
    text = "\n".join(case.label for case in sweep.cases())
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def load() -> dict:
    """What was recorded last, by function."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def save(records: dict, names: Iterable[str]):
    """Keep the records of the functions that have a sweep."""
    lines = [f'"{name}": {json.dumps(records[name])}' for name in sorted(names) if name in records]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
