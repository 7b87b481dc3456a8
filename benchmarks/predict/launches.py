"""The launches of a call on the simulator, some blocks of each followed in machine code."""

import contextlib
import ctypes
import functools
import math
from dataclasses import dataclass, field, replace
from unittest import mock

import numpy as np

from benchmarks.architectures import MULTIPROCESSORS, WARP
from benchmarks.sass import NotFollowed
from benchmarks.sass.counts import class_of
from benchmarks.sass.follow import Followed, follow, read
from cuda_simulator import counters
from cuda_simulator import launch as simulated
from skimage_gpu_backend.device import kernels

from . import elementwise
from .images import foreign, image_of

# Elements that one block sorts by comparisons, which others then merge in pairs. Source: none;
# assumed for Thrust's sort of tuples and of what has no digits. So many are sorted in one launch.
_BLOCK = 1 << 11
_TAKING = {"thin"}  # kernels whose blocks take shares until there are no more: a few do all of it
_LATEST = 64  # launches of one kind that are followed at places that double; then no more


@dataclass
class Work:
    """What one launch asks for, all its blocks together.

    Attributes
    ----------
    name : str
    grid, block : tuple of int
    registers, shared : int
        Of a thread; bytes of a block, static and dynamic.
    instructions : dict
        Issued by warps, by class.
    turns, requests : float
        Of shared memory; of global memory in L1.
    sectors : float
        Of 32 bytes that come from L2 or go there.
    moved : list of (object or None, float, float)
        Memory, and bytes of it that are read and written, each once.
    at_one_address : float
        Atomic operations.
    followed : str
        Why no machine code was followed; "" where it was.
    efficiency : float
        Share of threads that took part in what warps issued.
    """

    name: str
    grid: tuple
    block: tuple
    registers: int = 0
    shared: int = 0
    instructions: dict = field(default_factory=dict)
    turns: float = 0
    requests: float = 0
    sectors: float = 0
    moved: list = field(default_factory=list)
    at_one_address: float = 0
    followed: str = ""
    efficiency: float = 1


@dataclass
class Watched:
    """Launches in their order, and copies to the host."""

    works: list = field(default_factory=list)
    copies: int = 0


@contextlib.contextmanager
def watched(card, is_ours=True):
    """Note all launches inside a ``with`` block as a card would have them.

    Parameters
    ----------
    card : cards.Card
    is_ours : bool
        Whether kernels are this package's, whose grids are made for the card.

    Yields
    ------
    Watched
    """
    from cupy import ElementwiseKernel, _kernels

    seen, following = Watched(), _Following(card.capability)
    pending = []
    run, loop = _kernels.Kernel.__call__, ElementwiseKernel._run
    count, processors = counters.launched, kernels._processors
    count_sorts, sorting = counters.sorts, []

    def called(kernel, grid, block, args, shared_mem=0, *rest, **more):
        grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        name = kernel._launcher().entry.name
        image = functools.partial(image_of, kernel.module, name, card.capability)
        pending.append(following.work(image, name, grid, block, args, shared_mem))
        run(kernel, grid, block, args, shared_mem, *rest, **more)

    def looped(kernel, inputs, outputs, in_types, known, shape, block_size):
        text, grid, block, args = elementwise.launch_of(
            kernel, inputs, outputs, in_types, known, shape
        )
        image = functools.partial(foreign, text, kernel.name, card.capability)
        pending.append(following.work(image, text, grid, block, args, 0, kernel.name))
        loop(kernel, inputs, outputs, in_types, known, shape, block_size)

    def launched(read, written):
        count(read, written)
        if sorting:
            seen.works += sorting.pop()
        else:
            seen.works.append(pending.pop() if pending else _plain(read, written))

    def sorts(*told):
        count_sorts(*told)
        sorting[:] = [sort_works(*told)]

    def of_card(device):
        return card.multiprocessors, MULTIPROCESSORS[card.capability].warps * WARP

    with (
        mock.patch.object(_kernels.Kernel, "__call__", called),
        mock.patch.object(ElementwiseKernel, "_run", looped),
        mock.patch.object(counters, "launched", launched),
        mock.patch.object(counters, "sorts", sorts),
        mock.patch.object(kernels, "_processors", of_card if is_ours else processors),
        counters.counting() as copies,
    ):
        yield seen
    seen.copies = copies.to_host


def _plain(read, written):
    """A launch of CuPy's own of which nothing is known but bytes."""
    return _plain_of((None, read, written))


