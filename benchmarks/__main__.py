"""Every function next to scikit-image and cuCIM: `python -m benchmarks [name ...]`.

The standard call of each function whose name has one of the parts, square images of 512 and 2048
pixels a side and volumes of 160 x 160 x 160 voxels:

- NumPy arrays in and out: scikit-image on the CPU, the backend, and cuCIM where it is installed,
  with the copies that it needs, in turns; medians of whole calls.
- CuPy arrays in and out: the backend and cuCIM, in turns; medians of the device's time. Copies hold
  the stream up while the host requests the work, so that the host's time, which is reported
  separately, is not part of it. A call that waits for the device is timed as it is and marked.

With ``SKIMAGE_GPU_SIMULATOR=1`` times are the CPU's and say nothing about a GPU; of calls with CuPy
arrays launches and bytes are counted instead. Each row goes to ``functions.json`` and
``functions.md`` and is not measured again: the same command continues where it was cut.
"""

import functools
import statistics

from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.catalog import spoken

from . import timing
from .environment import parser
from .rows import Rows, milliseconds, missing, place, table

SIDES = (512, 2048)
VOLUME = 160  # voxels a side
VOLUMES = "float32 volume"


def main(arguments=None):
    command = parser("benchmarks", __doc__)
    command.add_argument("names", nargs="*", help="parts of functions' names; default: all")
    command.add_argument("--sides", type=int, nargs="+", default=SIDES, help="pixels, growing")
    command.add_argument("--limit", type=float, default=5, help="seconds that a call may take")
    options = command.parse_args(arguments)
    choose_device()
    from cuda_simulator import active

    from .ways import take_all_sizes

    take_all_sizes()
    timer = None if active() else timing.Timer()
    bandwidth = {"copy_bandwidth": timer.bandwidth} if timer else {}
    rows = Rows("functions", "benchmarks", options.out, page, **bandwidth)
    for key, arguments in _calls(options.names, options.sides):
        if not rows.of(**key):
            rows.add(key | _measured(key, arguments, rows, timer, options.limit))


def _calls(names, sides):
    """What identifies a row, and the call's arguments: all functions at one size, then the next."""
    from tests.differential.inputs import forget

    from .calls import named, sized, standard_calls, volume

    for side in sides:
        for name, images, arguments in standard_calls(names):
            yield (
                {"function": name, "images": images, "side": side},
                functools.partial(sized, name, arguments, side),
            )
            forget()
    for sweep in named(names):
        if arguments := volume(sweep, VOLUME):
            key = {"function": sweep.name, "images": VOLUMES, "side": VOLUME}
            yield key, lambda arguments=arguments: arguments
            forget()


def _measured(key, arguments, rows, timer, limit):
    """What each way takes: `arguments` makes the call's."""
    from . import ways

    call = ways.Call(key["function"], arguments())
    smaller = rows.smaller(**key)
    found, runs = {}, {}
    for way in call.ways(ways.ON_HOST + ways.ON_DEVICE):
        expected = _expected(key["side"], smaller, way)
        if expected > limit:
            found[way] = {"left_out": f"would take {expected:.0f} s"}
        else:
            runs[way] = functools.partial(call.run, way)
    on_host = {way: run for way, run in runs.items() if way in ways.ON_HOST}
    on_device = {way: run for way, run in runs.items() if way in ways.ON_DEVICE}
    seen = timing.in_turns(on_host, limit=2 * limit)
    if timer:
        seen |= timing.on_device(timer, on_device, limit=0.1 * limit)
    else:
        seen |= {way: _counted(call, way, 10 * limit) for way in on_device}
    return found | ways.where_run(call, seen)


def _counted(call, way, limit):
    from .ways import counted

    try:
        with timing.within(limit):
            return counted(call, way)
    except (Exception, timing.TooLong) as error:
        return timing.refused(error)


def _expected(side, smaller, way):
    """Seconds that a way may take, by a smaller image's row."""
    us = smaller.get(way, {}).get("us", 0) if smaller else 0
    return 1e-6 * us * (side / smaller["side"]) ** 2 if us else 0


COLUMNS = {  # of the page: way -> its title
    "scikit-image": "scikit-image",
    "gpu NumPy": "gpu, NumPy",
    "cucim NumPy": "cuCIM, NumPy",
    "gpu": "gpu, CuPy",
    "cucim": "cuCIM, CuPy",
}


def page(where, rows) -> str:
    """Markdown: geometric means, a table of each size, and what was not measured."""
    lines = [f"# All functions, in milliseconds\n\n{place(where)}\n"]
    rows = [row for row in rows if not _is_no_volume(row)]
    for side in dict.fromkeys(row["side"] for row in rows):
        of_size = [row for row in rows if row["side"] == side]
        lines.append(f"## {side}\n")
        for other, ours in (("scikit-image", "gpu NumPy"), ("cucim", "gpu")):
            ratios = [r for row in of_size if (r := ratio(row, other, ours))]
            if ratios:
                mean = statistics.geometric_mean(ratios)
                lines.append(
                    f"{COLUMNS[other]} takes {mean:.2f} times as long as {COLUMNS[ours]}"
                    f" (geometric mean of {len(ratios)} calls; less time in"
                    f" {sum(r < 1 for r in ratios)}).\n"
                )
        cells = [
            [
                f"`{spoken(row['function'])}`",
                row["images"],
                *(milliseconds(row.get(way)) for way in COLUMNS),
                *(row.get(way, {}).get("launches", "") for way in ("gpu", "cucim")),
            ]
            for row in of_size
        ]
        counted = any("".join(map(str, row[-2:])) for row in cells)
        head = ["call", "images", *COLUMNS.values(), "launches", "cuCIM's"]
        shown = len(head) if counted else len(head) - 2
        lines.append(table(head[:shown], [row[:shown] for row in cells], texts=2))
        for row in of_size:
            lines += missing(f"`{spoken(row['function'])}` of {row['images']}", row)
        lines.append("")
    return "\n".join(lines)


def _is_no_volume(row):
    """Whether scikit-image refuses a volume in place of a plane."""
    return row["images"] == VOLUMES and "refused" in row["scikit-image"]


def ratio(row, other, ours):
    """How many times as long another way takes as ours; None where one has no time of its own."""
    seen = [row.get(way, {}) for way in (other, ours)]
    if any("us" not in each or each.get("waits") for each in seen):
        return None
    return seen[0]["us"] / seen[1]["us"]


if __name__ == "__main__":
    main()
