"""Predictions of times of calls on a card: `python -m benchmarks.predict [functions]`.

Nothing is measured. For each call of the benchmark, with arrays on the device, it tells the time
that the slowest part of each launch needs (memory, L2, instructions, double precision, shared
memory, atomics, the launch itself), and which part that is; and the same for cuCIM's call. The
simulator tells which kernels are launched with what; of each some blocks are followed in the
machine code that a GPU of the card's kind gets.

With ``--keep`` the launches of standard calls go to ``benchmarks/results/prediction/launches``,
where those of other calls stay, and those that are there are not followed again; ``python -m
benchmarks.predict.page`` makes rows for each card and the tables of the page of them.
"""

import argparse
import os
import sys
import warnings

from . import cards

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
    parser.add_argument("--keep", action="store_true", help="keep the launches")
    options = parser.parse_args(arguments)
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    os.environ["SKIMAGE_GPU_MIN_SIZE"] = "0"
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    warnings.simplefilter("ignore")
    from rich.console import Console

    from .calls import launched
    from .page import of_kernels, table
    from .rows import add, calls_of, kind_of, row_of, which

    shown = [cards.CARDS[name] for name in options.card]
    kinds = {kind_of(card): card for card in shown}
    known = None
    if options.keep:  # what is known of each kind
        known = set.intersection(*({*map(which, calls_of(kind))} for kind in kinds))
    made = [[] for _ in shown]
    limits = options.side, options.limit, known
    for each in launched(options.functions, kinds.values(), *limits):
        for rows, card in zip(made, shown, strict=True):
            rows.append(row_of(each[kind_of(card)], card))
        if options.keep:
            for kind, call in each.items():
                add(kind, call)
            print(*which(made[0][-1]), flush=True)
    console = Console()
    for rows, card in zip(made, shown, strict=True):
        console.print(table(rows, card))
        if options.functions and not options.keep:
            console.print(of_kernels(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
