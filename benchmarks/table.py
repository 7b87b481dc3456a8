"""The table of the README: `python -m benchmarks.table`.

Ten functions at three sizes, then five example scripts, NumPy arrays in and out: scikit-image on
this machine's CPU and the backend on its GPU, in turns. Times are medians of whole calls, and of
whole processes from start to end, imports included. The first call or run of each, which compiles
kernels, is reported separately.

Each row goes to ``table.json`` and ``table.md`` as soon as it is measured, and is not measured
again: the same command continues where it was cut. With ``SKIMAGE_GPU_SIMULATOR=1`` images are
small, and times are the CPU's and say nothing about a GPU.
"""

import functools

from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.catalog import spoken

from . import programs
from .environment import parser
from .rows import Rows, milliseconds, missing, number, place, table
from .timing import in_turns

SIDES = (512, 2048, 4096)
SMALL = (64, 128, 256)  # on the simulator
# Example -> its size, and that on the simulator.
SCRIPTS = {
    "immunohistochemistry": ("", ""),
    "ultrasound_quality": ("1024", "96"),
    "tv_tomography": ("512", "48"),
    "stain_normalization": ("256", "32"),
    "microscopy": ("768", "96"),
}
OURS = "gpu NumPy"


def main(arguments=None):
    command = parser("benchmarks.table", __doc__)
    command.add_argument("names", nargs="*", help="parts of functions' and scripts' names")
    command.add_argument("--sides", type=int, nargs="+", help="pixels")
    options = command.parse_args(arguments)
    choose_device()
    from cuda_simulator import active

    from .ways import configure

    configure(min_size=0)
    if active():
        print("on the simulator: small images, and times that say nothing about a GPU")
    rows = Rows("table", "benchmarks.table", options.out, page)
    sides = options.sides or (SMALL if active() else SIDES)
    for key, measure in [*_functions(options.names, sides), *_scripts(options.names, active())]:
        if not rows.of(**key):
            rows.add(key | measure())


def _functions(names, sides):
    """What identifies each row, and what measures it."""
    from .calls import of_table

    for side in sides:
        for name, images, arguments in of_table(names):
            key = {"function": name, "images": images, "side": side}
            yield key, functools.partial(_function, name, arguments, side)


def _function(name, arguments, side):
    import cupy as cp

    from tests.differential.inputs import forget

    from .calls import sized
    from .ways import Call, where_run

    call = Call(name, sized(name, arguments, side))
    forget()
    cp.get_default_memory_pool().free_all_blocks()
    runs = {way: functools.partial(call.run, way) for way in ("scikit-image", OURS)}
    return where_run(call, in_turns(runs, seconds=0.5))


def _scripts(names, small):
    for script, sizes in SCRIPTS.items():
        if not names or any(part in script for part in names):
            size = sizes[small]
            yield {"script": script, "size": size}, functools.partial(_script, script, size, small)


def _script(script, size, small):
    with programs.Program(script, [size, "numpy"] if size else []) as program:
        runs = {"scikit-image": program.without_backend, OURS: program.with_backend}
        return in_turns(runs, seconds=0 if small else 4, limit=120) | program.outputs()


def page(where, rows) -> str:
    """Markdown of the rows so far."""
    functions = [row for row in rows if "function" in row]
    of_size = {(row["function"], row["images"], row["side"]): row for row in functions}
    calls = dict.fromkeys((row["function"], row["images"]) for row in functions)
    sides = sorted({row["side"] for row in functions})
    head = ["function", "images", *(f"{side} x {side}" for side in sides)]
    cells = [
        [f"`{spoken(name)}`", images, *(_cell(of_size.get((name, images, n))) for n in sides)]
        for name, images in calls
    ]
    lines = [place(where), "", "Milliseconds of a call with NumPy arrays, scikit-image → gpu:", ""]
    lines += [table(head, cells, texts=2)]
    if scripts := [row for row in rows if "script" in row]:
        head = ["script", "size", "scikit-image → gpu", "first run"]
        cells = [
            [f"`{row['script']}.py`", row["size"], _cell(row), _first(row[OURS])] for row in scripts
        ]
        lines += ["Milliseconds of a whole script, from its start to its end:", ""]
        lines += [table(head, cells, texts=2)]
    for row in rows:
        call = row.get("script") or f"`{spoken(row['function'])}` at {row['side']} x {row['side']}"
        lines += missing(call, row)
    return "\n".join(lines).rstrip() + "\n"


def _cell(row):
    """Both times, and how many times as long scikit-image takes; "" where one is missing."""
    if row is None or "us" not in row["scikit-image"] or "us" not in row[OURS]:
        return ""
    ours, theirs = row[OURS], row["scikit-image"]
    ratio = number(float(f"{theirs['us'] / ours['us']:.2g}"))
    return f"{milliseconds(theirs)} → {milliseconds(ours)} ({ratio}x)"


def _first(seen):
    return number(1e-3 * seen["first_us"]) if "first_us" in seen else ""


if __name__ == "__main__":
    main()
