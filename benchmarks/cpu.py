"""Every function on the CPU next to scikit-image: `python -m benchmarks.cpu [name ...]`.

The standard calls of each function whose name has one of the parts, with NumPy arrays: square
images of 512 and 2048 pixels a side and volumes of 160 x 160 x 160 voxels. scikit-image, the `cpu`
backend with one thread and with all threads run in turns in one process; medians of whole calls.
Calls in which `cpu` takes more time than scikit-image are measured three times, and the median of
the three is kept. The first results are compared with scikit-image's: a call whose results differ
is reported and not timed. Thresholds decide as for users; ``--min-size 0`` measures all calls.

``--memory`` measures the peak of the memory that a call allocates through Python and NumPy, results
included, arguments not. `tracemalloc` does not see what compiled code allocates by itself (SciPy's
FFTs, containers of C++, stacks of threads) and what earlier calls keep for later ones.

``--script`` measures a script of ten calls on an image of 4096 x 4096 pixels: time and largest
resident memory of the whole process.

Each row goes to ``cpu.json`` and ``cpu.md`` (``cpu_memory``, ``cpu_script``) and is not measured
again: the same command continues where it was cut. ``--report`` prints the page of the rows.
"""

import functools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from math import inf
from pathlib import Path

from skimage_gpu_backend.catalog import spoken

from .environment import ROOT, parser_of_calls, results_folder
from .rows import Rows, is_no_volume, milliseconds, missing, number, place, table
from .timing import TooLong, in_rounds, refused, within

THEIRS, *OURS = WAYS = ("scikit-image", "cpu, one thread", "cpu, all threads")
ROUNDS = 21
COMPILING = 120  # seconds that the kernels of a first call may take to compile
LEAST = 0.95  # of scikit-image's time over ours
MOST = 1.2  # times scikit-image's memory
SMALL = 1 << 16  # bytes of Python objects, which are not compared
SIDE = 4096  # of the script's image
ENVIRONMENTS = {  # of the script
    "scikit-image": {},
    "cpu, one thread": {"SKIMAGE_BACKENDS": "cpu", "SKIMAGE_BACKENDS_THREADS": "1"},
    "cpu, all threads": {"SKIMAGE_BACKENDS": "cpu"},
}


def main(arguments=None):
    command = parser_of_calls("benchmarks.cpu", __doc__, limit=120)
    command.add_argument("--min-size", type=int, help="as SKIMAGE_BACKENDS_MIN_SIZE")
    command.add_argument("--report", action="store_true", help="measure nothing")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--memory", action="store_true", help="measure peaks of memory")
    which.add_argument("--script", action="store_true", help="measure a script of ten calls")
    options = command.parse_args(arguments)
    name, page, measure = "cpu", page_of_times, _times
    if options.memory:
        name, page, measure = "cpu_memory", page_of_memory, _peaks
    elif options.script:
        name, page = "cpu_script", page_of_script
    if options.min_size is not None:
        name += f"_from_{options.min_size}"
    if not options.report:
        _bound_memory()
        from .ways import configure

        configure(options.min_size)
        rows = Rows(name, "benchmarks.cpu", options.out, page, on_cpu=True)
        if options.script:
            _add_script(rows)
        else:
            _add_calls(rows, options, measure)
    stored = results_folder(options.out, on_cpu=True) / f"{name}.json"
    print(page(**json.loads(stored.read_text())))


