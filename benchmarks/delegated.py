"""Launches and bytes of every function that cuCIM runs: `python -m benchmarks.delegated`.

The standard call of each function in `tests/differential/sweeps`, with device arrays of
512 x 512 and 4096 x 4096 pixels (volumes of as many voxels) in float32, uint8 and, where the
function takes channels, RGB, on the CUDA simulator, whose counters see every launch. The
numbers are of cuCIM's code and CuPy's interface: library calls and CuPy's own kernels count
one launch each, so a GPU makes at least as many. Nothing here is a time. Writes
`benchmarks/results/cpu-simulator/delegated.{md,json}`.
"""

import multiprocessing
import os
import sys
import time
import warnings

from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.catalog import CATALOG, spoken

from .calls import calls, sized
from .environment import environment, results_folder, write_rows

SIDES = (512, 4096)
LIMIT_S = 15  # a call is left out that would take longer on the simulator


def _counted(index):
    """Rows of one function."""
    warnings.simplefilter("ignore")
    from tests.differential.sweeps import SWEEPS

    sweep, rows = SWEEPS[index], []
    for label, call in calls(sweep):
        took = 0.0
        for side in SIDES:
            scale = (side / SIDES[0]) ** 2
            row = {"function": sweep.name, "images": label, "side": side}
            if took * scale > LIMIT_S:
                rows.append(row | {"left_out": f"would take {took * scale:.0f} s"})
                continue
            counted, took = _count(sweep.name, call, side)
            rows.append(row | counted)
    return rows


def _count(name, call, side):
    """Counters of one call, after one that compiled, and its seconds."""
    import cupy as cp

    from cuda_simulator import counters
    from skimage_gpu_backend import interface, use_backends
    from skimage_gpu_backend.adapt.values import replace
    from skimage_gpu_backend.trouble import DeviceTrouble
    from tests.differential.check import inside, listed
    from tests.differential.inputs import Input

    sizes = sized(name, call, side)
    arguments = replace(sizes, lambda v: cp.asarray(v.array()) if isinstance(v, Input) else v)
    with use_backends("cucim", output="cupy"):
        decision = interface.cucim.decide(name, (), arguments)
        if not decision:
            return {"left_out": f"declined: {decision.reason}"}, 0
        try:
            if side == SIDES[0]:
                listed(decision.run())
            start = time.perf_counter()
            with counters.counting() as counted:
                result = listed(decision.run())
            took = time.perf_counter() - start
        except DeviceTrouble as trouble:
            return {"left_out": f"declined: {trouble.reason}"}, 0
    useful = sum(array.nbytes for array in inside([arguments, result], cp.ndarray))
    return {
        "launches": counted.launches,
        "read": counted.kernel_bytes_read,
        "written": counted.kernel_bytes_written,
        "to_host": counted.to_host,
        "allocations": counted.allocations,
        "useful": useful,
    }, took


def markdown(rows, where):
    """The page: per side, functions by launches per useful megabyte."""
    lines = [
        "# Launches and bytes of the functions that cuCIM runs",
        "",
        *__doc__.strip().split("\n\n")[1].splitlines(),
        "",
        *(f"- {key}: {value}" for key, value in where.items()),
        "",
        "*useful*: inputs and outputs, each once. *moved*: bytes that kernels read and wrote, as",
        "a multiple of the useful ones. *to host*: copies there, each of which waits for the GPU.",
    ]
    for side in SIDES:
        counted = [r for r in rows if r["side"] == side and "launches" in r]
        counted.sort(key=lambda r: (-r["launches"] / max(r["useful"], 1), r["function"]))
        lines += [
            "",
            f"## {side} x {side}",
            "",
            "| function | images | launches | per useful MB | useful MB | moved | to host "
            "| allocations |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for r in counted:
            useful = max(r["useful"], 1)
            lines.append(
                f"| {spoken(r['function'])} | {r['images']} "
                f"| {r['launches']} | {1e6 * r['launches'] / useful:.3g} | {useful / 1e6:.3g} "
                f"| {(r['read'] + r['written']) / useful:.3g}x | {r['to_host']} "
                f"| {r['allocations']} |"
            )
        left_out = [r for r in rows if r["side"] == side and "left_out" in r]
        lines += ["", *(f"- {r['function']}, {r['images']}: {r['left_out']}" for r in left_out)]
    return "\n".join(lines) + "\n"


def main(parts):
    """Count the functions whose names have one of these parts, or all and write the page."""
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    choose_device()
    from tests.differential.sweeps import SWEEPS

    chosen = [
        index
        for index, sweep in enumerate(SWEEPS)
        if CATALOG[sweep.name].cucim and (not parts or any(part in sweep.name for part in parts))
    ]
    rows = []
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), choose_device) as pool:
        for found in pool.imap(_counted, chosen):
            rows += found
            print(*found, sep="\n", flush=True)
    if parts:
        return  # a part is no result to keep
    where = environment("benchmarks.delegated")
    folder = results_folder()
    (folder / "delegated.md").write_text(markdown(rows, where))
    write_rows(folder / "delegated.json", where, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
