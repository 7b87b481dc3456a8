"""Runs one script in this process: ``python -m tests.gallery.one SCRIPT FILE [--backend]``.

FILE gets, pickled, what the script printed, its variables, and how many functions of
scikit-image it called, on the device and in all.
"""

import contextlib
import io
import os
import pickle
import runpy
import sys

import matplotlib
import numpy as np

_SCALARS = (bool, int, float, complex, str, type(None))


def main(script, file, backend=False):
    _show_nothing()
    _seed()
    os.chdir(os.path.dirname(script))
    sys.argv = [script]
    printed = io.StringIO()
    calls = {}
    with contextlib.redirect_stdout(printed), _watching(calls) if backend else _HERE:
        variables = runpy.run_path(script, run_name="__main__")
    kept = {name: value for name, value in variables.items() if _is_plain(name, value)}
    with open(file, "wb") as told:
        pickle.dump({"printed": printed.getvalue(), "variables": kept, **calls}, told)


_HERE = contextlib.nullcontext()


def _show_nothing():
    matplotlib.use("agg")
    with contextlib.suppress(ImportError):
        import plotly.io

        plotly.io.show = lambda *args, **kwargs: None


def _seed():
    """Whoever asks for random numbers without a seed gets the same ones in each run."""
    own = np.random.default_rng
    np.random.default_rng = lambda seed=None: own(0 if seed is None else seed)
    np.random.seed(0)


@contextlib.contextmanager
def _watching(calls):
    from skimage_gpu_backend import profile
    from skimage_gpu_backend.availability import choose_device
    from skimage_gpu_backend.profiling.report import totals

    if os.environ["SKIMAGE_BACKENDS"] == "gpu":
        choose_device()
    with profile() as taken:
        yield
    sums = totals(taken)
    calls |= {"calls": sums["calls"], "device_calls": sums["calls on the device"]}


def _is_plain(name, value, deeper=3):
    if name.startswith("__"):
        return False
    if isinstance(value, np.ndarray):
        return value.dtype != object
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set):
        return deeper > 0 and all(_is_plain("", item, deeper - 1) for item in value)
    return isinstance(value, (*_SCALARS, np.generic))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "--backend" in sys.argv[3:])