def _bound_memory():
    """Have a call that does not fit into memory raise `MemoryError`: the system would end us."""
    most = int(0.85 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _add_calls(rows, options, measure):
    from .calls import at_sizes

    for key, arguments in at_sizes(options.names, options.sides):
        if rows.of(**key):
            continue
        if left_out := rows.left_out(THEIRS, options.limit, **key):
            rows.add(key | {THEIRS: left_out})
        else:
            rows.add(key | _measured(key["function"], arguments, options.limit, measure))


def _measured(name, arguments, limit, measure):
    """What `measure` finds about the ways of a call, or why it cannot be measured."""
    from .ways import Call

    calls = {way: Call(name, arguments()) for way in WAYS}  # some write into their arguments
    try:
        with within(limit):
            expected = calls[THEIRS].run(THEIRS)
    except (Exception, TooLong) as error:
        return {THEIRS: refused(error)}
    for way in OURS:
        try:
            with within(10 * limit + COMPILING):
                result, declined = calls[way].observed(way)
            if declined:
                return {"cpu": {"declined": declined}}
            calls[way].compare(result, expected)
        except AssertionError as error:
            return {"cpu": {"differs": f"{error} ({way})"}}
        except (Exception, TooLong) as error:
            return {"cpu": refused(error)}
    del expected, result
    try:
        return measure({way: functools.partial(call.run, way) for way, call in calls.items()})
    except Exception as error:
        return {"cpu": refused(error)}


def _times(runs):
    found = [in_rounds(runs, rounds=ROUNDS)]
    if min(_ratio(found[0], way) for way in OURS) < 1:
        found += [in_rounds(runs, rounds=ROUNDS) for _ in range(2)]
    kept = {way: {"us": statistics.median(seen[way]["us"] for seen in found)} for way in WAYS}
    for way in OURS:
        kept[way]["ratio"] = round(statistics.median(_ratio(seen, way) for seen in found), 3)
    return kept


def _ratio(seen, way):
    return seen[THEIRS]["us"] / seen[way]["us"]


def _peaks(runs):
    return {way: _peak(run) for way, run in runs.items()}


def _peak(run):
    """Bytes that a call allocates at most, and its time while that is watched."""
    start = time.perf_counter()
    tracemalloc.start()
    try:
        result = run()
        _, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        tracemalloc.stop()
    return {"bytes": peak, "us": round(1e6 * (time.perf_counter() - start), 1)}


def _add_script(rows):
    """Run the script three times in each environment, after once that compiles kernels."""
    if rows.of(side=SIDE):
        return
    command = [sys.executable, ROOT / "benchmarks" / "ten_calls.py"]
    kept = "SKIMAGE_BACKENDS_MIN_SIZE"
    inherited = {k: v for k, v in os.environ.items() if k == kept or not k.startswith("SKIMAGE_")}
    peaks, outputs = {way: [] for way in WAYS}, set()

    def run(way):
        environment = inherited | ENVIRONMENTS[way]
        process = subprocess.Popen([*command, path], env=environment, stdout=subprocess.PIPE)
        outputs.add(process.stdout.read())
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"the script ended with status {status}")
        # Linux counts this process's memory at the start, too, which is less than the script's
        peaks[way].append(1024 * used.ru_maxrss)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nuclei.tif"
        subprocess.run([*command, path, str(SIDE)], env=inherited, check=True)
        runs = {way: functools.partial(run, way) for way in WAYS}
        for compile_kernels in runs.values():
            compile_kernels()
        found = in_rounds(runs, seconds=inf, rounds=3)
    for way in WAYS:
        found[way]["bytes"] = statistics.median(peaks[way][1:])
    rows.add({"side": SIDE, **found, "same_output": len(outputs) == 1})


def page_of_times(where, rows) -> str:
    """Markdown: a table of each size with what was not measured, and a summary."""
    lines = [f"# All functions on the CPU, in milliseconds\n\n{place(where)}\n"]
    lines += _tables(rows, [*WAYS, "ratio, one thread", "ratio, all threads"], _cells_of_times)
    lines.append(
        "## Summary\n\nA ratio is scikit-image's time over ours, that of a function the geometric"
        " mean of its calls. A call that is declined or fails counts 1.\n"
    )
    head = ["size", "functions", "taken", "one thread", "all threads", f"below {LEAST}", "failed"]
    summaries = [_summary(side, of_size) for side, of_size in _by_size(rows)]
    lines.append(table(head, [cells for cells, _ in summaries]))
    lines += [line for _, calls in summaries for line in calls]
    return "\n".join(lines) + "\n"


