"""Tables of predictions: for a terminal, and for a page (`python -m benchmarks.predict.page`)."""

import json
import statistics
import sys

from skimage_gpu_backend.catalog import spoken

from . import cards, doubles, slower
from .published import PUBLISHED
from .rows import RESULTS, kind_of, ratio_of, rows_of, tidy

PAGE = RESULTS / "page.md"
_TITLES = (
    *("call", "images", "predicted", "by", "of DRAM", "launches"),
    *("cuCIM", "by", "launches", "ratio"),
)
_WORDS = "call", "images", "by"  # columns of words
# Share of the time that DRAM alone would take, which launches are to reach
AIMS = {"h100": 0.7, "rtx4090": 0.6}


def cells(row) -> list[str]:
    """One row's call, prediction for this package and for cuCIM, and their ratio."""
    ours, theirs = row["gpu"], row["cucim"]
    ratio = ratio_of(row)
    return [
        spoken(row["function"]),
        row["images"],
        *_told(ours, "" if (share := of_dram(ours)) is None else f"{share:.0%}"),
        *_told(theirs),
        f"{ratio:.2f}" if ratio else "",
    ]


def _told(way, *more):
    if "us" not in way:
        return ["", "", *more, ""]
    least = "≥ " if _is_least(way) else ""
    return [f"{least}{_time(way['us'])}", way["bound"], *more, f"{way['launches']:,}"]


def _is_least(way):
    """Whether of some launches no code was followed, so that it may take longer."""
    return bool(way["not followed"] or way["of CuPy"])


def of_dram(way) -> float | None:
    """Of a call of one launch, the share that DRAM alone would take of the time of what it does."""
    if way.get("launches") != 1:
        return None
    us = way["us"] - 1e6 * (cards.LAUNCH + way["copies"] * cards.COPY)
    return way["dram"] / us if us > 0 else None  # one that does nothing


def _time(us):
    return f"{us / 1000:.3g} ms" if us >= 1000 else f"{us:.3g} µs"


def table(rows, card):
    """A table for a terminal."""
    from rich.table import Table

    made = Table(title=f"Prediction for {card.title}; nothing was measured")
    for title in _TITLES:
        made.add_column(title, justify="left" if title in _WORDS else "right")
    for row in rows:
        made.add_row(*cells(row))
    return made


def of_kernels(rows):
    """A table for a terminal: the kernels of each call that take most."""
    from rich.table import Table

    made = Table("call", "images", "kernel", title="Kernels")
    for title in ("launches", "predicted", "by", "occupancy"):
        made.add_column(title, justify="left" if title == "by" else "right")
    for row in rows:
        for way, of in (("gpu", ""), ("cucim", "cuCIM: ")):
            for name, count, us, bound, occupancy in row[way].get("kernels", ()):
                filled = "" if occupancy is None else f"{occupancy:.0%}"
                told = of + (name or "CuPy's own")
                call = spoken(row["function"]), row["images"]
                made.add_row(*call, told, f"{count:,}", _time(us), bound, filled)
    return made


def markdown(results) -> str:
    """The tables of the page.

    Parameters
    ----------
    results : dict
        Rows by card.
    """
    lines = ["### Published numbers", "", *_published(), "", "### Cards", "", *_cards(), ""]
    for name, rows in results.items():
        for side in sorted({row["side"] for row in rows}):
            of_side = [row for row in rows if row["side"] == side]
            lines += [f"### {cards.CARDS[name].title}, {side} x {side}", ""]
            lines += [*_summary(of_side, name), "", _head(), _rule()]
            lines += [f"| {' | '.join(cells(row))} |" for row in of_side]
            lines += [
                "",
                *_left_out(of_side),
                "",
                *_slower(of_side, name),
                "",
                *_doubles(of_side, name),
                "",
            ]
    return "\n".join(lines)


def _head():
    return f"| {' | '.join(_TITLES)} |"


def _rule():
    sides = ("---" if title in _WORDS else "---:" for title in _TITLES)
    return f"| {' | '.join(sides)} |"


def mean_of(rows) -> float:
    """Geometric mean of the ratios of calls that both have."""
    return statistics.geometric_mean(filter(None, map(ratio_of, rows)))


