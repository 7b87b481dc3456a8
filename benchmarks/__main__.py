"""scikit-image, cuCIM and this backend side by side: `python -m benchmarks [name ...]`.

Every function that has a kernel of this package, in one process and one run: scikit-image on
the CPU, cuCIM called directly, and the backend; with device arrays in and out, and with NumPy
arrays in and out. Square images of 256, 512, 2048 and 8192 pixels a side, or as the command
says, and a volume of 160 x 160 x 160 voxels, in float32, uint8 and, where it applies, RGB.

On a GPU times are measured: medians, for device arrays between events on the stream, the first
call apart; and which share of the bandwidth of a copy on the device they are, in the same run.
With `SKIMAGE_GPU_SIMULATOR=1` launches and bytes are counted; its times are the CPU's and say
nothing about a GPU. "1x" of bytes moved is each image read once and each result written once.

`side_by_side.{json,md,png}` in `benchmarks/results/<device>/` have the results of a run over
all functions. Under each table is what was not run, and why.
"""

import argparse
import json
import os
import time
import warnings

from skimage_gpu_backend.availability import choose_device

SIDES = (256, 512, 2048, 8192)
ROUNDS = 5


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of functions' names; default: all")
    parser.add_argument("--sides", type=int, nargs="+", default=SIDES, help="pixels")
    parser.add_argument("--limit", type=float, default=10, help="seconds that a call may take")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no function after")
    parser.add_argument("--resume", metavar="FILE", help="go on with what FILE does not name yet")
    options = parser.parse_args()
    os.environ["SKIMAGE_GPU_MIN_SIZE"] = "0"
    choose_device()
    warnings.simplefilter("ignore")
    from cuda_simulator import active
    from tests.differential.sweeps import SWEEPS
    from tests.done import Done

    from . import side_by_side
    from .environment import environment, results_folder, write_rows
    from .ways import copy_bandwidth

    chosen = [
        sweep
        for sweep in SWEEPS
        if not options.names or any(part in sweep.name for part in options.names)
    ]
    where = environment("benchmarks")
    if not active():
        where["copy_bandwidth"] = copy_bandwidth()
    rows, end = [], time.monotonic() + options.seconds
    results = results_folder() / "side_by_side.json"
    done = Done(options.resume)
    if results.exists():
        rows = [row for row in json.loads(results.read_text())["rows"] if row["function"] in done]
    for sweep in chosen:
        if sweep.name in done:
            continue
        if time.monotonic() > end:
            where.setdefault("not reached", []).append(sweep.name)
            continue
        for row in measured(sweep, options.sides, options.limit):
            rows.append(row)
            print(json.dumps(row), flush=True)
        if not options.names:  # a part is no result to keep
            write_rows(results, where, rows)
            done.add(sweep.name)
    if not options.names:
        results.with_suffix(".md").write_text(side_by_side.markdown(rows, where, __doc__))
        side_by_side.figure(rows, where, results.with_suffix(".png"))


def measured(sweep, sides, limit):
    """Yield a row for each kind of images and each size."""
    from tests.differential.inputs import forget

    from .calls import calls, sized, volume

    of_planes = None
    for images, call in calls(sweep):
        seconds = {}  # that a pixel took, by way
        of_planes = of_planes or seconds
        for side in sides:
            arguments = sized(sweep.name, call, side)
            yield _row(sweep.name, images, f"{side}^2", side**2, arguments, seconds, limit)
            forget()
    if call := volume(sweep):
        row = _row(sweep.name, "float32", "160^3", 160**3, call, of_planes, limit)
        if "refused" not in row["ways"]["scikit-image"]:
            yield row


def _row(name, images, size, pixels, arguments, seconds, limit):
    from .ways import Call, counted, first_call, is_counted, milliseconds, ways_of_run

    call = Call(name, arguments)
    ways = {way: {} for way in ways_of_run()}
    row = {"function": name, "images": images, "size": size, "source": call.source(), "ways": ways}
    rounds = {}
    for way, seen in ways.items():
        if seconds.get(way, 0) * pixels > limit:
            seen["left_out"] = f"would take {seconds[way] * pixels:.0f} s"
            continue
        try:
            seen["first_ms"], bytes_out = first_call(call, way)
        except Exception as error:
            seen["refused"] = f"{type(error).__name__}: {error}"
            continue
        row["bytes"] = call.bytes_in + bytes_out
        if is_counted(way):
            counts, took = counted(call, way)
            seen |= counts
            seconds[way] = took / pixels
        rounds[way] = 1 if seen["first_ms"] > 1000 else ROUNDS
    for way, ms in milliseconds(call, rounds).items():
        ways[way]["ms"] = ms
        seconds[way] = 1e-3 * ms / pixels
    return row


if __name__ == "__main__":
    main()
