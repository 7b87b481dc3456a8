"""The command; see the package's docstring."""

import argparse
import sys

from benchmarks.environment import commit
from tests.done import Folder

from . import report, source
from .run import named, run


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("modules", nargs="*", help="some of scikit-image's modules; default: all")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="default: gpu")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("-k", help="only tests whose name matches; the page is not written")
    parser.add_argument(
        "--resident",
        action="store_true",
        help="results stay on the device, of any size; the page is not written",
    )
    parser.add_argument("--limit", type=float, default=3600, help="seconds a module may take")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with what FOLDER has of tests")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(source.modules())
    if unknown:
        names = ", ".join(source.modules())
        parser.error(f"no tests of {', '.join(sorted(unknown))}; there are {names}")
    device = named(options.device)
    results, done = {}, Folder(options.resume)
    began_at = commit()  # before a module's numbers are written into the tree
    how = {
        "resident": options.resident,
        "processes": options.n,
        "keyword": options.k,
        "limit": options.limit,
    }
    for module in options.modules or source.modules():
        if module in done:
            continue
        try:
            plain, backend = (
                run(module, backend=on, **how, resume=done.file(f"{module}-{way}"))
                for on, way in ((None, "plain"), (options.device, "backend"))
            )
        except KeyboardInterrupt:
            print(f"{module}: the time was up")
            return 1
        results[module] = report.compared(plain, backend) | {"commit": began_at}
        print(report.line(module, results[module]), flush=True)
        if not (options.k or options.resident):
            report.write({module: results[module]}, device)
        done.add(module)
    unexcused = [test for numbers in results.values() for test in report.unexcused(numbers)]
    print(f"{len(unexcused)} tests fail with the backend and are not excused")
    return 1 if unexcused else 0


if __name__ == "__main__":
    sys.exit(main())
