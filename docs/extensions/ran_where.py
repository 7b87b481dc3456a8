"""Runs the gallery's examples on the device: pictures of what each step made, and where it ran.

sphinx-gallery calls `prepare` before and after each example, and `scrape` after each of its steps.
"""

import os
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
from sphinx_gallery.scrapers import figure_rst

from skimage_gpu_backend import enable
from skimage_gpu_backend.catalog import spoken
from skimage_gpu_backend.dispatch.observe import observe

_SOURCES = {
    "kernel": "device: kernel of this package",
    "cucim": "device: cuCIM",
    "dask": "made a Dask graph",
}
_SELECTED = {"template_matching": "kept,gpu"}  # brings a backend of its own
_running = ExitStack()  # what holds while an example runs
_seen = SimpleNamespace(calls=[], names=set())  # calls since the last step; variables until then


def prepare(gallery_conf, name, when):
    """Select the backend before an example, and leave all as it was after it."""
    _running.close()
    if when == "before":
        enable()
        backends = _SELECTED.get(Path(name).stem, "gpu")
        selected = {"SKIMAGE_BACKENDS": backends, "SKIMAGE_BACKENDS_NOTIFY": "none"}
        _running.enter_context(mock.patch.dict(os.environ, selected))
        _seen.calls = _running.enter_context(observe())
        _seen.names = set()


def scrape(block, block_vars, gallery_conf):
    """Text of a page, after a step: the new images, and a table of the calls."""
    there = block_vars["example_globals"]
    new = {name: there[name] for name in there if name not in _seen.names and name[0] != "_"}
    images = {name: value for name, value in new.items() if _is_image(value)}
    _seen.names.update(there)
    text = ""
    if images:
        path = next(block_vars["image_path_iterator"])
        _draw(images, path)
        text = figure_rst([path], gallery_conf["src_dir"], ", ".join(images))
    text += _table(_seen.calls)
    _seen.calls.clear()
    return text


def _is_image(value):
    if not isinstance(value, np.ndarray) or min(value.shape, default=0) < 1:
        return False
    if value.ndim == 3 and value.shape[2] == 3:
        return value.dtype == np.uint8 or (value.min() >= 0 and value.max() <= 1)
    return value.ndim == 2 and min(value.shape) > 30


def _draw(images, path):
    figure, axes = plt.subplots(
        1, len(images), figsize=(3.6 * len(images), 3.6), layout="constrained", squeeze=False
    )
    for axis, (name, image) in zip(axes[0], images.items(), strict=True):
        labels = image.dtype.kind == "i"
        axis.imshow(
            np.ma.masked_equal(image, 0) if labels else image, "prism" if labels else "gray"
        )
        axis.set(title=name, xticks=[], yticks=[], facecolor="black")
    figure.savefig(path, dpi=100, bbox_inches="tight")
    plt.close(figure)


def _table(calls):
    if not calls:
        return ""
    lines = ["", "", ".. list-table::", "   :header-rows: 1", ""]
    rows = [("function", "calls", "ran on")]
    ran = [(call.name, _where(call)) for call in calls]
    rows += [(f"``{spoken(name)}``", ran.count((name, w)), w) for name, w in dict.fromkeys(ran)]
    for row in rows:
        lines += [f"   {'-' if n else '* -'} {cell}" for n, cell in enumerate(row)]
    lines = [line.replace("   - ", "     - ", 1) for line in lines]
    return "\n".join([*lines, "", ""])


def _where(call):
    if call.backend:
        return _SOURCES.get(call.source) or f"backend ``{call.backend}``"
    return f"CPU: {'; '.join(reason for _, reason, _ in call.declined)}"
