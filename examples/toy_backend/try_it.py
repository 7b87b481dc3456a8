"""Who runs a call that a backend of another package and `gpu` could both run?

``python try_it.py`` asks them in both orders, on a GPU if there is one, else on the simulator. The
backend beside this file takes part as if it were installed, in this process alone.
"""

import os
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ORDERS = ("toy, gpu", "gpu, toy")


def install(folder):
    """Put the backend on the path, with the entry points that pip would write."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    metadata = Path(folder) / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    lines = (f"{key}: {project[key.lower()]}\n" for key in ("Name", "Version"))
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\n{''.join(lines)}")
    (metadata / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in points.items())
            for group, points in project["entry-points"].items()
        )
    )
    sys.path[:0] = [str(HERE), folder]


def called():
    """Ordinary calls of scikit-image's functions: large and small bytes, floats, a CuPy array."""
    import cupy as cp
    from skimage import data, filters, metrics, util

    photo = data.camera()
    small, floats = photo[:40, :40], photo / 255
    return {
        "invert, bytes": util.invert(photo),
        "mean_squared_error, bytes": metrics.mean_squared_error(photo, photo[::-1]),
        "mean_squared_error, few bytes": metrics.mean_squared_error(small, small[::-1]),
        "mean_squared_error, floats": metrics.mean_squared_error(floats, floats[::-1]),
        "mean_squared_error, CuPy bytes": metrics.mean_squared_error(
            *map(cp.asarray, (photo,) * 2)
        ),
        "gaussian, bytes": filters.gaussian(photo, 3),
    }


def main():
    """Print where each call ran, and whether its result is scikit-image's."""
    from skimage_gpu_backend import enable, use_backends
    from skimage_gpu_backend.availability import choose_device
    from skimage_gpu_backend.dispatch.observe import observe

    choose_device()
    enable()
    os.environ["SKIMAGE_BACKENDS_NOTIFY"] = "none"
    os.environ.pop("SKIMAGE_BACKENDS_MIN_SIZE", None)
    with use_backends():
        expected = called()
    ran = {}
    for order in ORDERS:
        os.environ["SKIMAGE_BACKENDS"] = order
        with observe() as calls:
            found = called()
        ran[order] = [call.backend or "scikit-image" for call in calls]
        same = all(abs(found[name] - expected[name]).max() < 1e-9 for name in expected)
        print(f"{order}: {'all' if same else 'not all'} results are scikit-image's")
    width = max(map(len, expected))
    print(f"\n{'':{width}}  {ORDERS[0]:12}  {ORDERS[1]}")
    for name, *by in zip(expected, *ran.values(), strict=True):
        print(f"{name:{width}}  {by[0]:12}  {by[1]}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        install(folder)
        main()
