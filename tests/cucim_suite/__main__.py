"""The command; see the package's docstring."""

import argparse
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from tests.done import Done

from . import expected, report, suite
from .runner import run_module, stop


def main(arguments=None) -> int:
    modules = suite.modules()
    parser = argparse.ArgumentParser(prog="python -m tests.cucim_suite")
    parser.add_argument("modules", nargs="*", help=f"some of {', '.join(modules)}; default: all")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("-k", help="only tests whose name matches; the table is not written")
    parser.add_argument("--limit", type=float, default=300, help="seconds a test may take")
    parser.add_argument("--resume", metavar="FILE", help="leave out modules that FILE names")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(modules)
    if unknown:
        parser.error(f"cuCIM has no tests of {', '.join(sorted(unknown))}")
    done, written = Done(options.resume), threading.Lock()
    chosen = [name for name in options.modules or modules if name not in done]
    chosen.sort(key=suite.size_of_tests, reverse=True)

    def run(name):
        outcome = run_module(name, options.limit, options.k)
        print(report.line(name, outcome), flush=True)
        if not options.k:
            with written:
                report.write({name: outcome})
        done.add(name)
        return name, outcome

    with ThreadPoolExecutor(options.n) as pool:
        try:
            outcomes = dict(pool.map(run, chosen))
        except KeyboardInterrupt:
            stop()
            pool.shutdown(cancel_futures=True)
            raise

    complaints = expected.complaints(outcomes, complete=not options.k)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
