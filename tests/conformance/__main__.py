"""The command; see the package's docstring."""

import argparse
import sys

from skimage_gpu_backend._status import device_name
from skimage_gpu_backend.availability import choose_device
from tests.done import Done

from . import report, source
from .run import run


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("modules", nargs="*", help="some of scikit-image's modules; default: all")
    parser.add_argument("-n", type=int, default=1, metavar="PROCESSES", help="default: 1")
    parser.add_argument("-k", help="only tests whose name matches; the page is not written")
    parser.add_argument(
        "--resident",
        action="store_true",
        help="results stay on the device, of any size; the page is not written",
    )
    parser.add_argument("--limit", type=float, default=3600, help="seconds a module may take")
    parser.add_argument("--resume", metavar="FILE", help="leave out modules that FILE names")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(source.modules())
    if unknown:
        names = ", ".join(source.modules())
        parser.error(f"no tests of {', '.join(sorted(unknown))}; there are {names}")
    choose_device()
    results, done = {}, Done(options.resume)
    for module in options.modules or source.modules():
        if module in done:
            continue
        how = {"resident": options.resident, "processes": options.n, "keyword": options.k}
        both = (run(module, backend=b, **how, limit=options.limit) for b in (False, True))
        results[module] = report.compared(*both)
        print(report.line(module, results[module]), flush=True)
        if not (options.k or options.resident):
            report.write({module: results[module]}, device_name())
        done.add(module)
    unexcused = [test for numbers in results.values() for test in report.unexcused(numbers)]
    print(f"{len(unexcused)} tests fail with the backend and are not excused")
    return 1 if unexcused else 0


if __name__ == "__main__":
    sys.exit(main())
