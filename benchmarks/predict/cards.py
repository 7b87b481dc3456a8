"""Cards, and what multiprocessors of each compute capability do in a clock: data with sources."""

import itertools
from typing import NamedTuple

from skimage_gpu_backend.sizes.model import TYPICAL

KIB, MIB = 1 << 10, 1 << 20
# Seconds that a launch takes beside what it does, and a copy of a few numbers to the host. Source:
# none for a card; what crossover sizes are made with (`skimage_gpu_backend.sizes.model`). An H200's
# launches took as much, see `docs/measured.md`.
LAUNCH, COPY = TYPICAL["launch"], TYPICAL["copy"]
# Share of the memory's nominal bandwidth that a mere copy gets. Source: none; assumed for all
# cards. `benchmarks/on_gpu.sh` measures it.
OF_NOMINAL = 0.9
ISSUED = 4  # warps' instructions a clock. Source: tuning guides of Turing to Hopper: 4 schedulers
# Share of these that warps did issue at most, and for each share of the warps for which there is
# room: they wait for their own results. Source: an H200, see `docs/measured.md`
MOST_ISSUED, ISSUED_BY_WARPS = 0.72, 1.5
LINES = 1  # turns of 128 bytes of shared memory or L1 a clock. Source: the same guides
# Bytes a clock that L2 gives and takes for each multiprocessor. Source: an H200, whose launches
# moved 4.1 to 5.4 TB/s at most, see `docs/measured.md`; white papers of Volta and A100 have 64
FROM_L2 = 18
# Atomic operations a clock on one address of global memory. Source: none; assumed
ON_ONE_ADDRESS = 1


class Rates(NamedTuple):
    """Threads' instructions that a multiprocessor finishes in a clock, by unit.

    Source: CUDA C++ Programming Guide, "Arithmetic Instructions", table of throughputs; which
    instructions share a unit: Nsight Compute's documentation, "Pipelines". `single` has products
    and sums, of integers too (IMAD); `integer` logic, sums and comparisons, of floats too; `wide`
    conversions from and to 64 bits.
    """

    single: int
    integer: int
    special: int
    double: int
    wide: int
    exchange: int = 32


RATES = {
    "7.5": Rates(64, 64, 16, 2, 2),
    "8.0": Rates(64, 64, 16, 32, 16),
    "8.6": Rates(128, 64, 16, 2, 2),
    "8.9": Rates(128, 64, 16, 2, 2),
    "9.0": Rates(128, 64, 16, 64, 16),
}


class Card(NamedTuple):
    """A card.

    `clock` in Hz is that of the boost, at which no card stays under load; `bandwidth` is nominal,
    in bytes a second; `l2` in bytes.
    """

    title: str
    capability: str
    multiprocessors: int
    clock: float
    bandwidth: float
    l2: int
    source: str


CARDS = {
    "h100": Card(
        "H100 SXM",
        "9.0",
        132,
        1.98e9,
        3.35e12,
        50 * MIB,
        "NVIDIA H100 data sheet (67 TFLOPS single, 3.35 TB/s), H100 white paper",
    ),
    "h200": Card(
        "H200 SXM",
        "9.0",
        132,
        1.98e9,
        4.8e12,
        50 * MIB,
        "NVIDIA H200 data sheet (67 TFLOPS single, 4.8 TB/s)",
    ),
    "a100": Card(
        "A100 SXM, 40 GB",
        "8.0",
        108,
        1.41e9,
        1.555e12,
        40 * MIB,
        "NVIDIA A100 white paper",
    ),
    "l4": Card(
        "L4",
        "8.9",
        58,
        2.04e9,
        300e9,
        48 * MIB,
        "NVIDIA L4 data sheet (30.3 TFLOPS single, 300 GB/s), Ada white paper (AD104)",
    ),
    "t4": Card(
        "T4",
        "7.5",
        40,
        1.59e9,
        320e9,
        4 * MIB,
        "NVIDIA T4 data sheet (8.1 TFLOPS single), Turing white paper (TU104)",
    ),
    "rtx4090": Card(
        "GeForce RTX 4090",
        "8.9",
        128,
        2.52e9,
        1.008e12,
        72 * MIB,
        "NVIDIA Ada white paper",
    ),
    "rtx3070": Card(
        "GeForce RTX 3070",
        "8.6",
        46,
        1.725e9,
        448e9,
        4 * MIB,
        "NVIDIA Ampere GA102 white paper (appendix on GA104)",
    ),
    "rtx3060": Card(
        "GeForce RTX 3060",
        "8.6",
        28,
        1.777e9,
        360e9,
        3 * MIB,
        "NVIDIA's page of the GeForce RTX 3060 (3584 cores, 1.78 GHz, 192 bits at 15 Gb/s)",
    ),
}
# What the page and the command show unless they are told otherwise.
SHOWN = ("h100", "a100", "l4", "t4", "rtx4090", "rtx3060")


def there(name: str) -> Card | None:
    """The card that CUDA calls so, None for one that is not known here."""
    words = name.upper().replace("-", " ").split()
    told = {*words, *map("".join, itertools.pairwise(words))}  # "RTX 4090" as "RTX4090"
    return next((card for key, card in CARDS.items() if key.upper() in told), None)
