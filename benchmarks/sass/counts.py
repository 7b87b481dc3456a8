"""What warps issued and asked for, and the classes of instructions."""

import re

import numpy as np

SECTOR = 32  # bytes that memory moves at least
_EACH = 64  # requests of an instruction that are all looked at; then one of `_SOME`
_SOME = 8
# Which unit an instruction goes to, by its name; the first that matches. What is not here goes
# to the units for integers.
CLASSES = (
    ("double", r"D(ADD|MUL|FMA|SETP)\b"),
    # to and from 64 bits: a quarter of the others' rate, and less where double is slow
    ("wide", r"(I2F|F2I|F2F|FRND)\b.*64|MUFU\.\w+64H"),
    ("special", r"MUFU|I2F\b|F2I\b|F2F\b|FRND|POPC|FLO|BREV"),
    ("single", r"F(ADD|MUL|FMA|CHK|SWZADD)\b|HADD2|HMUL2|HFMA2|IMAD"),
    ("shared", r"LDS|STS|ATOMS"),
    ("global", r"LDG|STG|LD\b|ST\b|LDL|STL|ATOM|RED"),
    ("constant", r"LDC|ULDC"),
    ("exchange", r"SHFL|VOTE|MATCH|REDUX"),
    ("uniform", r"U[A-Z]|R2UR|S2UR"),
    ("control", r"BRA|BRX|BSSY|BSYNC|BMOV|BREAK|CALL|RET|EXIT|BAR|WARPSYNC|NOP|YIELD|MEMBAR|B2R"),
)
_CLASSES = [(name, re.compile(pattern)) for name, pattern in CLASSES]


def class_of(instruction) -> str:
    """One of `CLASSES`, or "integer"."""
    text = ".".join((instruction.name, *instruction.modifiers))
    return next((name for name, pattern in _CLASSES if pattern.match(text)), "integer")


class Counts:
    """What the followed blocks did.

    Attributes
    ----------
    issued, lanes : numpy.ndarray
        By instruction, how often warps issued it, and for how many threads.
    sectors, lines, wavefronts : numpy.ndarray
        By instruction: 32-byte sectors and 128-byte lines that requests of warps touched, and
        turns that shared memory took.
    barriers : int
        Of blocks.
    atomics : numpy.ndarray
        By instruction, the most threads of a warp that met at one address.
    """

    def __init__(self, machine):
        size = len(machine.kernel.instructions)
        self.issued, self.lanes = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.sectors, self.lines = np.zeros(size), np.zeros(size)
        self.wavefronts, self.met = np.zeros(size), np.zeros(size)
        self._requests = np.zeros(size, np.int64)
        self.barriers, self.reduction = 0, "OR"
        self.hot = {}  # by address of global memory: atomic operations there

    def weight(self, at):
        """How many requests of an instruction the next one stands for; 0: not looked at."""
        seen = self._requests[at]
        self._requests[at] += 1
        if seen < _EACH:
            return 1
        return 0 if seen % _SOME else _SOME

    def requested(self, m, addresses, width):
        """Note a request for global memory by the threads of the mask."""
        weight = self.weight(m.at)
        if weight:
            rows, rows_of = _rows(m, addresses >> 5)
            self.sectors[m.at] += weight * _distinct(rows, rows_of)
            self.lines[m.at] += weight * _distinct(rows >> 2, rows_of)

    def conflicts(self, m, addresses, width):
        """Note a request for shared memory: the turns that it takes."""
        weight = self.weight(m.at)
        if not weight:
            return
        words = max(1, width // 4)
        rows, active = _rows(m, addresses >> 2)
        if words > 1:  # a half or a quarter of the warp at a time
            rows = rows.reshape(-1, 32 // words, 1) + np.arange(words)
            active = np.repeat(active.reshape(-1, 32 // words), words, 1)
        rows = rows.reshape(-1, 32)
        some = active.reshape(-1, 32).any(1)
        rows = np.sort(rows[some], axis=1)
        fresh = np.ones(rows.shape, bool)
        fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
        banks = rows % 32 + 32 * np.arange(len(rows))[:, None]
        turns = np.bincount(banks[fresh], minlength=32 * len(rows)).reshape(-1, 32).max(1)
        self.wavefronts[m.at] += weight * int(turns.sum())

    def atomic(self, m, addresses):
        """Note atomic operations of the mask's threads on global memory."""
        found, times = np.unique(addresses[m.mask], return_counts=True)
        for address, count in zip(found.tolist(), times.tolist(), strict=True):
            self.hot[address] = self.hot.get(address, 0) + count


def _rows(m, places):
    """One row for each warp that has a thread in the mask; others repeat one that has."""
    rows, active = places.reshape(-1, 32), m.mask.reshape(-1, 32)
    if m.full:
        return rows, active
    some = active.any(1)
    rows, active = rows[some], active[some]
    first = np.take_along_axis(rows, active.argmax(1)[:, None], 1)
    return np.where(active, rows, first), active


def _distinct(rows, active):
    ordered = np.sort(rows, axis=1)
    return len(rows) + int((ordered[:, 1:] != ordered[:, :-1]).sum())
