"""What grows with the number of chunks of a Dask array: `python -m benchmarks.scaling [name ...]`.

Weak scaling, counted: from 1 to 64 chunks of one size, planes and volumes, the tasks of the graph
as Dask has optimized it, the bytes that would go between workers if each of them had one chunk,
and the launches. A task runs where most of its arguments lie, as Dask's scheduler has it, and what
it takes from elsewhere is counted once for each worker that takes it.

One line of Markdown a graph, and what it took to build it, which is no count: it differs from run
to run. Launches are counted with `SKIMAGE_GPU_SIMULATOR=1` alone.
"""

import argparse
import os
import pickle
import time
from math import prod
from typing import NamedTuple

import dask
import dask.array as da
import numpy as np
import skimage as ski
from dask.callbacks import Callback

from cuda_simulator import counters
from skimage_gpu_backend import enable, use_backends
from skimage_gpu_backend.availability import choose_device

# side of a chunk, and how many chunks along each axis
GRIDS = (
    (96, ((1, 1), (2, 2), (4, 4), (8, 8))),
    (24, ((1, 1, 1), (2, 2, 2), (4, 4, 4))),
)
FLOWS = {
    "gaussian": lambda image: ski.filters.gaussian(image, sigma=1),
    "threshold_otsu": lambda image: image > ski.filters.threshold_otsu(image),
    "label": lambda image: ski.measure.label(image > 0.999),
    "reconstruction": lambda image: ski.morphology.reconstruction(image * image, image),
}
COLUMNS = (
    "chunks of",
    "chunks",
    "tasks",
    "a chunk",
    "launches a chunk",
    "bytes between workers",
    "a chunk",
    "a face",
)


class Counts(NamedTuple):
    """Of a graph, and of its run."""

    tasks: int
    launches: int
    moved: int  # bytes
    build: float  # seconds


def image_of(side, grid):
    """Dask array of chunks that are made where they are needed: noise with a few bright ones."""
    return da.map_blocks(
        _chunk,
        chunks=tuple((side,) * n for n in grid),
        dtype=np.float32,
        meta=np.empty((0,) * len(grid), np.float32),
    )


def _chunk(block_info):
    told = block_info[None]
    rng = np.random.default_rng(told["chunk-location"])
    return rng.random(told["chunk-shape"], np.float32)


def faces(grid):
    """Number of faces between neighbours."""
    return sum(prod(grid) // n * (n - 1) for n in grid)


def counted(flow, image) -> Counts:
    """Build the graph of a flow, and run it."""
    start = time.perf_counter()
    with use_backends("gpu"):
        result = FLOWS[flow](image)
    build = time.perf_counter() - start
    (result,) = dask.optimize(result)
    graph = dict(result.__dask_graph__())
    sizes = {}
    note = Callback(posttask=lambda key, value, *_: sizes.__setitem__(key, _nbytes(value)))
    with note, counters.counting() as seen:
        dask.get(graph, result.__dask_keys__())
    return Counts(len(graph), seen.launches, moved(graph, sizes), build)


def _nbytes(value):
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.nbytes
    return len(pickle.dumps(value))


def moved(graph, sizes):
    """Bytes that tasks take from other workers than the one that they run on."""
    homes, taken = {}, set()
    for key in dask.order.order(graph):  # arguments before those who take them
        shares = {}
        for argument in sorted(graph[key].dependencies, key=str):
            shares[homes[argument]] = shares.get(homes[argument], 0) + sizes[argument]
        homes[key] = max(shares, key=shares.get) if shares else key
        taken |= {(a, homes[key]) for a in graph[key].dependencies if homes[a] != homes[key]}
    return sum(sizes[argument] for argument, _ in taken)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*FLOWS, []], help="default: all")
    options = parser.parse_args()
    os.environ |= {"SKIMAGE_BACKENDS_MIN_SIZE": "0", "SKIMAGE_BACKENDS_NOTIFY": "none"}
    choose_device()
    enable()
    print(f"| call | {' | '.join(COLUMNS)} | built in |")
    print("| --- | --- |" + " ---: |" * len(COLUMNS))
    for flow in options.names or FLOWS:
        for side, grids in GRIDS:
            for grid in grids:
                counts = counted(flow, image_of(side, grid))
                print(row(flow, side, grid, counts), f"{1e3 * counts.build:.0f} ms |", flush=True)


def row(flow, side, grid, counts):
    """Line of the table."""
    chunks, met = prod(grid), faces(grid)
    cells = [
        f"`{flow}`",
        f"{side}" + f" x {side}" * (len(grid) - 1),
        chunks,
        f"{counts.tasks:,}",
        f"{counts.tasks / chunks:.1f}",
        f"{counts.launches / chunks:.1f}",
        f"{counts.moved:,}",
        f"{counts.moved / chunks:,.0f}",
        f"{counts.moved / met:,.0f}" if met else "",
    ]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
