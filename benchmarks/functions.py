"""Each function against scikit-image's own: `python -m benchmarks.functions [name ...]`.

2048 x 2048 images, all ways of one call in turn in one process, the median of five rounds:
scikit-image, the backend with arrays on the device (in and out), the backend with NumPy
arrays (both copies included). Times on a GPU are between two events on its stream; on a
machine without one, `SKIMAGE_GPU_SIMULATOR=1` measures the simulator's fast mode, which
says nothing about a GPU. Of all functions, the table and its data go to
`benchmarks/results/<device>/`.
"""

import datetime
import importlib.metadata
import inspect
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
SIZE = 2048
ROUNDS = 5


def cases():
    """Yield function, dtype and what makes its arguments, of every measured call."""
    yield from _metrics()
    yield from _color()
    yield from _filters()


def photograph(dtype):
    """Colour photograph, tiled to the size: integers, or floats in [0, 1]."""
    from skimage import data

    image = data.astronaut()
    image = np.tile(image, (SIZE // image.shape[0], SIZE // image.shape[1], 1))
    return image if dtype == "uint8" else (image / 255).astype(dtype)


def gray(dtype):
    return np.ascontiguousarray(photograph(dtype)[..., 1])


def _metrics():
    from skimage import metrics

    names = "mean_squared_error normalized_root_mse peak_signal_noise_ratio"
    for dtype in ("uint8", "float32", "float64"):
        image = gray(dtype)
        for name in names.split():
            yield getattr(metrics, name), dtype, partial(_arguments, image, np.roll(image, 3, 1))


def _color():
    from skimage import color

    from skimage_gpu_backend.catalog import KERNELS

    names = [name.partition(":")[2] for name in KERNELS if name.startswith("skimage.color:")]
    for dtype in ("uint8", "float32"):
        rgb = photograph(dtype)
        for name in names:
            yield getattr(color, name), dtype, partial(_color_arguments, name, rgb)


def _color_arguments(name, rgb):
    """Arguments of a colour function, made from an image in RGB."""
    from skimage import color

    if name.startswith("deltaE"):
        lab = _in_space("lab", rgb)
        return (lab, np.roll(lab, 3, 1)), {}
    if name == "convert_colorspace":
        return (rgb, "RGB", "HSV"), {}
    if name in ("separate_stains", "combine_stains"):
        matrix = color.hed_from_rgb if name == "separate_stains" else color.rgb_from_hed
        return (rgb if name == "separate_stains" else _in_space("hed", rgb), matrix), {}
    if name.startswith("gray2"):
        return (np.ascontiguousarray(rgb[..., 1]),), {}
    if name == "rgba2rgb":
        return (np.concatenate([rgb, rgb[..., :1]], axis=-1),), {}
    return (_in_space(name.partition("2")[0], rgb),), {}


def _in_space(space, rgb):
    """The image in a colour space; in its own dtype if that is RGB, else in float."""
    from skimage import color

    if space == "rgb":
        return rgb
    if space == "lch":
        return color.lab2lch(color.rgb2lab(rgb))
    return getattr(color, f"rgb2{space}")(rgb)


def _filters():
    from skimage import filters

    names = [
        f"{operator}{direction}"
        for operator in ("sobel", "scharr", "prewitt", "farid")
        for direction in ("", "_h", "_v")
    ]
    names += ["roberts", "roberts_pos_diag", "roberts_neg_diag", "laplace", "threshold_otsu"]
    for dtype in ("uint8", "float32", "float64"):
        image = gray(dtype)
        for sigma in (1, 3, 8):
            yield filters.gaussian, dtype, partial(_arguments, image, sigma=sigma)
        for name in names:
            yield getattr(filters, name), dtype, partial(_arguments, image)


def _arguments(*args, **kwargs):
    return args, kwargs


class Ways:
    """The ways of one call; each returns its milliseconds."""

    def __init__(self, function, args, kwargs):
        from skimage_gpu_backend.simulator import active

        self._own = inspect.unwrap(function)
        self._name = _public_name(function)
        self._host = args
        self._kwargs = kwargs
        self._device = tuple(_on_device(value) for value in args)
        self._simulated = active()

    def scikit_image(self):
        return _wall(lambda: self._own(*self._host, **self._kwargs))

    def on_device(self):
        if self._simulated:
            return _wall(lambda: self._backend(self._device))
        return _between_events(lambda: self._backend(self._device))

    def from_host(self):
        return _wall(lambda: self._backend(self._host))

    def _backend(self, args):
        from skimage_gpu_backend.decide import decide

        decision = decide("gpu", self._name, args, self._kwargs)
        if not decision:
            raise RuntimeError(f"{self._name}: {decision.reason}")
        return decision.run()


def _public_name(function):
    """As ``"skimage.filters:gaussian"``, wherever scikit-image defines it."""
    from skimage_gpu_backend.catalog import KERNELS

    (name,) = (name for name in KERNELS if name.endswith(f":{function.__name__}"))
    return name


def _on_device(value):
    import cupy as cp

    return cp.asarray(value) if isinstance(value, np.ndarray) and value.size > 9 else value


def _wall(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def _between_events(call):
    import cupy as cp

    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    call()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end)


def measure(function, dtype, arguments):
    """One row of the table: medians of all ways, in turn in each round."""
    args, kwargs = arguments()
    ways = Ways(function, args, kwargs)
    calls = {"scikit_image": ways.scikit_image, "device": ways.on_device, "host": ways.from_host}
    for call in calls.values():
        call()  # compiles and warms up
    rounds = [{name: call() for name, call in calls.items()} for _ in range(ROUNDS)]
    shown = ", ".join(f"{key}={value}" for key, value in kwargs.items())
    name = _public_name(function).removeprefix("skimage.").replace(":", ".")
    row = {"function": f"{name}({shown})" if shown else name, "dtype": dtype}
    return row | {name: statistics.median(r[name] for r in rounds) for name in calls}


def environment(module="benchmarks.functions"):
    """Where and with what was measured."""
    import cupy as cp

    name = cp.cuda.runtime.getDeviceProperties(0)["name"]

    def git(*command):
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    packages = ("scikit-image", "numpy", "scipy")
    versions = {package: importlib.metadata.version(package) for package in packages}
    return {
        "device": name.decode() if isinstance(name, bytes) else name,
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "cupy": cp.__version__,
        **versions,
        "commit": git("rev-parse", "--short", "HEAD") + ("+" if git("diff", "HEAD") else ""),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": " ".join([f"python -m {module}", *sys.argv[1:]]),
    }


def _cpu():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def markdown(rows, where):
    """The page with the table."""
    from skimage_gpu_backend.simulator import active

    device = "simulator" if active() else "GPU"
    lines = [f"# Functions at {SIZE} x {SIZE} on: {where['device']}", ""]
    if active():
        lines += ["Simulator in fast mode, on the CPU's cores: nothing here is about a GPU.", ""]
    lines += [f"- {key}: {value}" for key, value in where.items() if key != "device"]
    lines += [
        "",
        f"Milliseconds, median of {ROUNDS}. *Device arrays*: in and out; *NumPy*: both copies too.",
        "",
        f"| function | dtype | scikit-image | {device}, device arrays | faster | {device}, NumPy "
        "| faster |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        own, device_ms, host_ms = row["scikit_image"], row["device"], row["host"]
        lines.append(
            f"| {row['function']} | {row['dtype']} | {own:.1f} | {device_ms:.1f} "
            f"| {own / device_ms:.1f}x | {host_ms:.1f} | {own / host_ms:.1f}x |"
        )
    return "\n".join(lines) + "\n"


def main(names):
    """Measure the functions of these names, or all and write the results."""
    os.environ |= {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_GPU_MIN_SIZE": "0"}
    if os.environ.get("SKIMAGE_GPU_SIMULATOR") == "1":
        from skimage_gpu_backend import simulator

        simulator.activate()
    warnings.simplefilter("ignore")
    where, rows = environment(), []
    for function, *call in cases():
        if names and function.__name__ not in names:
            continue
        rows.append(measure(function, *call))
        print(markdown(rows[-1:], where).splitlines()[-1], flush=True)
    if names:
        return  # a part is no result to keep
    device = re.sub(r"\W+", "-", where["device"]).strip("-").lower()
    folder = ROOT / "benchmarks" / "results" / device
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "functions.md").write_text(markdown(rows, where))
    (folder / "functions.json").write_text(json.dumps({**where, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
