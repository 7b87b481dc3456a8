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
from .environment import parser_of_calls
from .rows import Rows, is_no_volume, milliseconds, missing, place, table


def main(arguments=None):
    options = parser_of_calls("benchmarks", __doc__, limit=5).parse_args(arguments)
    choose_device()
    from cuda_simulator import active

    from .calls import at_sizes
    from .ways import configure

    configure(min_size=0)
    timer = None if active() else timing.Timer()
    bandwidth = {"copy_bandwidth": timer.bandwidth} if timer else {}
    rows = Rows("functions", "benchmarks", options.out, page, **bandwidth)
    for key, arguments in at_sizes(options.names, options.sides):
        if not rows.of(**key):
            rows.add(key | _measured(key, arguments, rows, timer, options.limit))


def _measured(key, arguments, rows, timer, limit):
    """What each way takes: `arguments` makes the call's."""
    from . import ways

    call = ways.Call(key["function"], arguments())
    found, runs = {}, {}
    for way in call.ways(ways.ON_HOST + ways.ON_DEVICE):
        if left_out := rows.left_out(way, limit, **key):
            found[way] = left_out
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
    rows = [row for row in rows if not is_no_volume(row)]
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


def ratio(row, other, ours):
    """How many times as long another way takes as ours; None where one has no time of its own."""
    seen = [row.get(way, {}) for way in (other, ours)]
    if any("us" not in each or each.get("waits") for each in seen):
        return None
    return seen[0]["us"] / seen[1]["us"]


if __name__ == "__main__":
    main()
