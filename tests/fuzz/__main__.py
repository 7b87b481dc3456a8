"""Random calls of functions that run on the device, compared with scikit-image's own results.

A call that differs is made small and printed as a program; all that was found goes into a JSON
file. The calls follow from the seed: ``--seed S --functions NAME --count 1`` runs the one that was
told with this seed again.
"""

import argparse
import sys
import time
from pathlib import Path

from skimage_gpu_backend.availability import choose_device


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="of the first call; default: any")
    parser.add_argument("--count", type=int, default=10_000, help="calls; default: 10000")
    parser.add_argument("--functions", default="*", help='as "filters.*"; default: all')
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    options = parser.parse_args()
    choose_device()
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from .process import events
    from .report import Report
    from .run import names

    functions = names(options.functions)
    if not functions:
        parser.error(f"no function is called {options.functions}")
    seed = time.time_ns() % 2**32 if options.seed is None else options.seed
    report, file = Report(seed), Path(f"fuzz-{seed}.json")
    columns = (BarColumn(), MofNCompleteColumn(), Remaining(), TextColumn("{task.description}"))
    end = time.monotonic() + 60 * options.minutes
    with Progress(*columns) as progress:
        task = progress.add_task("", total=options.count)
        for event in events(functions, seed, options.count):
            report.add(event)
            for found in event.found:
                if found.program:
                    progress.console.print(f"{found.name}: {found.kind}: {found.told}"[:200])
                    report.save(file)
            told = f"{len(report.found)} found, {event.name}"
            progress.update(task, advance=1, description=told)
            if time.monotonic() > end:
                break
    report.save(file)
    print("\n".join(report.lines()))
    print(f"written to {file}")
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
