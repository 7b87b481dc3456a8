"""What the build makes itself, in docs/_generated: tables for pages to include, and a report."""

import contextlib
import io
import os
import re
import runpy
import sys
from pathlib import Path
from unittest import mock

import lazy_calls
import numpy as np

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent


def setup(app):
    app.setup_extension("sphinxcontrib.programoutput")
    app.connect("builder-inited", make)
    # pages show what the code says and prints, so each is read again
    app.connect("env-get-outdated", lambda app, env, *_: list(env.all_docs))
    return {"parallel_read_safe": True}


def make(app):
    """Write everything, before any page is read."""
    app.env.programoutput_cache.clear()  # of an earlier build, perhaps of other code
    folder = DOCS / "_generated"
    folder.mkdir(exist_ok=True)
    sys.path.insert(0, str(ROOT))
    from tests.differential import table as functions
    from tests.tiles import table as tiles

    texts = {
        "costs.md": costs(),
        "remedies.md": remedies(),
        "reasons.md": reasons(),
        "columns.md": columns(),
        "functions.md": functions.render(),
        "tiles.md": tiles.render(),
        "lazy.md": lazy_calls.table(),
        "report.svg": report(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


SIDE = 1024  # pixels, of the images of `costs`


def costs() -> str:
    """What the plan of each function's usual call says that it launches and moves."""
    from skimage_gpu_backend.catalog import CATALOG, spoken
    from tests.differential.sweeps import SWEEPS

    lines = [
        "| function | image | launches | read | written | of it between launches |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    decided_by_data = []
    for sweep in sorted(SWEEPS, key=lambda sweep: sweep.name):
        if not CATALOG[sweep.name].room:
            continue
        found = [_cost(sweep, dtype) for dtype in ("uint8", "float32", "float64")]
        found = [row for row in found if row]
        if found and not any(cost for _, cost in found):
            decided_by_data.append(f"`{spoken(sweep.name)}`")
        lines += [_cost_row(spoken(sweep.name), *row) for row in found[:2] if row[1]]
    these = ", ".join(decided_by_data)
    told = f"For {these} the image's data decides, or CuPy's sorting and Fourier transforms."
    return "\n".join([*lines, "", told]) + "\n"


def _cost(sweep, dtype):
    """Text for the images and `Cost` of the usual call in a dtype; None without images or plan."""
    from skimage_gpu_backend import functions
    from skimage_gpu_backend.adapt.values import replace
    from skimage_gpu_backend.catalog import CATALOG
    from skimage_gpu_backend.trouble import Declined
    from tests.differential.check import by_position
    from tests.differential.inputs import Input

    images = CATALOG[sweep.name].images
    shapes = []

    def sized(name, value):
        if not isinstance(value, Input):
            return value
        if name not in images:
            return value.sized(SIDE).array()
        shapes.append(" x ".join(map(str, value.sized(SIDE).shape)))
        return np.broadcast_to(np.zeros((), dtype), value.sized(SIDE).shape)

    arguments = {
        name: replace(value, lambda v, name=name: sized(name, v))
        for name, value in sweep.call.items()
    }
    try:
        plan = functions.plan(sweep.name, *by_position(sweep.name, arguments))
    except Declined:
        return None
    return (f"{shapes[0]} {dtype}", plan.cost) if shapes else None  # what is made from nothing


def _cost_row(name, image, cost):
    from skimage_gpu_backend._words import size

    sizes = " | ".join(size(n) if n else "" for n in (cost.read, cost.written, cost.between))
    return f"| `{name}` | {image} | {cost.launches} | {sizes} |"


def remedies() -> str:
    """Table of reasons that the program's settings and the machine give."""
    from reasons import every_reason

    from skimage_gpu_backend.profiling import remedies as known

    lines = ["| the reason says | what to do |", "| --- | --- |"]
    for remedy in (*known.SETTINGS, *known.MACHINE, *known.AS_IT_IS):
        told = [r for r in every_reason() if any(part in r for part in remedy.parts)]
        told = told or remedy.parts
        lines.append(f"| {'<br>'.join(map(_plain, told))} | {_as_code(remedy.text)} |")
    return "\n".join(lines) + "\n"


def reasons() -> str:
    """Lists of reasons that the arguments and data of one call give."""
    from reasons import every_reason

    from skimage_gpu_backend.profiling import remedies as known

    own = [reason for reason in every_reason() if known.said(reason)]
    changed = [reason for reason in own if known.can_be_changed(reason)]
    kept = [reason.rpartition(";")[0] for reason in own if reason not in changed]
    lines = ["**What to write instead stands behind the semicolon**", ""]
    lines += [f"- {_plain(reason)}" for reason in changed]
    lines += ["", "**Nothing to change: the call is best where it is**", ""]
    lines += [f"- {_plain(reason)}" for reason in kept]
    return "\n".join([*lines, ""])


def columns() -> str:
    """Table of columns that scikit-image computes in a table of regions."""
    from reasons import of_columns

    lines = ["| the CPU computes | where |", "| --- | --- |"]
    for reason, names in of_columns().items():
        told = ", ".join(f"`{name}`" for name in names) or "any column"
        lines.append(f"| {told} | {_plain(reason)} |")
    return "\n".join(lines) + "\n"


def _plain(text):
    return re.sub(r"([*_`<>|\[\]])", r"\\\1", text)


_CODE = re.compile(r"[\w.]+\([^)]*\)|SKIMAGE_\w+(?:=\w+(?:,\w+)*)?|CUDA_\w+|`\w+`")


def _as_code(text):
    return _CODE.sub(lambda found: f"`{found[0].strip('`')}`", text)


_FETCHED_FONT = re.compile(r"@font-face \{\{.*?\}\}\n", re.DOTALL)


def report() -> str:
    """The report of a profile of the example, as rich draws a terminal."""
    from rich import _export_format
    from rich.console import Console

    from skimage_gpu_backend import enable, use_backends
    from skimage_gpu_backend.demo import SCRIPT
    from skimage_gpu_backend.profiling.profile import profile
    from skimage_gpu_backend.profiling.report import show

    enable()
    settings = {"SKIMAGE_BACKENDS_MIN_SIZE": "500000", "SKIMAGE_BACKENDS_NOTIFY": "none"}
    printed = contextlib.redirect_stdout(io.StringIO())
    program = mock.patch.object(sys, "argv", [SCRIPT.name])
    with use_backends("gpu"), mock.patch.dict(os.environ, settings), program, printed:
        runpy.run_path(str(SCRIPT))  # loads the kernels
        with profile() as taken:
            runpy.run_path(str(SCRIPT))
    console = Console(record=True, width=120, file=io.StringIO(), force_terminal=True)
    show(taken, console)
    console.print()  # the picture ends within its last line
    template = _FETCHED_FONT.sub("", _export_format.CONSOLE_SVG_FORMAT)
    command = f"python -m skimage_gpu_backend run --profile examples/{SCRIPT.name}"
    title = f"SKIMAGE_BACKENDS_MIN_SIZE=500000 {command}"
    return console.export_svg(title=title, code_format=template)
