"""A chain of five calls in each mode: `python -m benchmarks.resident [--sides ...]`.

`rgb2gray`, `gaussian`, `sobel`, `gaussian`, `invert` of a colour image, from a NumPy array to a
NumPy array that the host has read: on scikit-image, in the ordinary mode (each result comes
back), with results that stay on the device, and with CuPy arrays in between and one copy out.
Then what the last result costs the host: the first look at it, by page faults, beside a copy.

One line of JSON a size; median milliseconds. On the simulator the times are the CPU's and
say nothing about a GPU.
"""

import argparse
import json
import os
import statistics
import time

import numpy as np
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.availability import choose_device

ROUNDS = 7
SIDES = (512, 2048, 8192)


def chain(image):
    """Inverted smooth edges of a colour image."""
    gray = ski.color.rgb2gray(image)
    edges = ski.filters.sobel(ski.filters.gaussian(gray, 2))
    return ski.util.invert(ski.filters.gaussian(edges, 1))


def measured(side):
    """Milliseconds by way, for an image of this many pixels a side."""
    import cupy as cp

    image = np.random.default_rng(0).integers(0, 256, (side, side, 3), np.uint8)

    def run(output):
        with use_backends("gpu", output=output):
            return chain(image)

    def scikit_image():
        with use_backends():
            chain(image)

    result = np.empty((side, side))
    ways = {
        "scikit-image": scikit_image,
        "ordinary": lambda: np.copyto(result, run(None)),
        "resident": lambda: np.copyto(result, run("resident")),
        "CuPy between": lambda: np.copyto(result, cp.asnumpy(run("cupy"))),
        "resident, not looked at": lambda: run("resident"),
    }
    row = {"side": side, "bytes out": result.nbytes}
    row |= {way: _median(_timed, call) for way, call in ways.items()}
    row["first look"] = _median(lambda: _timed(np.copyto, result, run("resident")))

    def copy_out():
        device = run("cupy")
        cp.cuda.Device().synchronize()
        return _timed(cp.asnumpy, device)

    row["copy out"] = _median(copy_out)
    return row


def _median(measure, *args):
    measure(*args)  # kernels are compiled, pools filled
    return statistics.median(measure(*args) for _ in range(ROUNDS))


def _timed(call, *args):
    """Milliseconds of a call; its arguments are there before."""
    start = time.perf_counter()
    call(*args)
    return 1e3 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.resident", description=__doc__)
    parser.add_argument("--sides", type=int, nargs="+", default=SIDES, help="pixels")
    options = parser.parse_args()
    os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "0"
    choose_device()
    for side in options.sides:
        print(json.dumps(measured(side)), flush=True)


if __name__ == "__main__":
    main()