def _cells_of_times(row):
    ratios = (row.get(way, {}).get("ratio", "") for way in OURS)
    return [*(milliseconds(row.get(way)) for way in WAYS), *ratios]


def _summary(side, rows):
    """Cells of a row, and the calls that are too slow or fail."""
    ratios, taken, slow, failed = {}, set(), [], []
    for row in rows:
        if "cpu" in row:
            both = (1.0, 1.0)
            failed += [] if "declined" in row["cpu"] else missing(f"{_call(row)}, {side}", row)
        elif "ratio" in row.get(OURS[0], {}):
            both = tuple(row[way]["ratio"] for way in OURS)
            taken.add(row["function"])
        else:  # nothing to compare with
            continue
        ratios.setdefault(row["function"], []).append(both)
        if min(both) < LEAST:
            slow.append(f"- {_call(row)}, {side}: {both[0]} with one thread, {both[1]} with all")
    of_functions = [
        map(statistics.geometric_mean, zip(*calls, strict=True)) for calls in ratios.values()
    ]
    means = [f"{statistics.geometric_mean(ways):.2f}" for ways in zip(*of_functions, strict=True)]
    counts = len(slow), len(failed)
    return [side, len(ratios), len(taken), *(means or ["", ""]), *counts], slow + failed


def page_of_memory(where, rows) -> str:
    """Markdown: a table of each size with what was not measured, and calls that need too much."""
    lines = [f"# Peak memory of all functions on the CPU, in MB\n\n{place(where)}\n"]
    lines += _tables(rows, [*WAYS, "ratio"], _cells_of_memory)
    larger = [row for row in rows if _needs_more(row)]
    lines.append(f"## More than {MOST} times scikit-image's: {len(larger)} calls\n")
    lines += [f"- {_call(row)}, {row['side']}: {_cells_of_memory(row)[-1]}" for row in larger]
    return "\n".join(lines) + "\n"


def _cells_of_memory(row):
    theirs, *ours = (row.get(way, {}).get("bytes", 0) for way in WAYS)
    ratio = number(max(ours) / theirs) if theirs else ""
    return [*(number(1e-6 * each) if each else "" for each in (theirs, *ours)), ratio]


def _needs_more(row):
    theirs, *ours = (row.get(way, {}).get("bytes", 0) for way in WAYS)
    return max(ours) > MOST * theirs + SMALL


def page_of_script(where, rows) -> str:
    """Markdown: seconds and peak memory of each script."""
    (row,) = rows
    cells = [[way, *(number(1e-6 * row[way][key]) for key in ("us", "bytes"))] for way in WAYS]
    same = "the same" if row["same_output"] else "NOT the same"
    return (
        f"# A script of ten calls, {row['side']} x {row['side']} pixels\n\n{place(where)}\n\n"
        f"{table(['', 'seconds', 'peak memory, MB'], cells)}\nThe outputs are {same}.\n"
    )


def _by_size(rows):
    rows = [row for row in rows if not is_no_volume(row)]
    for side in dict.fromkeys(row["side"] for row in rows):
        yield side, [row for row in rows if row["side"] == side]


def _tables(rows, columns, cells):
    """Lines of Markdown: for each size a table, and the calls without numbers."""
    lines, head = [], ["call", "images", *columns]
    for side, of_size in _by_size(rows):
        measured = [row for row in of_size if OURS[0] in row]
        shown = [[f"`{spoken(row['function'])}`", row["images"], *cells(row)] for row in measured]
        lines += [f"## {side}\n", table(head, shown, texts=2)]
        lines += [line for row in of_size for line in missing(_call(row), row)]
        lines.append("")
    return lines


def _call(row):
    return f"`{spoken(row['function'])}` of {row['images']}"


if __name__ == "__main__":
    main()
