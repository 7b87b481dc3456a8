"""Runs sweeps, all or those of some functions, and writes the pages in ``docs``."""

import argparse
import multiprocessing
import os
import sys

from skimage_gpu_backend.availability import choose_device

from .one_sweep import seen_or_failure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("parts", nargs="*", help="parts of functions' names; default: all")
    parser.add_argument("-n", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    choose_device()
    from . import table
    from .record import load, save
    from .sweeps import SWEEPS

    chosen = [
        index
        for index, sweep in enumerate(SWEEPS)
        if not options.parts or any(part in sweep.name for part in options.parts)
    ]
    records, failures = load(), []
    with multiprocessing.get_context("spawn").Pool(options.n, choose_device) as pool:
        for index, (found, failure) in zip(chosen, pool.imap(seen_or_failure, chosen), strict=True):
            records[SWEEPS[index].name] = found
            failures += [failure] if failure else []
            print(SWEEPS[index].name, failure or "as scikit-image", flush=True)
    if not failures:
        save(records, (sweep.name for sweep in SWEEPS))
        table.PAGE.write_text(table.render(load()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
