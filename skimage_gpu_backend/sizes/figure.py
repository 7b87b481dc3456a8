"""Time against size, for scikit-image and a backend, with the crossover marked."""

import itertools
import math

from ..catalog import spoken
from .model import crossover, lasting_crossover
from .works import WORK

_COLUMNS = 4
_FEW = 12  # functions, of which all classes of dtypes are shown; of more, one


def draw(kept, device, names, path):
    """Write the figure: a panel for each function and class of dtypes, a colour for each work.

    Parameters
    ----------
    kept : Table
    device : {"gpu", "cpu"}
    names : list of str
        Functions that the table has.
    path : str
        The ending tells the format.
    """
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    panels = []
    for name in names:
        shown = sorted(kept.functions[name].items())
        panels += [(name, *panel) for panel in (shown if len(names) <= _FEW else shown[:1])]
    columns = min(_COLUMNS, len(panels))
    lines = math.ceil(len(panels) / columns)
    made, axes = plt.subplots(
        lines,
        columns,
        figsize=(3.6 * columns, 3 * lines + 0.6),
        squeeze=False,
        layout="constrained",
    )
    least = lasting_crossover if device == "cpu" else crossover
    for axis, panel in zip(axes.flat, panels, strict=False):
        _panel(axis, least, *panel)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    backend = kept.key.get("GPU", "cpu with one thread")
    of = f"scikit-image on {kept.key['CPU']} (solid lines) and {backend} (dashed)"
    made.suptitle(f"{of}, {kept.measured}", fontsize=10)
    made.savefig(path, dpi=150)
    plt.close(made)


def _panel(axis, crossover, name, dtypes, rows):
    from matplotlib.ticker import NullFormatter

    for number, (work, points) in enumerate(rows):
        elements, cpu, gpu = zip(*points, strict=True)
        told = [f"{WORK[name].parameter} of {work:g}"] if name in WORK else []
        colour = f"C{number}"
        least = crossover(points)
        crossed = elements[0] <= least <= elements[-1]
        told += [f"from {least:,.0f}"] if crossed else []
        axis.plot(elements, cpu, color=colour, label=", ".join(told) or None)
        axis.plot(elements, gpu, color=colour, linestyle="--")
        if crossed:
            axis.plot(least, _at(points, least), "o", color=colour)
    axis.set_title(f"{spoken(name)}, {dtypes}", fontsize=10)
    axis.set_xscale("log")
    axis.set_yscale("log")
    for side in (axis.xaxis, axis.yaxis):
        side.set_minor_formatter(NullFormatter())
    axis.set_xlabel("elements", fontsize=9)
    axis.set_ylabel("seconds", fontsize=9)
    axis.tick_params(labelsize=9)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8)
    axis.grid(linewidth=0.3)


def _at(points, elements):
    """Seconds of scikit-image, on the straight line between two points."""
    for (one, low, _), (other, high, _) in itertools.pairwise(points):
        if elements <= other:
            return low + (high - low) * (elements - one) / (other - one)
    return points[-1][1]
