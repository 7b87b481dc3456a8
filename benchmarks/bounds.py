"""Kernels with other launch bounds, timed on this machine's GPU: `python -m benchmarks.bounds`.

For each standard call with arrays on the device: the time of its kernels as they are, with
registers that allow a multiprocessor 768, 1,024 and 1,280 threads at a time, with two floats in
place of doubles (as on cards that are slow in double; with whether results are the same to the last
bit), and of cuCIM. Each row goes to ``bounds.json`` and is not timed again. Without a GPU nothing
is timed.
"""

import argparse
import re
import sys

import numpy as np

from . import timing
from .environment import OUT
from .rows import Rows

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

    def runs_of(self, call, declined):
        """Way -> callable."""

        def run(way):
            self.take(way)
            return call.run("gpu")

        runs = {way: lambda way=way: run(way) for way in ([] if declined else self.texts)}
        return runs | {way: lambda: call.run("cucim") for way in call.ways(["cucim"])}


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
    parser.add_argument("--out", default=OUT, help="folder of results")
    options = parser.parse_args(arguments)
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    from cuda_simulator import active

    if active():
        print("there is no GPU: nothing is timed")
        return 0
    from .calls import sized, standard_calls
    from .ways import Call, configure

    configure(min_size=0)
    timer, ways = timing.Timer(), Ways()
    rows = Rows("bounds", "benchmarks.bounds", options.out, copy_bandwidth=timer.bandwidth)
    for name, images, arguments in standard_calls(options.functions):
        row = {"function": name, "images": images, "side": options.side}
        if rows.of(**row):
            continue
        call = Call(name, sized(name, arguments, options.side))
        if why := call.fallback("gpu"):
            row["declined"] = why
        runs = ways.runs_of(call, why)
        row |= timing.on_device(timer, runs, options.limit)
        if "us" in row.get("floats", {}):
            row["same in floats"] = same(runs["gpu"](), runs["floats"]())
        ways.take("gpu")
        rows.add(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
