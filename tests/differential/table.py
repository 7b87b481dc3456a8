"""The table of all public functions: where each runs, and how far it was compared."""

import re
from itertools import groupby

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.cucim.delegate import about

from .inputs import ALL
from .public import public_functions
from .record import FILE
from .sweeps import SWEEPS

PAGE = FILE.with_suffix(".md")

_HEAD = """\
# Where each function runs

`SKIMAGE_GPU_SIMULATOR=1 python -m tests.differential` writes this page, from what ran on the
simulator; a test checks that it is current. Every function that can run on the device was called
with NumPy and with CuPy arrays in all ways that `tests/differential/sweeps` lists, and each result
was compared with scikit-image's in the same process. Shapes, dtypes, order and kinds of results
are equal, and so are integers.

- *runs on*: a *kernel* of this package; what it declines goes to *cuCIM*, where that has the
  function. *CPU*: scikit-image's own function; device arrays are copied to the host for it, and
  its results back.
- *dtypes*: those of the images with which the usual call of the function ran on the device.
- *declined*: the calls that run on the CPU instead. [What to do about them](fallbacks.md).
- *largest difference* of floating results from scikit-image's, as a share of the result's range,
  by the precision of images and results, with the call in which it was seen.

{kernels} functions have kernels, {cucim} run through cuCIM ({only} of them have no kernel of
this package), {cpu} run on the CPU.

"""
_COLUMNS = """\
| function | runs on | dtypes | declined | largest difference |
| --- | --- | --- | --- | --- |
"""


def render(records: dict) -> str:
    """The page, from what `record` saw."""
    names = public_functions()
    rows = [CATALOG.get(name) for name in names]
    page = _HEAD.format(
        kernels=sum(bool(row and row.room) for row in rows),
        cucim=sum(bool(row and row.cucim) for row in rows),
        only=sum(bool(row and row.cucim and not row.room) for row in rows),
        cpu=sum(row is None for row in rows),
    )
    for module, group in groupby(names, lambda name: name.partition(":")[0]):
        lines = [_row(name, records.get(name, {})) for name in group]
        page += f"## {module}\n\n{_COLUMNS}" + "\n".join(lines) + "\n\n"
    return page.rstrip() + "\n"


def _row(name, record):
    function = name.partition(":")[2]
    row = CATALOG.get(name)
    if row is None:
        return f"| `{function}` | CPU | | {_cell(about(name, 'LEFT_OUT', ''))} | |"
    label = ", ".join(["kernel"] * bool(row.room) + ["cuCIM"] * row.cucim)
    cells = (label, _dtypes(record), _declined(name, record), _largest(name, record))
    return f"| `{function}` | " + " | ".join(map(_cell, cells)) + " |"


def _dtypes(record):
    taken = record.get("dtypes", [])
    return "all" if taken == list(ALL) else " ".join(taken)


def _declined(name, record):
    differences = about(name, "DIFFERENCES", ())
    told = [difference.reason for difference in differences if not difference.invalid]
    return "; ".join(dict.fromkeys([*told, *record.get("declined", [])]))


def _largest(name, record):
    largest = record.get("largest", {})
    parts = []
    for precision in ("double", "single", "half"):
        difference, label = largest.get(precision, (None, ""))
        if difference is not None:
            shown = f"{difference:.0e} ({_spaced(label)})" if difference else "0"
            parts.append(f"{precision} {shown}")
    bound = next(sweep.bound for sweep in SWEEPS if sweep.name == name)
    return "; ".join(parts) + (f". {bound.why}" if bound else "")


def _spaced(label):
    return re.sub(r",(?=\S)", ", ", label)


def _cell(text):
    return text.replace("|", "\\|")
