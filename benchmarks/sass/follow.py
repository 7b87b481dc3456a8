"""Follow some blocks of one launch."""

import functools
from typing import NamedTuple

import numpy as np

from tests.kernels import cubin

from . import NotFollowed, code
from .counts import Counts
from .machine import Machine
from .memory import Arena

THREADS = 2048  # that are followed at once, whole blocks
STEPS = 4_000_000  # instructions of threads that are together
SEED = 20240229


class Pointer(NamedTuple):
    """An argument that begins with an address: a piece of memory's name and a place in it."""

    memory: object
    offset: int = 0
    rest: bytes = b""


class Followed(NamedTuple):
    """What was seen: of `blocks`, which stand for all of the grid."""

    kernel: code.Kernel
    counts: Counts
    blocks: tuple
    arena: Arena


@functools.lru_cache(maxsize=64)
def read(image: bytes, capability: str):
    """Kernels of a cubin and their resources."""
    return code.kernels(image), cubin.resources(image, capability)


def follow(
    image, name, capability, grid, block, arguments, memory, shared=0, threads=THREADS
) -> Followed:
    """Run blocks of a launch.

    Parameters
    ----------
    image : bytes
        A cubin.
    name : str
        Of the kernel there.
    capability : str
        As ``"8.6"``.
    grid, block : tuple of int
        Three each.
    arguments : sequence of bytes or Pointer
        Of the kernel.
    memory : dict
        What pointers point into: arrays of uint8 by name, which are copied.
    shared : int
        Bytes of dynamic shared memory.
    threads : int
        How many are followed; at least a block.

    Raises
    ------
    NotFollowed
        With the reason.
    """
    kernels, resources = read(image, capability)
    kernel, has = kernels[name], resources[name]
    blocks = _some(grid[0] * grid[1] * grid[2], threads // (block[0] * block[1] * block[2]))
    variables = {n: np.frombuffer(text, np.uint8) for n, text in kernel.variables.items()}
    arena = Arena({**memory, **variables}, len(blocks))
    if len(arguments) != len(kernel.parameters):
        raise NotFollowed("a kernel with other arguments than the launch's")
    packed = bytearray(max((o + n for o, n in kernel.parameters), default=0))
    for k, (offset, size) in enumerate(kernel.parameters):
        given = arguments[k]
        if isinstance(given, Pointer):
            address = arena.address(given.memory) + given.offset
            given = address.to_bytes(8, "little") + given.rest
        packed[offset : offset + size] = given[:size].ljust(size, b"\0")
    machine = Machine(
        kernel,
        arena,
        capability,
        grid,
        block,
        blocks,
        bytes(packed),
        has.shared + shared,
        has.stack,
    )
    machine.run(STEPS)
    return Followed(kernel, machine.counts, tuple(blocks), arena)


def _some(count, wanted):
    """Numbers of blocks, by chance: the first ones may have more of the image's border."""
    if count <= max(1, wanted):
        return list(range(count))
    return sorted(np.random.default_rng(SEED).choice(count, max(1, wanted), replace=False))
