"""`python -m skimage_gpu_backend demo`: an unchanged script, without and with the backend."""

import contextlib
import io
import os
import runpy
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import cuda_simulator

from . import enable, use_backends
from ._status import status
from .availability import choose_device
from .catalog import spoken
from .dispatch.observe import observe

_PACKAGE = Path(__file__).resolve().parent
_EXAMPLES = next(p for p in (_PACKAGE / "examples", _PACKAGE.parent / "examples") if p.is_dir())
SCRIPT = _EXAMPLES / "immunohistochemistry.py"


def main(output="demo-output"):
    """Run the demo.

    Parameters
    ----------
    output : str or path
        Folder for the pictures; it is made.
    """
    print(_device_line())
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    enable()
    run_script(SCRIPT, output / "scikit-image.png")  # imports happen here, outside the times
    plain, without = run_script(SCRIPT, output / "scikit-image.png")
    os.environ["SKIMAGE_BACKENDS_NOTIFY"] = "none"  # the table tells
    with use_backends("gpu", output="resident"):  # images stay on the device from call to call
        start = time.perf_counter()
        run_script(SCRIPT, output / "gpu.png")
        first = time.perf_counter() - start
        backend, with_backend = run_script(SCRIPT, output / "gpu.png")
    print(
        f"{SCRIPT.name} prints, without and with the backend:\n  {without}  {with_backend}", end=""
    )
    _print_table(plain, backend)
    print(f"Times are of a second run; the first, which loads kernels, took {first:.1f} s.")
    pictures = output / "scikit-image.png", output / "gpu.png"
    if find_spec("matplotlib"):
        draw(plain[0].args[0], *pictures, output / "demo.png")
        print(f"Input, both results and their difference: {output / 'demo.png'}")
    else:
        print("Both results:", *pictures)
        print("For one picture of them, the input and the difference: pip install matplotlib")


def _device_line():
    """First line of the output; turns the simulator on where there is no GPU."""
    choose_device()
    if cuda_simulator.active():
        return "No GPU is used: the simulator runs the CUDA kernels on this machine's CPU."
    return f"GPU: {status()['GPU']}"


def run_script(script, picture):
    """Run a script as ``python script picture``; its scikit-image calls and what it printed."""
    printed = io.StringIO()
    argv, sys.argv = sys.argv, [str(script), str(picture)]
    try:
        with contextlib.redirect_stdout(printed), observe() as calls:
            runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = argv
    return calls, printed.getvalue()


def _print_table(plain, backend):
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for column in ("function", "where it ran", "calls", "scikit-image", "backend", "difference"):
        table.add_column(
            column, justify="left" if column in ("function", "where it ran") else "right"
        )
    device = "simulator" if cuda_simulator.active() else "GPU"
    for name in dict.fromkeys(call.name for call in plain):
        theirs = [call for call in plain if call.name == name]
        ours = [call for call in backend if call.name == name]
        where = {
            f"{device}, {call.source}" if call.backend else f"CPU: {_reasons(call)}"
            for call in ours
        }
        table.add_row(
            spoken(name),
            "; ".join(sorted(where)),
            str(len(theirs)),
            f"{1e3 * sum(call.seconds for call in theirs):.1f} ms",
            f"{1e3 * sum(call.seconds for call in ours):.1f} ms",
            f"{max(map(_difference, theirs, ours)):.2g}",
        )
    Console(width=max(110, Console().width)).print(table)


def _reasons(call):
    return "; ".join(reason for _, reason, _ in call.declined)


def _difference(one, other):
    return largest_difference(one.result, other.result)


def largest_difference(one, other):
    """Largest absolute difference between two results: arrays, scalars, dicts of them."""
    if isinstance(one, dict):
        return max(largest_difference(one[key], other[key]) for key in one)
    return float(np.max(np.abs(np.asarray(one, float) - np.asarray(other, float)), initial=0))


def draw(image, without, with_backend, path):
    """One picture: input, both results, their difference."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    results = [plt.imread(p)[..., :3] for p in (without, with_backend)]
    difference = np.abs(results[0] - results[1]).max(axis=-1)
    titles = (
        "input",
        "scikit-image",
        "skimage-gpu-backend",
        f"difference (max {difference.max():.2g})",
    )
    figure, axes = plt.subplots(1, 4, figsize=(16, 4.4), layout="constrained")
    for axis, title, picture in zip(axes, titles, (image, *results, difference), strict=True):
        axis.imshow(picture, cmap="gray", vmin=0, vmax=1)
        axis.set_title(title)
        axis.set_axis_off()
    figure.savefig(path, dpi=100)
