"""Predictions of times of calls on a card: `python -m benchmarks.predict [functions]`.

Nothing is measured. For each call of the benchmark, with arrays on the device, it tells the time
that the slowest part of each launch needs (memory, L2, instructions, double precision, shared
memory, atomics, the launch itself), and which part that is; and the same for cuCIM's call. The
simulator tells which kernels are launched with what; of each some blocks are followed in the
machine code that a GPU of the card's kind gets.

With ``--keep`` rows of standard calls go to ``benchmarks/results/prediction/<card>.json``, where
rows of other calls stay, and those that are there are not made again; ``python -m
benchmarks.predict.page`` makes the tables of the page of them.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

from . import cards

RESULTS = Path(__file__).parent.parent / "results" / "prediction"
SIDE = 2048


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.predict",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("functions", nargs="*", help="parts of functions' names; default: all")
    parser.add_argument("--card", choices=cards.CARDS, nargs="+", default=["h100"])
    parser.add_argument("--side", type=int, default=SIDE, help="pixels")
    parser.add_argument("--limit", type=float, default=120, help="seconds that a call may take")
    parser.add_argument("--keep", action="store_true", help="keep the rows")
    options = parser.parse_args(arguments)
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    os.environ["SKIMAGE_GPU_MIN_SIZE"] = "0"
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    warnings.simplefilter("ignore")
    from rich.console import Console

    from .calls import rows
    from .page import of_kernels, table

    kept = {card: _kept(card) if options.keep else [] for card in options.card}
    # those that are known of each card
    known = set.intersection(*(set(map(_order, rows)) for rows in kept.values()))
    made = {card: [] for card in options.card}
    limits = options.side, options.limit, known if options.keep else None
    for each in rows(options.functions, options.card, *limits):
        for card, row in each.items():
            made[card].append(row)
            if options.keep:
                kept[card] = [k for k in kept[card] if _order(k) != _order(row)] + [row]
                _keep(card, kept[card])
        if options.keep:
            print(row["function"], row["images"], flush=True)
    console = Console()
    for card, of_card in made.items():
        console.print(table(of_card, cards.CARDS[card]))
        if options.functions and not options.keep:
            console.print(of_kernels(of_card))
    return 0


def _kept(card):
    file = RESULTS / f"{card}.json"
    return json.loads(file.read_text()) if file.exists() else []


def _keep(card, rows):
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(map(json.dumps, sorted(rows, key=_order)))
    (RESULTS / f"{card}.json").write_text(f"[\n{text}\n]\n")


def _order(row):
    return row["function"], row["images"], row["side"]


if __name__ == "__main__":
    sys.exit(main())
