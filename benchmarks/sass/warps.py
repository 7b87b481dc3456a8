"""Branches, barriers, and what threads of a warp tell each other."""

import re

import numpy as np

from . import NotFollowed
from .code import STEP
from .integers import U32

PARTED = "parted"  # the group's threads go on at different places
_RUNS, _AT_BARRIER, _AT_BRANCH, _AT_WARP = range(4)


def _target(m, name):
    if name not in m.kernel.labels:
        raise NotFollowed(f"the label {name}")
    return m.kernel.labels[name]


def _bra(m, ins):
    taken = m.mask
    for each in ins.operands[:-1]:
        if each.kind in ("P", "UP"):
            held = m.p(each)
            taken = taken if held is True else taken & held
    return m.jump(taken, _target(m, ins.operands[-1].value))


def _brx(m, ins):
    """To where a table says."""
    found = re.match(r"(U?)R(\d+)\s*([+-]?)\s*(0x[0-9a-f]+)?", ins.text.partition("BRX")[2].strip())
    file = m.of_warps if found[1] else m.registers
    offset = int(f"{found[3]}{found[4] or '0x0'}", 16)
    places = file[int(found[2])].view(np.int32).astype(np.int64) + offset + STEP * (m.at + 1)
    return _scattered(m, places)


def _scattered(m, places):
    chosen = np.unique(places[m.mask])
    if (
        (chosen % STEP).any()
        or chosen.min() < 0
        or chosen.max() >= STEP * len(m.kernel.instructions)
    ):
        raise NotFollowed("a jump to where no code is")
    m.pc[m.group] = m.at + 1
    m.pc[m.mask] = places[m.mask] // STEP
    return PARTED


def _ret(m, ins):
    base = _target(m, ins.operands[1].value) if len(ins.operands) > 1 else 0
    if "REL" not in ins.modifiers:
        raise NotFollowed(ins.text)
    return _scattered(m, m.u(ins.operands[0]).astype(np.int64) + STEP * base)


def _exit(m, ins):
    return m.leave()


def _bssy(m, ins):
    barrier = int(ins.operands[0].value[1:])
    np.copyto(m.members[barrier], m.ballot(m.mask), where=m.mask)


def _bsync(m, ins):
    return m.wait(_AT_BRANCH, m.members[int(ins.operands[0].value[1:])])


def _break(m, ins):
    """Threads of the mask are waited for no longer."""
    barrier = int(ins.operands[-1].value[1:])
    leaving = m.ballot(m.mask)
    m.members[barrier] &= ~leaving
    # who waits there already waits for fewer
    m.wanted[m.waits == _AT_BRANCH] &= ~leaving[m.waits == _AT_BRANCH]


def _bmov(m, ins):
    out, source = ins.operands
    if source.kind == "?" and source.value[0] == "B":
        value = m.members[int(source.value[1:])]
        if out.kind == "R":
            m.put(out, value)
        if "CLEAR" in ins.modifiers:
            np.copyto(value, U32(0), where=m.mask)
    elif out.kind == "?" and out.value[0] == "B":
        np.copyto(m.members[int(out.value[1:])], m.u(source), where=m.mask)
    else:
        raise NotFollowed(ins.text)


def _warpsync(m, ins):
    lanes = [each for each in ins.operands if each.kind in ("R", "UR", "#")]
    return m.wait(_AT_WARP, m.u(lanes[0]) if lanes else U32(0xFFFFFFFF))


def _bar(m, ins):
    if ins.operands and ins.operands[0].value not in (0, 255):
        raise NotFollowed("named barriers")
    if "ARV" in ins.modifiers:
        raise NotFollowed("barriers that do not wait")
    if "RED" in ins.modifiers:
        held = m.p(ins.operands[-1])
        np.copyto(m.vote, True if held is True else held, where=m.mask)
        m.counts.reduction = next(x for x in ins.modifiers if x in ("POPC", "AND", "OR"))
    return m.wait(_AT_BARRIER)


def _b2r(m, ins):
    """What a barrier found."""
    out, *target = ins.operands
    m.put(out, m.result & U32(0x3FFFFFFF))
    if target:
        bit = 30 if m.counts.reduction == "AND" else 31
        m.putp(target[0], (m.result >> U32(bit) & U32(1)).astype(bool))


