"""The command; see the package's docstring."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from . import expected, report, suite
from .runner import run_module


def main(arguments=None) -> int:
    modules = suite.modules()
    parser = argparse.ArgumentParser(prog="python -m tests.cucim_suite")
    parser.add_argument("modules", nargs="*", help=f"some of {', '.join(modules)}; default: all")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("-k", help="only tests whose name matches; the table is not written")
    parser.add_argument("--limit", type=float, default=300, help="seconds a test may take")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(modules)
    if unknown:
        parser.error(f"cuCIM has no tests of {', '.join(sorted(unknown))}")
    chosen = options.modules or list(modules)
    chosen.sort(key=suite.size_of_tests, reverse=True)

    def run(name):
        outcome = run_module(name, options.limit, options.k)
        print(report.line(name, outcome), flush=True)
        return name, outcome

    with ThreadPoolExecutor(options.n) as pool:
        outcomes = dict(pool.map(run, chosen))

    complaints = expected.complaints(outcomes, complete=not options.k)
    if not options.k:
        report.write(outcomes)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
