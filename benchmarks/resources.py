"""Registers, stack, shared memory and instructions of all kernels.

    python -m benchmarks.resources
    python -m benchmarks.resources restoration/dwt.cu

They are read from the machine code that users get, with NVIDIA's compiler and tools (``pip install
skimage-gpu-backend[test]``) and no GPU. Nothing is timed: what they mean for a time is a
prediction. All take half an hour; with files named only their rows change.
``benchmarks/results/resources.json`` gets all specializations on `MAIN`, each also with
the number of its instructions if the compiler might fuse products with sums, which it may not; and
of each kernel the one with most registers there on the architectures of `SHOWN`.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from unittest import mock

RESULTS = Path(__file__).parent / "results" / "resources.json"
MAIN = "9.0"
SHOWN = ("7.5", "8.6", "8.9", "9.0", "12.0")
THREADS = 256  # of a block, where no launch is known


def main(arguments=None) -> int:
    """Write the file; rows of named sources go to its end."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.resources", description=__doc__.partition("\n")[0]
    )
    told = "of a kernel below kernels/, as restoration/dwt.cu; default: all"
    parser.add_argument("sources", nargs="*", metavar="FILE", help=told)
    asked = parser.parse_args(arguments).sources
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    from rich.progress import track

    from skimage_gpu_backend.device import compile
    from tests.kernels import cubin, resources
    from tests.kernels.largest import largest

    launches, kernels = largest(), {}
    fusing = tuple(option for option in compile.OPTIONS if option != "--fmad=false")
    modules = [each for each in resources.modules() if not asked or each[0] in asked]
    if missing := set(asked) - {source for source, _ in modules}:
        parser.error(f"no kernels in {', '.join(sorted(missing))}")
    for source, expressions in track(modules, f"compiling for {MAIN}"):
        told = resources.with_mixes(source, expressions, MAIN)
        with mock.patch.object(compile, "OPTIONS", fusing):
            fused = resources.with_mixes(source, expressions, MAIN)
        for expression, (has, mix) in told.items():
            of_kernel = kernels.setdefault((source, expression.partition("<")[0]), {})
            of_kernel[expression] = [*has, *mix, fused[expression][1].instructions]
    rows = []
    for (source, kernel), found in track(kernels.items(), "compiling for the others"):
        worst = max(found, key=found.get)
        each = {c: resources.resources(source, (worst,), c)[worst] for c in SHOWN}
        dynamic, threads = launches.get((source, kernel), (0, THREADS))
        rows.append(
            {
                "source": source,
                "kernel": kernel,
                "threads": threads,
                "dynamic": dynamic,
                "worst": worst,
                "on": each,
                "specializations": found,
            }
        )
    if asked:
        before = json.loads(RESULTS.read_text())["kernels"]
        rows = [row for row in before if row["source"] not in asked] + rows
    lines = ",\n".join(map(json.dumps, rows))
    columns = json.dumps([*cubin.Resources._fields, *cubin.Mix._fields, "fused"])
    RESULTS.write_text(f'{{"columns": {columns}, "kernels": [\n{lines}\n]}}\n')
    return 0


def table() -> str:
    """The specialization of each kernel that has most registers, for a page."""
    from .architectures import occupancy

    lines = [
        f"| kernel | registers | stack | shared | occupancy {', '.join(SHOWN)} "
        "| instructions | if fused | in double | conversions | 64-bit divisions |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    told = json.loads(RESULTS.read_text())
    for row in sorted(told["kernels"], key=lambda row: row["source"]):
        of = dict(zip(told["columns"], row["specializations"][row["worst"]], strict=True))
        occupancies = []
        for capability, (registers, _, shared) in row["on"].items():
            shared += row["dynamic"]
            occupancies.append(f"{occupancy(capability, registers, row['threads'], shared):.0%}")
        cells = [
            f"`{row['source']}` `{row['worst']}`",
            of["registers"],
            of["stack"] or "",
            " + ".join(str(n) for n in (of["shared"], row["dynamic"]) if n),
            ", ".join(occupancies),
            of["instructions"],
            f"{of['fused'] / of['instructions'] - 1:+.0%}",
            _percent(of["double"], of["instructions"]),
            _percent(of["conversions"], of["instructions"]),
            of["divisions"] or "",
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _percent(part, whole):
    return f"{part / whole:.0%}" if part else ""


if __name__ == "__main__":
    sys.exit(main())
