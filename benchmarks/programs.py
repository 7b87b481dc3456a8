"""What whole programs take, without the backend and with it: `python -m benchmarks.programs`.

Each time is a process of its own, from its start to its end, imports included: the plain program
and one with the backend, in turns; medians. The backend's first one compiles what no archive has,
and is reported separately. The proposal's script has CuPy arrays, which scikit-image does not take:
the plain one has NumPy's in their place. Each row goes to ``programs.json`` and ``programs.md`` and
is not measured again.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .environment import OUT, ROOT

# Example -> a size at which a GPU has something to do.
SIZES = {
    "proposal": "",
    "stain_normalization": "256",
    "ultrasound_quality": "1024",
    "tv_tomography": "512",
    "template_matching": "128",
    "microscopy": "768",
}
ON_DEVICE = {"stain_normalization", "tv_tomography", "ultrasound_quality"}  # by CuPy's arrays
# what is selected; the example's own backend keeps a transform, which ours makes at each call
SELECTED = {"template_matching": ["gpu", "kept,gpu"]}

PLAINLY = {
    "proposal": {
        "import cupy as cp": "import numpy as cp",
        ").get()": ")",
        'os.environ["SKIMAGE_BACKENDS"] = "cucim"': "",
    }
}  # what is another text in the plain program
KEPT = ("SKIMAGE_GPU_SIMULATOR", "SKIMAGE_GPU_DEVICES", "SKIMAGE_GPU_MEMORY_LIMIT")


class Program:
    """An example as a process, without the backend and with it.

    Parameters
    ----------
    name : str
        Of the example.
    arguments : list of str
        After the picture's path.
    on_device : list of str
        Further arguments where the backend is on.
    """

    def __init__(self, name, arguments=(), on_device=(), backends="gpu", **environment):
        self._name, self._arguments, self._on_device = name, arguments, on_device
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        selected = {"SKIMAGE_BACKENDS": backends, "SKIMAGE_BACKENDS_NOTIFY": "none"}
        self._environment = kept | selected | environment
        self._printed = {}

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *error):
        self._folder.cleanup()

    def without_backend(self):
        """Run it without a backend."""
        path = plain(self._name, self._folder.name)
        self._printed["plain"] = self._run([path], self._arguments, {})

    def with_backend(self):
        """Run it with the backend, whose compiled kernels the next run finds."""
        command = ["-m", "skimage_gpu_backend", "run", ROOT / "examples" / f"{self._name}.py"]
        arguments = [*self._arguments, *self._on_device]
        self._printed["gpu"] = self._run(command, arguments, self._environment)

    def outputs(self):
        """Whether both printed the same, where both ran."""
        if len(self._printed) < 2:
            return {}
        return {"same_output": self._printed["plain"] == self._printed["gpu"]}

    def _run(self, command, arguments, environment):
        """Output of a process; the last line of its errors is raised where it fails."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SKIMAGE_")}
        inherited["PYTHONPATH"] = os.pathsep.join(
            [os.environ.get("PYTHONPATH", ""), str(ROOT)]  # an installed package goes before it
        )
        if "SKIMAGE_GPU_SIMULATOR" not in environment:  # whose compiler takes minutes
            inherited["XDG_CACHE_HOME"] = self._folder.name
        done = subprocess.run(
            [sys.executable, *command, Path(self._folder.name) / "picture.png", *arguments],
            env=inherited | environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
        return done.stdout


def plain(example, folder):
    """Path of the program as it runs without a backend."""
    path = ROOT / "examples" / f"{example}.py"
    if example not in PLAINLY:
        return path
    text = path.read_text()
    for old, new in PLAINLY[example].items():
        assert text.count(old) == 1, f"{example} has no {old}"
        text = text.replace(old, new)
    changed = Path(folder) / path.name
    changed.write_text(text)
    return changed


def main(arguments=None):
    """Measure each program; whether one failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs", description=__doc__)
    parser.add_argument("programs", nargs="*", help=f"default: {', '.join(SIZES)}")
    parser.add_argument("--size", help="of all of them")
    parser.add_argument("--out", default=OUT, help="folder of results")
    given = parser.parse_args(arguments)
    from skimage_gpu_backend.availability import choose_device

    from .rows import Rows
    from .timing import in_turns

    choose_device()
    rows, failed = Rows("programs", "benchmarks.programs", given.out, page), False
    for name in given.programs or SIZES:
        size = given.size or SIZES[name]
        for backends in SELECTED.get(name, ["gpu"]):
            key = {"program": name, "size": size, "backends": backends}
            if rows.of(**key):
                continue
            sizes, arrays = [size] if size else [], ["cupy"] if name in ON_DEVICE else []
            with Program(name, sizes, arrays, backends, SKIMAGE_GPU_RESIDENT="1") as program:
                runs = {"scikit-image": program.without_backend, backends: program.with_backend}
                seen = in_turns(runs, seconds=20, limit=300)
            rows.add(key | seen)
            failed |= any("refused" in way for way in seen.values())
    return failed


def page(where, rows) -> str:
    """Markdown: seconds of each program."""
    from .rows import place, table

    cells = []
    for row in rows:
        theirs, ours = row["scikit-image"], row[row["backends"]]
        times = theirs.get("us"), ours.get("first_us"), ours.get("us")
        cells.append(
            [f"`{row['program']}.py`", row["size"], row["backends"]]
            + [f"{1e-6 * us:.1f}" if us else "failed" for us in times]
        )
    head = ["program", "size", "backends", "scikit-image", "first", "again"]
    return f"# Programs, in seconds\n\n{place(where)}\n\n{table(head, cells, texts=3)}"


if __name__ == "__main__":
    sys.exit(main())
