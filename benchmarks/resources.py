"""Registers, stack, shared memory and instructions of all kernels.

    python -m benchmarks.resources
    python -m benchmarks.resources restoration/dwt.cu

They are read from the machine code that users get, with NVIDIA's compiler and tools (``pip install
skimage-gpu-backend[test]``) and no GPU. All take half an hour. Nothing is timed: they are hints.

Printed is a table with the specialization of each kernel that has most registers on `MAIN`, with
its occupancy on the architectures of `SHOWN`. ``resources.json`` gets all specializations, each
also with the number of its instructions if the compiler might fuse products with sums, which it may
not.
"""

import argparse
import functools
import json
import os
import sys
from pathlib import Path
from unittest import mock

from .architectures import occupancy
from .environment import OUT

MAIN = "9.0"
SHOWN = ("7.5", "8.6", "8.9", "9.0", "12.0")
THREADS = 256  # of a block, where no launch is known


def main(arguments=None) -> int:
    """Write the file and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.resources", description=__doc__.partition("\n")[0]
    )
    told = "of a kernel below kernels/, as restoration/dwt.cu; default: all"
    parser.add_argument("sources", nargs="*", metavar="FILE", help=told)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of results")
    options = parser.parse_args(arguments)
    asked = options.sources
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    from rich.console import Console
    from rich.progress import track

    from skimage_gpu_backend.device import compile
    from tests.kernels import cubin, resources
    from tests.kernels.largest import largest

    progress = functools.partial(track, console=Console(stderr=True))
    launches, kernels = largest(), {}
    fusing = tuple(option for option in compile.OPTIONS if option != "--fmad=false")
    modules = [each for each in resources.modules() if not asked or each[0] in asked]
    if missing := set(asked) - {source for source, _ in modules}:
        parser.error(f"no kernels in {', '.join(sorted(missing))}")
    for source, expressions in progress(modules, f"compiling for {MAIN}"):
        told = resources.with_mixes(source, expressions, MAIN)
        with mock.patch.object(compile, "OPTIONS", fusing):
            fused = resources.with_mixes(source, expressions, MAIN)
        for expression, (has, mix) in told.items():
            of_kernel = kernels.setdefault((source, expression.partition("<")[0]), {})
            of_kernel[expression] = [*has, *mix, fused[expression][1].instructions]
    rows = []
    for (source, kernel), found in progress(kernels.items(), "compiling for the others"):
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
    columns = [*cubin.Resources._fields, *cubin.Mix._fields, "fused"]
    lines = ",\n".join(map(json.dumps, rows))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "resources.json").write_text(
        f'{{"columns": {json.dumps(columns)}, "kernels": [\n{lines}\n]}}\n'
    )
    print(table(columns, rows))
    return 0


def table(columns, rows) -> str:
    """The specialization of each kernel that has most registers, in Markdown."""
    lines = [
        f"| kernel | registers | stack | shared | occupancy {', '.join(SHOWN)} "
        "| instructions | if fused | in double | conversions | 64-bit divisions |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in sorted(rows, key=lambda row: row["source"]):
        of = dict(zip(columns, row["specializations"][row["worst"]], strict=True))
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
    return "\n".join(lines)


def _percent(part, whole):
    return f"{part / whole:.0%}" if part else ""


if __name__ == "__main__":
    sys.exit(main())
