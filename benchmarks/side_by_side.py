"""The page and the figure of what `python -m benchmarks` measured."""

import math
import statistics
from pathlib import Path

from skimage_gpu_backend.catalog import spoken


def markdown(rows, where, about) -> str:
    """The page."""
    bandwidth = where.get("copy_bandwidth")
    lines = [f"# Side by side on the {where['device']}", "", *about.strip().splitlines()[2:], ""]
    shown = {**where, "command": f"`{where['command']}`"} if "command" in where else where
    lines += [f"- {key}: {value}" for key, value in shown.items() if key != "device"]
    lines += ["", "## Against cuCIM", "", *(_against_cucim(rows, bool(bandwidth)))]
    for size in dict.fromkeys(row["size"] for row in rows):
        of_size = [row for row in rows if row["size"] == size]
        if not bandwidth:
            lines += ["", f"## Launches and bytes, {sides(size)}", "", *_counts(of_size)]
            lines += ["", f"## CPU times of the simulator in ms, {sides(size)}", ""]
        else:
            lines += ["", f"## Milliseconds, {sides(size)}", ""]
        lines += [*_times(of_size, bandwidth), "", *_missing(of_size)]
    return "\n".join(lines) + "\n"


def sides(size):
    """Sides of images as people write them, ``"512 x 512"`` for ``"512^2"``."""
    side, power = size.split("^")
    return " x ".join([side] * int(power))


def ratio(row, of, other="cucim"):
    """How many times less the backend needs than another way, with device arrays; or None."""
    theirs, ours = row["ways"][other].get(of), row["ways"]["gpu"].get(of)
    return theirs / ours if theirs and ours else None


def _against_cucim(rows, on_gpu):
    """Geometric means over all calls that both ran, and every loss."""
    told = {"ms": "time"} if on_gpu else {"launches": "launches", "bytes": "bytes moved"}
    for of, word in told.items():
        for size in dict.fromkeys(row["size"] for row in rows):
            found = [(ratio(row, of), row) for row in rows if row["size"] == size]
            found = [(r, row) for r, row in found if r and row["source"] == "kernel"]
            if not found:
                continue
            mean = statistics.geometric_mean(r for r, _ in found)
            lost = [f"{_name(row)} ({r:.2f})" for r, row in found if r < 0.995]
            yield (
                f"- {word} at {sides(size)}: cuCIM's are {mean:.2f} times the kernels', geometric"
                f" mean of {len(found)} calls; cuCIM needs less in: {', '.join(lost) or 'none'}"
            )


def _name(row):
    function = spoken(row["function"])
    return function if row["images"] == "as it is" else f"{function} of {row['images']}"


def _counts(rows):
    """Launches and bytes, of the kernels and of cuCIM."""
    yield "| call | runs on | launches | cuCIM | bytes moved | cuCIM | copies to host | cuCIM |"
    yield "| --- | --- |" + " ---: |" * 6
    for row in rows:
        seen = [row["ways"][way] for way in ("gpu", "cucim")]
        useful = row.get("bytes") or 1
        cells = [_name(row), row["source"]]
        cells += [str(way.get("launches", "")) for way in seen]
        cells += [f"{way['bytes'] / useful:.3g}x" if "bytes" in way else "" for way in seen]
        cells += [str(way.get("to_host", "")) for way in seen]
        yield "| " + " | ".join(cells) + " |"


def _times(rows, bandwidth):
    """Milliseconds of every way; with a bandwidth, the share of it that is used."""
    timed = [way for way, seen in rows[0]["ways"].items() if bandwidth or way != "cucim"]
    share = " share of copy |" if bandwidth else ""
    yield f"| call | {' | '.join(timed)} | first call of gpu |{share}"
    yield "| --- |" + " ---: |" * (len(timed) + 1 + bool(share))
    for row in rows:
        ways = row["ways"]
        cells = [_name(row), *(_time(ways[way], "ms") for way in timed)]
        cells.append(_time(ways["gpu"], "first_ms"))
        if bandwidth:
            moved = row.get("bytes", 0) / (1e-3 * ways["gpu"].get("ms", math.inf))
            cells.append(f"{100 * moved / bandwidth:.0f} %")
        yield "| " + " | ".join(cells) + " |"


def _missing(rows):
    """What was not measured, and why: one line for each call."""
    for row in rows:
        told = [
            f"{' '.join(why.split())[:200]} ({way})"
            for way, seen in row["ways"].items()
            if (why := seen.get("refused") or seen.get("left_out"))
        ]
        if told:
            yield f"- {_name(row)}: {'; '.join(told)}"


def _time(seen, key):
    return f"{seen[key]:.3g}" if key in seen else ""


def figure(rows, where, path: Path):
    """Draw how many times less the backend needs than cuCIM, by function."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    on_gpu = "copy_bandwidth" in where
    panels = (
        (("ms", "cucim", "times faster than cuCIM"), ("ms", "scikit-image", "than scikit-image"))
        if on_gpu
        else (
            ("launches", "cucim", "times fewer launches than cuCIM"),
            ("bytes", "cucim", "times fewer bytes moved than cuCIM"),
        )
    )
    kernels = [row for row in rows if row["source"] == "kernel"]
    planes = [size for size in dict.fromkeys(r["size"] for r in rows) if size.endswith("^2")]
    shown = dict.fromkeys(["512^2"] * ("512^2" in planes) + planes[-1:])
    functions = sorted({row["function"] for row in kernels}, reverse=True)
    made, axes = plt.subplots(
        1, 2, sharey=True, figsize=(10, 1.2 + 0.17 * len(functions)), layout="constrained"
    )
    for axis, (of, other, told) in zip(axes, panels, strict=True):
        for size, colour in zip(shown, ("#1f77b4", "#d95f02"), strict=False):
            seen = {}
            for row in kernels:
                if row["size"] == size and (found := ratio(row, of, other)):
                    seen.setdefault(row["function"], []).append(found)
            places = [functions.index(function) for function in seen]
            means = [statistics.geometric_mean(found) for found in seen.values()]
            axis.scatter(means, places, s=14, color=colour, label=sides(size), zorder=3)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_xlabel(told)
        axis.grid(axis="both", linewidth=0.3)
    labels = [spoken(name) for name in functions]
    axes[0].set_yticks(range(len(functions)), labels, fontsize=7)
    axes[0].set_ylim(-1, len(functions))
    axes[1].legend(loc="best")
    made.suptitle(f"{where['device']}, commit {where['commit']}", fontsize=9)
    made.savefig(path, dpi=110)
    plt.close(made)
