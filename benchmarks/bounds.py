"""Kernels with other launch bounds, timed on this machine's GPU: `python -m benchmarks.bounds`.

For each standard call with arrays on the device: the time of its kernels as they are, with
registers that allow a multiprocessor 768, 1,024 and 1,280 threads at a time, with two floats in
place of doubles (as on cards that are slow in double; whether results are the same to the last bit
is told), and of cuCIM. Rows go to ``bounds.json`` of this device's results; those that are there
are not timed again.
"""

import argparse
import re
import sys
import time

import numpy as np

from .predict import timed

RESIDENT = (768, 1024, 1280)
_BOUNDS = re.compile(r"__launch_bounds__\((\w+)(?:, *[^()]+)?\)")
_IN_DOUBLE = "__CUDA_ARCH__ != 900 &&"  # in kernels/common/float_sums.cuh


def with_bounds(text, resident) -> str:
    """A kernel file of which registers allow `resident` threads."""
    return _BOUNDS.sub(rf"__launch_bounds__(\1, ({resident} / (\1)))", text)


def in_floats(text) -> str:
    """A kernel file for a card with capability 9.0, as if that were slow in double."""
    return text.replace(_IN_DOUBLE, "")


class Ways:
    """A call by kernels of each kind; those that were loaded are kept apart."""

    def __init__(self):
        from skimage_gpu_backend.device.source import kernel_source

        self.texts = {"gpu": kernel_source, "floats": lambda name: in_floats(kernel_source(name))}
        for resident in RESIDENT:
            self.texts[str(resident)] = lambda name, r=resident: with_bounds(kernel_source(name), r)
        self._kept = {way: {} for way in self.texts}
        self._now = "gpu"

    def take(self, way):
        """Have the kernels of this kind loaded from now on."""
        from skimage_gpu_backend.device import loading

        if way != self._now:
            self._kept[self._now] = dict(loading.loaded)
            loading.loaded.clear()
            loading.loaded.update(self._kept[way])
            loading.kernel_source = self.texts[way]
            loading.forgotten = list(self.texts).index(way)  # prepared calls have theirs, too
            self._now = way

    def runs_of(self, call, source):
        """Way -> callable."""

        def run(way):
            self.take(way)
            return call.run("gpu")

        ways = self.texts if source == "kernel" else ["gpu"]
        runs = {way: lambda way=way: run(way) for way in ways}
        return runs | {"cucim": lambda: call.run("cucim")}


def same(one, other) -> bool:
    """Whether two results are equal to the last bit."""
    import cupy as cp

    from tests.differential.check import inside

    pairs = zip(*(inside(each, cp.ndarray | np.ndarray) for each in (one, other)), strict=True)
    return all(cp.asnumpy(a).tobytes() == cp.asnumpy(b).tobytes() for a, b in pairs)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bounds", description=__doc__)
    parser.add_argument("functions", nargs="*", help="parts of functions' names; default: all")
    parser.add_argument("--side", type=int, default=2048, help="pixels")
    parser.add_argument("--limit", type=float, default=0.06, help="seconds, of a call timed once")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no call after")
    options = parser.parse_args(arguments)
    end = time.monotonic() + options.seconds
    if not timed.there():
        return 0
    timer, ways = timed.Timer(), Ways()
    rows = timed.Rows("bounds.json", "benchmarks.bounds", timer)
    for name, images, call in rows.calls(options.functions, options.side):
        if time.monotonic() > end:
            print("the time is up; the same command goes on")
            break
        source = call.source()
        runs = ways.runs_of(call, source)
        row = {"function": name, "images": images, "side": options.side, "source": source}
        row |= timed.timed(timer, runs, options.limit)
        if "us" in row.get("floats", {}):
            row["same in floats"] = same(runs["gpu"](), runs["floats"]())
        ways.take("gpu")
        rows.add(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
