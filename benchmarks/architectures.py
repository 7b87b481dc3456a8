"""What streaming multiprocessors of each compute capability have, and how many warps fit there.

Source: NVIDIA, CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications
per Compute Capability"; granularities from the calculator of Nsight Compute.
"""

from typing import NamedTuple

WARP = 32
REGISTERS = 65536  # of a multiprocessor
_REGISTER_UNIT = 256  # in which a warp gets them
_WARP_UNIT = 4  # in which a multiprocessor's registers are divided


class Multiprocessor(NamedTuple):
    """Warps and blocks that it holds, bytes of shared memory; of these the system's, per block."""

    warps: int
    blocks: int
    shared: int
    reserved: int
    shared_unit: int


MULTIPROCESSORS = {
    "7.0": Multiprocessor(64, 32, 96 << 10, 0, 256),
    "7.5": Multiprocessor(32, 16, 64 << 10, 0, 256),
    "8.0": Multiprocessor(64, 32, 164 << 10, 1024, 128),
    "8.6": Multiprocessor(48, 16, 100 << 10, 1024, 128),
    "8.9": Multiprocessor(48, 24, 100 << 10, 1024, 128),
    "9.0": Multiprocessor(64, 32, 228 << 10, 1024, 128),
    "10.0": Multiprocessor(64, 32, 228 << 10, 1024, 128),
    "12.0": Multiprocessor(48, 24, 100 << 10, 1024, 128),
}


def blocks(capability, registers, threads, shared):
    """Blocks that a multiprocessor holds at once.

    Parameters
    ----------
    capability : str
        As ``"8.6"``.
    registers : int
        Of a thread.
    threads, shared : int
        Of a block; bytes, static and dynamic.
    """
    has = MULTIPROCESSORS[capability]
    warps = _up(threads, WARP) // WARP
    of_registers = REGISTERS // _up(registers * WARP, _REGISTER_UNIT) // _WARP_UNIT * _WARP_UNIT
    of_shared = has.shared // max(1, _up(shared + has.reserved, has.shared_unit))
    return min(has.blocks, has.warps // warps, of_registers // warps, of_shared)


def occupancy(capability, registers, threads, shared):
    """Share of the warps of a multiprocessor that `blocks` fill."""
    warps = _up(threads, WARP) // WARP
    return (
        warps * blocks(capability, registers, threads, shared) / MULTIPROCESSORS[capability].warps
    )


def _up(number, unit):
    return -(-number // unit) * unit