def _vote(m, ins):
    held = m.p(ins.operands[-1])
    mine = m.mask if held is True else m.mask & held
    ballot, active = m.ballot(mine), m.ballot(m.mask)
    verdict = {
        "ALL": ballot == active,
        "ANY": ballot != 0,
        "EQ": (ballot == 0) | (ballot == active),
    }
    for out in ins.operands[:-1]:
        if out.kind in ("R", "UR"):
            m.put(out, ballot)
        else:
            m.putp(out, verdict[ins.modifiers[0]])


def _shfl(m, ins):
    held, out, source, lane, limits = ins.operands
    value = np.broadcast_to(m.u(source), m.size)
    step = np.broadcast_to(m.u(lane), m.size).astype(np.int64)
    told = np.broadcast_to(m.u(limits), m.size).astype(np.int64)
    segment, clamp = told >> 8 & 31, told & 31
    own = m.lane.astype(np.int64)
    least = own & segment
    most = least | (clamp & ~segment)
    way = ins.modifiers[0]
    if way == "UP":
        other = own - (step & 31)
        inside = other >= most
    elif way == "DOWN":
        other = own + (step & 31)
        inside = other <= most
    elif way == "BFLY":
        other = own ^ (step & 31)
        inside = other <= most
    else:
        other = least | (step & 31 & ~segment)
        inside = other <= most
    other = np.where(inside, other, own)
    found = np.take_along_axis(value.reshape(-1, 32), other.reshape(-1, 32) & 31, 1).ravel()
    m.putp(held, inside)
    m.put(out, found)


def _match(m, ins):
    out, a = ins.operands[-2:]
    value = m.u64(a) if "U64" in ins.modifiers else m.u(a)
    rows = np.broadcast_to(value, m.size).reshape(-1, 32)
    same = rows[:, :, None] == rows[:, None, :]
    same &= m.mask.reshape(-1, 1, 32)
    bits = np.packbits(same, axis=2, bitorder="little").view(U32)[..., 0].ravel()
    if ins.modifiers[0] == "ALL":
        active = m.ballot(m.mask)
        m.putp(ins.operands[0], bits == active)
        bits = np.where(bits == active, bits, U32(0))
    m.put(out, bits)


_REDUCTIONS = {
    "SUM": (np.add, 0),
    "AND": (np.bitwise_and, 0xFFFFFFFF),
    "OR": (np.bitwise_or, 0),
    "XOR": (np.bitwise_xor, 0),
}


def _redux(m, ins):
    out, a = ins.operands
    rows = np.broadcast_to(m.u(a), m.size)
    way = ins.modifiers[0]
    if way in ("MIN", "MAX"):
        signed = "S32" in ins.modifiers
        rows = rows.view(np.int32) if signed else rows
        told = np.iinfo(rows.dtype)
        make, none = (np.minimum, told.max) if way == "MIN" else (np.maximum, told.min)
    else:
        make, none = _REDUCTIONS[way]
    rows = np.where(m.mask, rows, rows.dtype.type(none)).reshape(-1, 32)
    m.put(out, np.repeat(make.reduce(rows, axis=1).astype(rows.dtype), 32).view(U32))


def _nothing(m, ins):
    return None


HANDLERS = {
    "BRA": _bra,
    "BRX": _brx,
    "CALL": _bra,
    "RET": _ret,
    "EXIT": _exit,
    "BSSY": _bssy,
    "BSYNC": _bsync,
    "BREAK": _break,
    "BMOV": _bmov,
    "WARPSYNC": _warpsync,
    "BAR": _bar,
    "B2R": _b2r,
    "VOTE": _vote,
    "VOTEU": _vote,
    "SHFL": _shfl,
    "MATCH": _match,
    "REDUX": _redux,
    "NOP": _nothing,
    "YIELD": _nothing,
    "MEMBAR": _nothing,
    "ERRBAR": _nothing,
    "CGAERRBAR": _nothing,
    "CCTL": _nothing,
    "DEPBAR": _nothing,
    "NANOSLEEP": _nothing,
    "FENCE": _nothing,
}
