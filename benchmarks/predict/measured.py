"""Predictions beside what this machine's GPU measured: `python -m benchmarks.predict.measured`.

It takes the times that `python -m benchmarks.predict.timed` measured on this device and the rows of
predictions for a card of its name, and writes ``prediction.md`` beside the times: each call with
both, and first those that were predicted wrong by more than 1.5 times. Calls in which the host
waits for the device are left out.
"""

import json
import statistics
import sys

from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.catalog import spoken

from . import cards
from .rows import RESULTS

WRONG = 1.5
WAYS = {"gpu": "this package", "cucim": "cuCIM"}


def pairs(predictions, times):
    """Yield call, images, side, way, predicted and measured microseconds of what has both.

    Calls in which the host waits for the device are left out: its time is in theirs.

    Parameters
    ----------
    predictions : list of dict
        Rows of `benchmarks.predict`.
    times : list of dict
        Rows of `benchmarks.predict.timed`.
    """
    known = {(row["function"], row["images"], row["side"]): row for row in predictions}
    for row in times:
        which = row["function"], row["images"], row["side"]
        for way in WAYS if which in known else ():
            predicted, seen = known[which][way].get("us"), row[way].get("us")
            if predicted and seen and not row[way].get("waits"):
                yield spoken(row["function"]), *which[1:], way, predicted, seen


def markdown(found, title, copy=None) -> str:
    """The page.

    Parameters
    ----------
    found : list
        What `pairs` gives.
    title : str
        Of the card.
    copy : tuple of float, optional
        Bytes a second of a copy, predicted and measured.
    """
    found = sorted(found, key=lambda each: -max(each[-2] / each[-1], each[-1] / each[-2]))
    wrong = [each for each in found if not 1 / WRONG <= each[-1] / each[-2] <= WRONG]
    lines = [f"# Predicted and measured on the {title}", ""]
    if copy:
        lines += [
            "- a copy: predicted {:.0f} GB/s, measured {:.0f}".format(*(b / 1e9 for b in copy))
        ]
    for way, name in WAYS.items():
        ratios = [seen / predicted for *_, which, predicted, seen in found if which == way]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            lines.append(
                f"- {name}: measured is {mean:.2f} times predicted, of {len(ratios)} calls"
            )
    lines += ["", f"## Wrong by more than {WRONG} times: {len(wrong)} of {len(found)}", ""]
    lines += [*_table(wrong), "", "## The others", "", *_table(found[len(wrong) :])]
    return "\n".join(lines) + "\n"


def _table(rows):
    yield "| call | images | side | of | predicted | measured | measured / predicted |"
    yield "| --- | --- | ---: | --- | ---: | ---: | ---: |"
    for call, images, side, way, us, seen in rows:
        times = f"{us:.3g} µs | {seen:.3g} µs | {seen / us:.2f}"
        yield f"| {call} | {images} | {side} | {WAYS[way]} | {times} |"


def main() -> int:
    """Write the page for this machine's device."""
    choose_device()
    from benchmarks.environment import _device, results_folder

    folder, card = results_folder(), cards.there(_device())
    times = folder / "side_by_side.json"
    if card is None:
        print(f"{_device()} is none of the cards of benchmarks/predict/cards.py")
        return 0
    name = next(key for key, each in cards.CARDS.items() if each is card)
    rows = RESULTS / f"{name}.json"
    for file, command in (
        (rows, f"python -m benchmarks.predict --card {name} --keep"),
        (times, "python -m benchmarks.predict.timed"),
    ):
        if not file.exists():
            print(f"{file.name} of this card is not there: {command} makes it")
            return 0
    measured = json.loads(times.read_text())
    found = list(pairs(json.loads(rows.read_text()), measured["rows"]))
    seen = measured["where"].get("copy_bandwidth")
    copy = (cards.OF_NOMINAL * card.bandwidth, seen) if seen else None
    (folder / "prediction.md").write_text(markdown(found, card.title, copy))
    print(f"{len(found)} calls were predicted and measured: {folder / 'prediction.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
