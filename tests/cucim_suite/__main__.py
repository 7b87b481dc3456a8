"""The command; see the package's docstring."""

import argparse
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait

from tests.done import Folder

from . import expected, report, suite
from .runner import run_module, stop


def main(arguments=None) -> int:
    modules = suite.modules()
    parser = argparse.ArgumentParser(prog="python -m tests.cucim_suite")
    parser.add_argument("modules", nargs="*", help=f"some of {', '.join(modules)}; default: all")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("-k", help="only tests whose name matches; the table is not written")
    parser.add_argument("--limit", type=float, default=300, help="seconds a test may take")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with what FOLDER has of tests")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(modules)
    if unknown:
        parser.error(f"cuCIM has no tests of {', '.join(sorted(unknown))}")
    done, written = Folder(options.resume), threading.Lock()
    chosen = [name for name in options.modules or modules if name not in done]
    chosen.sort(key=suite.size_of_tests, reverse=True)

    def run(name):
        outcome = run_module(name, options.limit, options.k, done.file(name))
        print(report.line(name, outcome), flush=True)
        if outcome.cut:
            return name, outcome
        if not options.k:
            with written:
                report.write({name: outcome})
        done.add(name)
        return name, outcome

    with ThreadPoolExecutor(options.n) as pool:
        running = [pool.submit(run, name) for name in chosen]
        try:
            wait(running)
        except KeyboardInterrupt:
            stop()
            pool.shutdown(cancel_futures=True)

    outcomes = dict(future.result() for future in running if not future.cancelled())
    whole = not (options.k or any(outcome.cut for outcome in outcomes.values()))
    complaints = expected.complaints(outcomes, complete=whole)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
