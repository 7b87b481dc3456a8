"""The sizes from which `cpu` takes a call, as shipped: `python -m benchmarks.cpu_sizes [FILE ...]`.

Writes `skimage_gpu_backend/sizes/cpu.json` from tables that `python -m skimage_gpu_backend tune
--device cpu` has measured: that of this machine, or the named ones, where a later one replaces
functions of those before. Functions that are in none stay as they are shipped. Each table says on
which CPU it was measured, when, and with which versions.
"""

import json
import sys
from pathlib import Path

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.sizes import machine, table

SHIPPED = Path(__file__).parent.parent / "skimage_gpu_backend" / "sizes" / "cpu.json"


def main(files):
    """Merge the tables and write the shipped one."""
    functions, where = {}, []
    for file in files or [table.path_of(machine.key("cpu"), "cpu")]:
        measured = json.loads(Path(file).read_text())
        functions |= measured["functions"]
        run = {
            **measured["key"],
            "measured": measured["measured"],
            "command": table.COMMANDS["cpu"],
        }
        where += [run] * (run not in where)
    shipped = json.loads(SHIPPED.read_text())
    if shipped["functions"].keys() - functions:
        where = shipped["where"] + [run for run in where if run not in shipped["where"]]
        functions = shipped["functions"] | functions
    missing = sorted(name for name, row in CATALOG.items() if row.images and name not in functions)
    if missing:
        sys.exit(f"not measured yet: {', '.join(missing)}")
    runs = ",\n".join(map(json.dumps, where))
    lines = ",\n".join(
        f'"{name}": {json.dumps(_short(functions[name]), separators=(",", ":"))}'
        for name in sorted(functions)
    )
    SHIPPED.write_text(f'{{"where": [\n{runs}\n],\n"functions": {{\n{lines}\n}}}}\n')


def _short(rows):
    """Times with three digits, which is more than they are worth."""
    return {
        dtypes: [[work, [_point(*point) for point in points]] for work, points in by_work]
        for dtypes, by_work in rows.items()
    }


def _point(elements, *times):
    return [round(elements), *(float(f"{each:.3g}") for each in times)]


if __name__ == "__main__":
    main(sys.argv[1:])
