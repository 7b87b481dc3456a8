"""Copies between host and device alone: `python -m benchmarks.transfers`.

To the device and to the host, from and into pageable and pinned memory by CuPy, and of NumPy arrays
by this package, which moves large ones in pieces through pinned memory; all in turns, medians. Each
row goes to ``transfers.json`` and ``transfers.md`` and is not measured again.
"""

import functools

import numpy as np

from skimage_gpu_backend.availability import choose_device

from .environment import parser
from .rows import Rows, number, place, table
from .timing import in_turns

SIZES = (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28)  # bytes
MOST_SIMULATED = 1 << 24


def main(arguments=None):
    command = parser("benchmarks.transfers", __doc__)
    options = command.parse_args(arguments)
    choose_device()
    from cuda_simulator import active

    rows = Rows("transfers", "benchmarks.transfers", options.out, page)
    for size in SIZES:
        if not rows.of(bytes=size) and not (active() and size > MOST_SIMULATED):
            rows.add({"bytes": size} | in_turns(_copies(size)))


def _copies(size):
    """Way -> copy of so many bytes."""
    import cupy as cp

    from skimage_gpu_backend.adapt.transfer import to_device, to_host

    pageable = np.ones(size, "uint8")
    pinned = np.frombuffer(cp.cuda.alloc_pinned_memory(size), "uint8", size)
    pinned[:] = 1
    device = cp.asarray(pageable)
    stream = cp.cuda.get_current_stream()

    def synchronized(copy):
        copy()
        stream.synchronize()

    copies = {
        "to device, pageable": lambda: device.set(pageable),
        "to device, pinned": lambda: device.set(pinned),
        "to device, package": lambda: to_device(pageable),
        "to host, pageable": lambda: device.get(out=pageable),
        "to host, pinned": lambda: device.get(out=pinned),
        "to host, package": lambda: to_host(device),
    }
    return {way: functools.partial(synchronized, copy) for way, copy in copies.items()}


def page(where, rows) -> str:
    """Markdown: microseconds and rates."""
    ways = [key for key, seen in rows[0].items() if isinstance(seen, dict)]
    cells = [[f"{row['bytes']:,}", *(_cell(row, way) for way in ways)] for row in rows]
    head = ["bytes", *ways]
    return f"# Copies: µs (GB/s)\n\n{place(where)}\n\n{table(head, cells, texts=0)}"


def _cell(row, way):
    us = row[way].get("us")
    return f"{number(us)} ({number(1e-3 * row['bytes'] / us)})" if us else "refused"


if __name__ == "__main__":
    main()
