"""Rows of predictions, and the launches that they are made of, which are kept.

To follow the launches of all standard calls takes hours; to predict their times from what was
followed takes seconds, so that a change of the model needs no simulator. What is launched and
followed depends on a card's capability and number of multiprocessors only.
"""

import collections
import gzip
import json
import re
from pathlib import Path

from benchmarks.architectures import WARP
from skimage_gpu_backend.catalog import spoken

from . import cards, model
from .launches import Watched, Work

RESULTS = Path(__file__).parent.parent / "results" / "prediction"
WAYS = "gpu", "cucim"
_DIGITS = 7  # of numbers that are kept
_KERNELS = 4  # of a call that are named


def kind_of(card) -> str:
    """What launches depend on."""
    return f"{card.capability}-{card.multiprocessors}"


def which(row) -> tuple:
    """Function, images and side: what rows are told apart and sorted by."""
    return row["function"], row["images"], row["side"]


def packed(seen) -> dict:
    """What was `launches.Watched` of a call as JSON has it; launches of one kind have one place."""
    kinds, names, launches = {}, {}, []
    for work in seen.works:
        told = {key: _short(each) for key, each in vars(work).items() if key != "moved"}
        moved = [
            [None if name is None else names.setdefault(name, len(names)), _short(r), _short(w)]
            for name, r, w in work.moved
        ]
        launches.append([kinds.setdefault(json.dumps(told), len(kinds)), moved])
    return {"copies": seen.copies, "kinds": [*map(json.loads, kinds)], "launches": launches}


def unpacked(told) -> Watched:
    """The inverse of `packed`."""
    works = [Work(**told["kinds"][kind], moved=moved) for kind, moved in told["launches"]]
    return Watched(works, told["copies"])


def _short(value):
    if isinstance(value, dict):
        return {key: _short(each) for key, each in value.items()}
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def row_of(call, card) -> dict:
    """What is predicted of a call, of which `benchmarks.predict.calls` tells the launches."""
    pixels = call["side"] ** 2
    ways = {
        way: call[way] if "refused" in call[way] else _told(call[way], card, pixels) for way in WAYS
    }
    return call | ways


def _told(launches, card, pixels):
    seen = unpacked(launches)
    if not seen.works:
        return {"refused": "HostOnly: runs on the host"}
    told = model.predicted(seen, card)
    return {
        "us": round(1e6 * told.seconds, 2),
        "bound": told.bound,
        "shares": {name: round(1e6 * part, 2) for name, part in told.shares.items()},
        "dram": round(1e6 * sum(time.bounds["DRAM"] for time in told.times), 2),
        "double": round(WARP * sum(map(_doubles, seen.works)) / pixels, 1),
        "launches": len(seen.works),
        "copies": seen.copies,
        "not followed": sorted({w.followed for w in seen.works if w.followed and w.name}),
        "of CuPy": sum(not work.name for work in seen.works),
        "kernels": _slowest(seen.works, told.times),
    }


def _doubles(work):
    return work.instructions.get("double", 0)


def _slowest(works, times):
    """The kernels that take most: name, times launched, microseconds, bound, occupancy."""
    found = {}
    for work, time in zip(works, times, strict=True):
        found.setdefault(work.name, []).append(time)
    rows = []
    for name, each in found.items():
        shares = collections.Counter()
        for time in each:
            shares[time.bound] += time.seconds
        rows.append(
            [
                _spoken(name),
                len(each),
                round(1e6 * sum(shares.values()), 2),
                max(shares, key=shares.get),
                each[0].occupancy,
            ]
        )
    return sorted(rows, key=lambda row: -row[2])[:_KERNELS]


def _spoken(name):
    """A kernel's name; of a mangled one what it is called in the source."""
    found = re.match(r"_ZN?(\d+)", name)
    return name[found.end() :][: int(found[1])] if found else name


def add(kind, call) -> None:
    """Keep the launches of a call, in place of what was known of it."""
    file = _file(kind)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab", buffering=0) as opened:  # at once: other processes may add theirs
        opened.write(_lines([call]))


def calls_of(kind) -> list[dict]:
    """All calls whose launches are kept, in order; of those that were added again the latest."""
    file = _file(kind)
    if not file.exists():
        return []
    with gzip.open(file, "rt") as lines:
        known = {which(call): call for call in map(json.loads, lines)}
    return [known[key] for key in sorted(known)]


def tidy(kind) -> None:
    """Leave each call once in the file, in order."""
    if calls := calls_of(kind):
        _file(kind).write_bytes(_lines(calls))


def ratio_of(row) -> float | None:
    """How many times longer cuCIM's call is predicted to take."""
    ours, theirs = row["gpu"].get("us"), row["cucim"].get("us")
    return theirs / ours if ours and theirs else None


def reason_of(row, reasons) -> str | None:
    """The first of `reasons` whose pattern fits a row's function and images."""
    call = f"{spoken(row['function'])} {row['images']}"
    return next((why for pattern, why in reasons if re.fullmatch(pattern, call)), None)


def by_reason(rows, reason, number) -> dict:
    """Calls as (name, images, number), by the reason that `reason` finds; not those without."""
    found = {}
    for row in rows:
        if (why := reason(row)) is not None:
            call = spoken(row["function"]), row["images"], number(row)
            found.setdefault(why, []).append(call)
    return found


def rows_of(name) -> list[dict]:
    """What is predicted for a card of all calls whose launches are kept for its kind."""
    card = cards.CARDS[name]
    return [row_of(call, card) for call in calls_of(kind_of(card))]


def _file(kind):
    return RESULTS / "launches" / f"{kind}.jsonl.gz"


def _lines(calls):
    text = "".join(json.dumps(call) + "\n" for call in calls)
    return gzip.compress(text.encode(), mtime=0)