def sort_works(count, key, carried, by_digits):
    """Launches of one of Thrust's sorts, told as `counters.sorts` is, between two memories.

    CUB's radix sort, which CuPy's is for arrays of one axis, takes one for each digit of a byte,
    which reads and writes all once, behind one that counts digits. Source: A. Adinets,
    D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
    """
    whole, memory, works = count * (key + carried), (object(), object()), []
    if count <= _BLOCK:
        passes = 1
    elif by_digits:
        passes = key
        works.append(_plain_of((memory[0], count * key, 0)))
    else:
        passes = 1 + math.ceil(math.log2(count / _BLOCK))
    for turn in range(passes):
        source, target = memory[turn % 2], memory[1 - turn % 2]
        works.append(_plain_of((source, whole, 0), (target, 0, whole)))
    return works


def _plain_of(*moved):
    return Work("", (), (), moved=list(moved), followed="no source")


class _Following:
    """Follows launches; of many of one kind the first, the second, the fourth and so on."""

    def __init__(self, capability):
        self._capability, self._known = capability, {}

    def work(self, image, key, grid, block, args, shared, name=None):
        """The `Work` of a launch."""
        arguments, memory, sizes = _arguments(args)
        key = key, grid, block, shared, tuple(sizes)
        place, latest = self._known.get(key, (0, None))
        is_power = place & (place - 1) == 0
        if latest is None or (is_power and place < _LATEST and not latest.followed):
            latest = Work(name or key[0], grid, block)
            self._follow(latest, image, arguments, memory, shared)
        else:
            latest = replace(latest, moved=_renamed(latest.moved, memory))
        self._known[key] = place + 1, latest
        return latest

    def _follow(self, work, image, arguments, memory, shared):
        try:
            code, name = image()
            launch = work.grid, work.block, arguments, memory, shared
            seen = follow(code, name, self._capability, *launch)
        except NotFollowed as reason:
            work.followed = str(reason)
            work.moved = [(k, len(data), len(data)) for k, data in memory.items()]
            return
        has = read(code, self._capability)[1][name]
        vars(work).update(vars(told(work.name, work.grid, work.block, seen, memory)))
        work.registers, work.shared = has.registers, has.shared + shared


def _renamed(moved, memory):
    """What a launch of the same kind moved, in the memory of this one."""
    return [(name, *amounts) for (_, *amounts), name in zip(moved, memory, strict=False)]


def told(name, grid, block, seen: Followed, memory) -> Work:
    """What all blocks of a launch do, from what was seen of some."""
    work, counts = Work(name, grid, block), seen.counts
    scale = 1 if name in _TAKING else grid[0] * grid[1] * grid[2] / len(seen.blocks)
    issued = {}
    for instruction, times in zip(seen.kernel.instructions, counts.issued.tolist(), strict=True):
        if times:
            kind = class_of(instruction)
            issued[kind] = issued.get(kind, 0) + times * scale
    work.instructions = issued
    work.turns = float(counts.wavefronts.sum()) * scale
    # a request takes a turn for each line, and for each four sectors
    work.requests = float(np.maximum(counts.lines, counts.sectors / 4).sum()) * scale
    stored = np.array([x.name in _STORES for x in seen.kernel.instructions])
    written = float(counts.sectors[stored].sum())
    loaded = 0
    for name, data in memory.items():
        once, stores = seen.arena.touched(name)
        loaded += once
        whole = -(-len(data) // 32) * 32
        work.moved.append((name, min(32 * once * scale, whole), min(32 * stores * scale, whole)))
    work.sectors = (loaded + written) * scale
    hot = max(counts.hot.values(), default=0)
    work.at_one_address = hot * scale
    work.efficiency = float(counts.lanes.sum() / (32 * max(1, counts.issued.sum())))
    return work


_STORES = {"STG", "ST", "ATOM", "ATOMG", "RED", "REDG"}


def _arguments(args):
    """Arguments as `follow` takes them, the memory behind pointers, sizes of arrays."""
    from cupy import ndarray

    made, memory, sizes = [], {}, []
    for each in args:
        each, rest = each if isinstance(each, tuple) else (each, b"")
        if isinstance(each, ndarray):
            argument, piece = elementwise.pointer_to(each, rest)
            if piece.size and piece.ptr not in memory:
                there = (ctypes.c_uint8 * piece.size).from_address(piece.ptr + piece._shift)
                memory[piece.ptr] = np.frombuffer(there, np.uint8)
            sizes.append((each.nbytes, rest))
            made.append(argument)
        elif each is None:
            made.append(bytes(8))
        elif isinstance(each, bytes):
            made.append(each)
        else:
            data = simulated._scalar(each)[1]
            made.append(int(each).to_bytes(8, "little") if data is None else data)
    return made, memory, sizes
