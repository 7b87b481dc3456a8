"""Rows of results, in a JSON file and a Markdown page as soon as each one is measured."""

import json
import os

from .environment import OUT, environment, results_folder

VOLUMES = "float32 volume"  # images of a row


class Rows:
    """The rows of one command.

    Parameters
    ----------
    name : str
        Of the files, without a suffix.
    module : str
        That measures: ``python -m module``.
    out : path, optional
        Folder with a folder for each device. Rows that are in it stay.
    page : callable, optional
        Makes Markdown of the environment and all rows.
    on_cpu : bool, optional
        Whether the CPU is the device.
    **where
        What belongs to the environment, too.
    """

    def __init__(self, name, module, out=OUT, page=None, on_cpu=False, **where):
        self._file = results_folder(out, on_cpu) / f"{name}.json"
        self._page = page
        self._where = environment(module, on_cpu) | where
        self._rows = json.loads(self._file.read_text())["rows"] if self._file.exists() else []

    def of(self, **key):
        """The row with these values, or None."""
        return next((row for row in self._rows if key.items() <= row.items()), None)

    def smaller(self, side, **key):
        """The row with these values of the largest smaller image, or None."""
        found = [row for row in self._rows if key.items() <= row.items() and row["side"] < side]
        return max(found, key=lambda row: row["side"], default=None)

    def left_out(self, way, limit, side, **key):
        """What to keep of a way that takes too long, as a smaller image shows; {} otherwise."""
        smaller = self.smaller(side, **key) or {"side": side}
        seen = smaller.get(way, {})
        expected = 1e-6 * seen.get("us", 0) * (side / smaller["side"]) ** 2
        if expected > limit:
            return {"left_out": f"would take {expected:.0f} s"}
        if "left_out" in seen or seen.get("refused", "").startswith("TooLong"):
            return {"left_out": f"takes too long at {smaller['side']} already"}
        return {}

    def add(self, row):
        """Keep and print a row."""
        self._rows.append(row | {"commit": self._where["commit"]})
        print(json.dumps(row), flush=True)
        lines = ",\n".join(map(json.dumps, self._rows))
        text = f'{{"where": {json.dumps(self._where)},\n"rows": [\n{lines}\n]}}\n'
        _replace(self._file, text)
        if self._page:
            _replace(self._file.with_suffix(".md"), self._page(self._where, self._rows))


def _replace(file, text):
    """Write a file such that a process that is killed leaves the old one or the new one."""
    new = file.with_suffix(".new")
    new.write_text(text)
    os.replace(new, file)


def place(where) -> str:
    """Line of Markdown: device, CPU, versions, commit and date."""
    gpu = f"{where['device']}; " if "device" in where else ""
    packages = {"scikit-image": "scikit-image", "cupy": "CuPy", "cucim": "cuCIM"}
    versions = ", ".join(f"{name} {where[key]}" for key, name in packages.items() if key in where)
    return (
        f"{gpu}{where['cores']} cores of {where['cpu']}; {versions}; commit {where['commit']},"
        f" {where['date']}"
    )


def is_no_volume(row) -> bool:
    """Whether scikit-image refuses a volume in place of a plane."""
    refused = row.get("scikit-image", {}).get("refused", "TooLong")
    return row["images"] == VOLUMES and not refused.startswith("TooLong")


def table(head, rows, texts=1) -> str:
    """Table in Markdown, numbers on the right; the first `texts` columns are texts."""
    rules = ["---" if column < texts else "---:" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rules, *rows)) + "\n"


def number(value) -> str:
    """Three digits, or all of a larger number's."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def milliseconds(seen) -> str:
    """The time of a way, or "" where there is none."""
    return number(1e-3 * seen["us"]) if seen and "us" in seen else ""


def missing(call, row) -> list[str]:
    """A line of Markdown with what was not measured of a row, and why; none if all was."""
    reasons = [
        f"{' '.join(seen[why].split())} ({way})"
        for way, seen in row.items()
        if isinstance(seen, dict)
        for why in ("declined", "refused", "left_out", "differs")
        if why in seen
    ]
    return [f"- {call}: {'; '.join(reasons)}"] if reasons else []
