"""Memory: global, shared, a thread's own, constants; and atomic functions."""

import numpy as np

from . import NotFollowed
from .code import ZERO
from .counts import SECTOR
from .integers import I32, U32, U64

RESERVED = 1024  # bytes before a block's shared memory from 9.0 on; here always there
_BEGIN = 0x7F00_0000_0000  # where device memory begins
WINDOW = 0x7E00  # the high word of addresses in shared memory where those of any memory are taken
_GUARD = 4096  # bytes between arrays
LARGEST = 1 << 30  # bytes of arrays that are copied for one launch
_SIGNED = {"S8": np.int8, "S16": np.int16}


class Arena:
    """Device memory of a launch: copies of its arrays and of the module's variables.

    Parameters
    ----------
    arrays : dict
        Bytes (1-D arrays of uint8) by name.
    blocks : int
        Blocks that are followed: for each it is noted which sectors it touches.
    """

    def __init__(self, arrays, blocks):
        self.places, end = {}, _GUARD
        for name, data in arrays.items():
            self.places[name] = (end, len(data))
            end += -(-len(data) // 256) * 256 + _GUARD
        if end > LARGEST:
            raise NotFollowed("arrays of so many bytes")
        self.data = np.zeros(end // 4, U32)
        whole = self.data.view(np.uint8)
        for name, data in arrays.items():
            begin, size = self.places[name]
            whole[begin : begin + size] = data
        self._sectors = end // SECTOR
        self.read = np.zeros((blocks, self._sectors), bool)
        self.written = np.zeros((blocks, self._sectors), bool)

    def address(self, name):
        """Where an array begins, for a kernel."""
        return _BEGIN + self.places[name][0]

    def contents(self, name):
        """Bytes of an array."""
        begin, size = self.places[name]
        return self.data.view(np.uint8)[begin : begin + size]

    def touched(self, name):
        """Sectors of an array that blocks read and wrote: sums over blocks."""
        begin, size = self.places[name]
        part = slice(begin // SECTOR, -(-(begin + size) // SECTOR))
        return tuple(int(np.count_nonzero(each[:, part])) for each in (self.read, self.written))

    def offsets(self, m, addresses, width, store):
        """Places of the mask's addresses in `data` in bytes; noted."""
        places = addresses.view(np.int64) - _BEGIN
        places = np.where(m.mask, places, 0)
        if places.min() < 0 or places.max() + width > 4 * len(self.data):
            raise NotFollowed("an address outside the launch's arrays")
        m.counts.requested(m, places, width)
        flags = self.written if store else self.read
        flags[m.block[m.mask], places[m.mask] // SECTOR] = True
        return places


def _address(m, operand):
    registers, offset = operand.value
    total = sum(m.address(registers), U64(0))
    return np.broadcast_to(total + U64(offset & (1 << 64) - 1), m.size)


def _width(modifiers):
    for text, width in (("128", 16), ("64", 8)):
        if text in modifiers:
            return width
    for text in modifiers:
        if text in ("U8", "S8"):
            return 1
        if text in ("U16", "S16"):
            return 2
    return 4


def _load(m, out, data, places, width, modifiers):
    if width < 4:
        kind = np.uint8 if width == 1 else np.uint16
        found = data.view(kind)[places // width]
        signed = next((_SIGNED[x] for x in modifiers if x in _SIGNED), None)
        m.put(out, found.view(signed).astype(I32).view(U32) if signed else found.astype(U32))
        return
    for word in range(width // 4):
        if out.value != ZERO:
            m.put(out._replace(value=out.value + word), data[(places >> 2) + word])


def _store(m, value, data, places, width):
    mask = m.mask
    where = places[mask]
    for word in range(max(1, width // 4)):
        register = value if value.value == ZERO else value._replace(value=value.value + word)
        bits = np.broadcast_to(m.raw(register), m.size)[mask]
        if width < 4:
            kind = np.uint8 if width == 1 else np.uint16
            data.view(kind)[where // width] = bits.astype(kind)
        else:
            data[(where >> 2) + word] = bits


def _ldg(m, ins):
    out, address = ins.operands[0], next(o for o in ins.operands if o.kind == "[")
    width = _width(ins.modifiers)
    places = m.arena.offsets(m, _address(m, address), width, False)
    _load(m, out, m.arena.data, places, width, ins.modifiers)


def _ld(m, ins):
    """From device memory or from shared memory, as the address tells."""
    address = next(o for o in ins.operands if o.kind == "[")
    in_window = _address(m, address) >> U64(32) == WINDOW
    mask, full = m.mask, m.full
    for load, part in ((_lds, mask & in_window), (_ldg, mask & ~in_window)):
        if part.any():
            m.mask, m.full = part, bool(part.all())
            load(m, ins)
    m.mask, m.full = mask, full


def _stg(m, ins):
    address, value = ins.operands[:2]
    width = _width(ins.modifiers)
    places = m.arena.offsets(m, _address(m, address), width, True)
    _store(m, value, m.arena.data, places, width)


def _within_block(m, operand, width):
    """Places in the blocks' shared memory of the mask's addresses."""
    inside = (_address(m, operand) & U64(0xFFFFFF)).astype(np.int64)
    inside = np.where(m.mask, inside, 0)
    if inside.max() + width > m.shared_stride:
        raise NotFollowed("an address outside shared memory")
    m.counts.conflicts(m, inside, width)
    return inside + m.block * m.shared_stride


def _lds(m, ins):
    out, address = ins.operands[0], next(o for o in ins.operands if o.kind == "[")
    width = _width(ins.modifiers)
    _load(m, out, m.shared, _within_block(m, address, width), width, ins.modifiers)


def _sts(m, ins):
    address, value = ins.operands
    width = _width(ins.modifiers)
    _store(m, value, m.shared, _within_block(m, address, width), width)


def _own(m, operand, width):
    inside = (_address(m, operand) & U64(0xFFFFFF)).astype(np.int64)
    inside = np.where(m.mask, inside, 0)
    if inside.max() + width > m.stack_stride:
        raise NotFollowed("an address outside the stack")
    # threads' words lie side by side
    weight = m.counts.weight(m.at)
    m.counts.sectors[m.at] += weight * (width / 4) * (m.mask.sum() / 8)
    m.counts.lines[m.at] += weight * (width / 4) * (m.mask.sum() / 32)
    return inside + np.arange(m.size) * m.stack_stride


def _ldl(m, ins):
    out, address = ins.operands
    width = _width(ins.modifiers)
    _load(m, out, m.stack, _own(m, address, width), width, ins.modifiers)


def _stl(m, ins):
    address, value = ins.operands
    width = _width(ins.modifiers)
    _store(m, value, m.stack, _own(m, address, width), width)


def _ldc(m, ins):
    out, source = ins.operands
    width = _width(ins.modifiers)
    signed = any(x in _SIGNED for x in ins.modifiers)
    value = m.constant(source.value, width, signed)
    (m.put64 if width == 8 else m.put)(out, value)


def _atomic(m, ins):
    operands = list(ins.operands)
    place = next(k for k, each in enumerate(operands) if each.kind == "[")
    shared = ins.name == "ATOMS"
    kind = _kind(ins.modifiers)
    width = kind.itemsize
    address = operands[place]
    out = next((each for each in operands[:place] if each.kind in ("R", "UR")), None)
    values = operands[place + 1 :]
    if shared:
        data, places = m.shared, _within_block(m, address, width)
    else:
        data = m.arena.data
        places = m.arena.offsets(m, _address(m, address), width, True)
        m.counts.atomic(m, places)
    read = m.u64 if width == 8 else m.u
    given = [np.broadcast_to(read(each), m.size).view(kind) for each in values if each.kind != "P"]
    cells = data.view(kind)
    way = next((x for x in ins.modifiers if x in _WAYS), None)
    if way is None:
        raise NotFollowed(ins.text)
    (lanes,) = np.nonzero(m.mask)
    index = places // width
    if "POPC" in ins.modifiers:  # counts the threads
        np.add.at(cells, index[lanes], kind.type(1))
        return
    if (out is None or out.value == ZERO) and way in _AT_ONCE:
        _AT_ONCE[way].at(cells, index[lanes], given[0][lanes])
        return
    old = np.zeros(m.size, kind)
    for lane in lanes.tolist():
        cell = index[lane]
        before = cells[cell]
        cells[cell] = _WAYS[way](before, *(each[lane] for each in given))
        old[lane] = before
    if way == "CAST":  # tells whether it was done
        same = old == given[0]
        m.put(out, same.astype(U32))
    elif out is not None:
        (m.put64 if width == 8 else m.put)(out, old.view(U64 if width == 8 else U32))


def _kind(modifiers):
    if "F64" in modifiers:
        return np.dtype(np.float64)
    if "F32" in modifiers:
        return np.dtype(np.float32)
    signed = any(x in ("S32", "S64") for x in modifiers)
    long = any(x in ("64", "S64", "U64") for x in modifiers)
    return np.dtype(f"{'i' if signed else 'u'}{8 if long else 4}")


def _swapped(old, expected, value):
    return value if old == expected else old


_WAYS = {
    "ADD": lambda old, value: old + value,
    "MIN": lambda old, value: min(old, value),
    "MAX": lambda old, value: max(old, value),
    "AND": lambda old, value: old & value,
    "OR": lambda old, value: old | value,
    "XOR": lambda old, value: old ^ value,
    "EXCH": lambda old, value: value,
    "INC": lambda old, value=0: old * 0 if old >= value else old + old.dtype.type(1),
    "CAS": _swapped,
    "CAST": _swapped,
}
_AT_ONCE = {
    "ADD": np.add,
    "MIN": np.minimum,
    "MAX": np.maximum,
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
}
HANDLERS = {
    "LDG": _ldg,
    "LD": _ld,
    "STG": _stg,
    "ST": _stg,
    "LDS": _lds,
    "STS": _sts,
    "LDL": _ldl,
    "STL": _stl,
    "LDC": _ldc,
    "ULDC": _ldc,
    **dict.fromkeys(("ATOM", "ATOMG", "ATOMS", "RED", "REDG"), _atomic),
}
