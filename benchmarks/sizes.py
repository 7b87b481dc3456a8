"""The table from which sizes are reckoned: `python -m benchmarks.sizes [name ...]`.

For every function with images, by class of dtypes and by work: the time that scikit-image
takes on this machine's CPU for three sizes, and what the GPU has to do: launches, copies, and
bytes per element that come back and that kernels move, as the call's plan says it; where there is
no plan or the data decides, as the simulator counts it. Times
are processor time of one thread, the shortest of several rounds. Writes
`skimage_gpu_backend/sizes/table.json`, which the package ships; with names (parts are enough)
only the rows of those functions change, and the run is noted beside the first one.
"""

import functools
import json
import os
import sys
import time
import warnings
from pathlib import Path

from skimage_gpu_backend.catalog import CATALOG

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "skimage_gpu_backend" / "sizes" / "table.json"
SIDES = (48, 192, 768)  # pixels
SECONDS = 0.3  # for each time
COUNTED = 128


def main(parts):
    """Measure the functions whose names have one of these parts, or all."""
    # before NumPy is imported: the processor time of other threads would count as well
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "SKIMAGE_BACKENDS_MIN_SIZE": "0",
    }
    os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
    from skimage_gpu_backend.availability import choose_device

    choose_device()
    warnings.simplefilter("ignore")
    from .environment import environment

    table = json.loads(TABLE.read_text()) if parts else {"where": [], "functions": {}}
    table["where"].append(environment("benchmarks.sizes"))
    rows = table["functions"]
    for name in sorted(CATALOG):
        if CATALOG[name].images and (not parts or any(part in name for part in parts)):
            rows[name] = _row(name)
            print(name, json.dumps(rows[name]), flush=True)
            _write(table)


def _row(name):
    """By class of dtypes, a list for each work, as `sizes/model.py` reads it."""
    from skimage_gpu_backend.sizes.calls import Call, variants

    row, counts = {}, {}
    # what the GPU does depends little on the dtype: it is counted in single precision
    found = sorted(variants(name), key=lambda variant: variant[0] != "float32")
    for dtypes, work, changes in found:
        if counts.get(work) is None:  # some functions take double precision only
            call = Call(name, dtypes, work, changes, COUNTED)
            counts[work] = _planned(call) or _counted(call)
        times = _times(name, dtypes, work, changes)
        if counts[work] and times:
            row.setdefault(dtypes, []).append([work, *times, *counts[work]])
    return dict(sorted(row.items()))


def _times(name, dtypes, work, changes):
    """Pairs of elements and microseconds, and bytes of the result for an element."""
    import numpy as np

    from skimage_gpu_backend.sizes.calls import ON_HOST_TOO, Call
    from skimage_gpu_backend.sizes.timing import by_scikit_image, fastest
    from tests.differential.check import inside

    points, each, sides = [], 0, [*SIDES]
    while sides:
        call = Call(name, dtypes, work, changes, sides.pop(0))
        if len(points) == 1 and each * call.elements > 4 * SECONDS:
            call = Call(name, dtypes, work, changes, 2 * SIDES[0])
            sides.clear()
        elif len(points) == 2 and each * call.elements > 4 * SECONDS:
            break
        try:
            results = inside(by_scikit_image(call), np.ndarray)
        except Exception as error:
            print(f"{name} of {dtypes}: {type(error).__name__}: {error}", file=sys.stderr)
            return None
        out = sum(array.nbytes for array in results) / call.elements
        run = functools.partial(by_scikit_image, call)
        (took,) = fastest(run, seconds=SECONDS, clock=time.process_time, least=2)
        points.append((call.elements, _digits(1e6 * took)))
        each = took / call.elements
    if name in ON_HOST_TOO:  # hardly anything else takes time in the smallest call
        least = ON_HOST_TOO[name] * points[0][1]
        points = [(elements, max(0.0, _digits(took - least))) for elements, took in points]
    return points, _digits(out)


def _planned(call):
    """What `_counted` gives, from the call's plan; None where that does not know it."""
    from skimage_gpu_backend import functions
    from skimage_gpu_backend.trouble import Declined

    try:
        plan = functions.plan(call.name, (), call.arguments)
    except Declined:
        return None
    if plan.launches is None or plan.cost is None:
        return None
    results = plan.launches.result
    copies = len(CATALOG[call.name].images) + (len(results) if isinstance(results, tuple) else 1)
    moved = plan.cost.read + plan.cost.written
    return plan.cost.launches, copies, _digits(moved / call.elements)


def _counted(call):
    """Launches, copies, and bytes per element that kernels move, or None: not taken."""
    from cuda_simulator import counters
    from skimage_gpu_backend.sizes.timing import by_backend
    from skimage_gpu_backend.trouble import DeviceTrouble

    try:
        for _ in range(2):  # the first call uploads what later ones find there
            start = time.perf_counter()
            with counters.counting() as seen:
                by_backend(call, "gpu")
            if time.perf_counter() - start > 20:
                break
    except DeviceTrouble as trouble:
        print(f"{call.name} of {call.dtypes}: {trouble}", file=sys.stderr)
        return None
    moved = seen.kernel_bytes_read + seen.kernel_bytes_written
    return seen.launches, seen.to_device + seen.to_host, _digits(moved / call.elements)


def _digits(number):
    """Three digits, which is more than these numbers are worth."""
    return float(f"{number:.3g}")


def _write(table):
    rows = table["functions"]
    runs = ",\n".join(map(json.dumps, table["where"]))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
    TABLE.write_text(f'{{"where": [\n{runs}\n],\n"functions": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