def _summary(rows, card):
    """Geometric means over the calls that both have, and what bounds this package's."""
    found = [(ratio, row) for row in rows if (ratio := ratio_of(row))]
    if not found:
        return
    mean = mean_of(rows)
    yield (
        f"- cuCIM's calls are predicted to take {mean:.2f} times as long (geometric mean of"
        f" {len(found)} calls of {len({row['function'] for _, row in found})} functions)."
    )
    held = [(r, row) for r, row in found if row["gpu"]["bound"] not in ("launch", "copy")]
    if held:
        mean = statistics.geometric_mean(ratio for ratio, _ in held)
        yield (
            f"- Of those that neither launches nor copies to the host bound here {mean:.2f} times"
            f" ({len(held)} calls)."
        )
    by = {}
    for row in rows:
        if bound := row["gpu"].get("bound"):
            by[bound] = by.get(bound, 0) + 1
    told = (f"{bound} {count}" for bound, count in sorted(by.items(), key=lambda x: -x[1]))
    yield f"- What bounds the calls of this package: {', '.join(told)}."
    single = [row["gpu"] for row in rows if row["gpu"].get("launches") == 1]
    single = [way for way in single if not way["copies"]]
    if single and card in AIMS:
        fast = sum((of_dram(way) or 0) >= AIMS[card] for way in single)
        yield (
            f"- Of {len(single)} calls of one launch that copy nothing to the host {fast} reach"
            f" {AIMS[card]:.0%} of DRAM's bandwidth; the others' rows name what they wait for."
        )


def _slower(rows, card):
    """What is predicted to take longer than cuCIM's, why, and what it would take by cuCIM."""
    ways, by_cucim = {}, slower.by_cucim()
    for row in rows:
        if us := by_cucim.get(slower.key_of(card, row)):
            call = spoken(row["function"]), row["images"]
            ways[call] = f"; by cuCIM {us / row['gpu']['us']:.2f}"
    told = {
        reason: (
            f"{name} of {images} ({ratio:.2f}{ways.get((name, images), '')})"
            for name, images, ratio in calls
        )
        for reason, calls in slower.calls_of(rows).items()
    }
    heading = "calls (cuCIM's time over this package's; by cuCIM: where this package runs it)"
    yield from _reasons("Predicted to take longer than cuCIM's:", heading, told)


def _doubles(rows, card):
    """What has more operations in double than it should, where they are slow, and why."""
    rates = cards.RATES[cards.CARDS[card].capability]
    found = doubles.above(rows) if rates.double * _SLOW <= rates.single else {}
    told = {
        reason: (f"{name} of {images} ({count:.0f})" for name, images, count in calls)
        for reason, calls in found.items()
    }
    title = f"More than {doubles.MOST} operations in double a pixel:"
    yield from _reasons(title, "calls, with their operations a pixel", told)


def _reasons(title, heading, told):
    """A table of calls by reason; none without calls."""
    if told:
        yield from (title, "", f"| why | {heading} |", "| --- | --- |")
    for reason, calls in told.items():
        yield f"| {reason} | {', '.join(calls)} |"


def _left_out(rows):
    refused = {}
    for row in rows:
        for way in ("gpu", "cucim"):
            if why := row[way].get("refused"):
                kind, _, told = why.partition(":")
                why = _REASONS.get((way, kind), f"{way}, {kind}:{told}")
                refused.setdefault(why, []).append(spoken(row["function"]))
    for why, names in sorted(refused.items()):
        yield f"- {why}: {', '.join(dict.fromkeys(names))}"


_SLOW = 16  # operations in single precision in the time of one in double
_REASONS = {
    ("cucim", "AttributeError"): "cuCIM has none of",
    ("cucim", "TooLong"): "cuCIM's call was not predicted, since that took too long here",
    ("gpu", "TooLong"): "the call was not predicted, since that took too long here",
    ("gpu", "HostOnly"): "runs on the host with these arguments",
}


def _cards():
    yield "| card | multiprocessors | clock | memory | second cache | double | source |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for card in cards.CARDS.values():
        rates = cards.RATES[card.capability]
        yield (
            f"| {card.title} | {card.multiprocessors} | {card.clock / 1e9:.2f} GHz"
            f" | {card.bandwidth / 1e9:,.0f} GB/s | {card.l2 // cards.MIB} MiB"
            f" | 1/{rates.single // rates.double} | {card.source} |"
        )


def _published():
    yield "| what | card | published | predicted | predicted / published | source |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for each in PUBLISHED:
        card = cards.CARDS[each.card].title
        ratio = each.predicted / each.published
        yield (
            f"| {each.what} | {card} | {_time(each.published)} | {_time(each.predicted)}"
            f" | {ratio:.2f} | {each.source} |"
        )


def main() -> int:
    """Make all cards' rows of the launches that are kept, and the page's tables of them."""
    for kind in {*map(kind_of, cards.CARDS.values())}:
        tidy(kind)
    results = {name: rows for name in cards.CARDS if (rows := rows_of(name))}
    for name, rows in results.items():
        text = ",\n".join(map(json.dumps, rows))
        (RESULTS / f"{name}.json").write_text(f"[\n{text}\n]\n")
    PAGE.write_text(markdown(results) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
