"""The command; see the package's docstring."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.conformance import source
from tests.conformance.run import named

from . import report
from .run import compared


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gallery")
    parser.add_argument("names", nargs="*", help="parts of the examples' names; default: all")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="default: gpu")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a run may take")
    options = parser.parse_args(arguments)
    device = named(options.device)
    examples = source.examples()
    chosen = {
        name: script
        for name, script in examples.items()
        if not options.names or any(part in name for part in options.names)
    }

    def run(name):
        outcome = compared(chosen[name], options.limit, options.device)
        print(report.line(name, outcome), flush=True)
        return outcome

    with ThreadPoolExecutor(options.n) as pool:
        outcomes = dict(zip(chosen, pool.map(run, chosen), strict=True))
    report.write(outcomes, device)
    return int(any(report.unexcused(name, outcome) for name, outcome in outcomes.items()))


if __name__ == "__main__":
    sys.exit(main())
