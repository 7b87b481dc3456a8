"""Instructions on integers, bits and predicates."""

import numpy as np

from . import NotFollowed

U32, U64, I32, I64 = np.uint32, np.uint64, np.int32, np.int64
LOW = U64(0xFFFFFFFF)
TESTS = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
}


def _term(m, operand):
    """An operand of a sum, with the carry of its negation."""
    found = m.raw(operand).astype(U64)
    if operand.negative:
        return (found ^ LOW) + U64(1)
    return found ^ LOW if operand.inverted else found


def _leading(operands, kinds=("P", "UP")):
    """Results that are predicates and stand behind the first operand; and the rest."""
    count = 1
    while operands[count].kind in kinds:
        count += 1
    return operands[1:count], operands[count:]


def _bit(m, operand):
    found = m.p(operand)
    return U64(1) if found is True else found.astype(U64)


def _iadd3(m, ins):
    carries, rest = _leading(ins.operands)
    total = sum(_term(m, each) for each in rest[:3])
    if "X" in ins.modifiers:
        total = total + sum(_bit(m, each) for each in rest[3:])
    m.put(ins.operands[0], (total & LOW).astype(U32))
    above = total >> U64(32)
    for number, carry in enumerate(carries):
        m.putp(carry, above > number)


def _imad(m, ins):
    out = ins.operands[0]
    carries, (a, b, c, *carry_in) = _leading(ins.operands)
    modifiers = ins.modifiers
    if "WIDE" in modifiers or "HI" in modifiers:
        left, right = m.u(a), m.u(b)
        if "U32" in modifiers:
            product = left.astype(U64) * right.astype(U64)
        else:
            product = (left.view(I32).astype(I64) * right.view(I32).astype(I64)).view(U64)
        more = m.u64(c)
        total = product + more
        carry = total < product
        if "X" in modifiers:
            total = total + _bit(m, carry_in[0])
        if "HI" in modifiers:
            m.put(out, (total >> U64(32)).astype(U32))
        else:
            m.put64(out, total)
        for each in carries:
            m.putp(each, carry)
        return
    if "X" in modifiers:
        product = (m.u(a) * m.u(b)).astype(U64)
        total = product + _term(m, c) + _bit(m, carry_in[0])
        m.put(out, (total & LOW).astype(U32))
        for each in carries:
            m.putp(each, total > LOW)
        return
    m.put(out, m.u(a) * m.u(b) + m.u(c))


def _viadd(m, ins):
    out, a, b = ins.operands
    m.put(out, m.u(a) + m.u(b))


def combined(m, ins, held, first, second, other):
    """Write the two results of a comparison that goes with another predicate."""
    with_other = m.p(other)
    for target, value in ((first, held), (second, ~held)):
        if "OR" in ins.modifiers:
            value = value | with_other
        elif "XOR" in ins.modifiers:
            value = value ^ with_other
        elif with_other is not True:
            value = value & with_other
        m.putp(target, value)


def _isetp(m, ins):
    first, second, a, b, other, *low = ins.operands
    left, right = np.atleast_1d(m.u(a)), np.atleast_1d(m.u(b))
    if "U32" not in ins.modifiers:
        left, right = left.view(I32), right.view(I32)
    test = ins.modifiers[0]
    held = TESTS[test](left, right)
    if "EX" in ins.modifiers:
        below = m.p(low[0])
        if test == "EQ":
            held = held & below
        elif test == "NE":
            held = held | below
        else:
            strict = TESTS[test[0] + "T"](left, right)
            held = strict | ((left == right) & below)
    combined(m, ins, held, first, second, other)


def _lea(m, ins):
    out = ins.operands[0]
    carries, (a, b, *rest) = _leading(ins.operands)
    shift = next(each for each in reversed(rest) if each.kind == "#")
    bits = U64(int(shift.value) & 31)
    low = m.u(a).astype(U64)
    if "HI" in ins.modifiers:
        if "SX32" in ins.modifiers:
            value = m.u(a).view(I32).astype(I64).view(U64)
        else:
            above = rest[0] if rest[0] is not shift else None
            value = low | ((m.u(above).astype(U64) << U64(32)) if above is not None else U64(0))
        value = (value << bits) >> U64(32)
    else:
        value = (low << bits) & LOW
    if a.negative and "HI" not in ins.modifiers:
        value = (((m.raw(a).astype(U64) << bits) & LOW) ^ LOW) + U64(1)
    total = value + _term(m, b)
    if "X" in ins.modifiers:
        total = total + _bit(m, rest[-1])
    m.put(out, (total & LOW).astype(U32))
    for each in carries:
        m.putp(each, total > LOW)


def table(bits, a, b, c):
    """The function of three values that a table of eight bits tells."""
    found = U32(0)
    for number in range(8):
        if bits >> number & 1:
            term = (a if number & 4 else ~a) & (b if number & 2 else ~b)
            found = found | (term & (c if number & 1 else ~c))
    return found


_COMMON = {
    0xC0: lambda a, b, c: a & b,
    0xFC: lambda a, b, c: a | b,
    0x3C: lambda a, b, c: a ^ b,
    0x33: lambda a, b, c: ~b,
    0x0F: lambda a, b, c: ~a,
}


def _lop3(m, ins):
    operands = ins.operands
    target = operands[0] if operands[0].kind in ("P", "UP") else None
    out, a, b, c, bits, other = operands[1:] if target else operands
    make = _COMMON.get(bits.value)
    values = m.u(a), m.u(b), m.u(c)
    found = make(*values) if make else table(bits.value, *values)
    m.put(out, found)
    if target:
        held, more = found != 0, m.p(other)
        m.putp(target, held | more)


def _plop3(m, ins):
    first, second, a, b, c, *tables = ins.operands
    values = [np.ones(m.size, bool) if (p := m.p(each)) is True else p for each in (a, b, c)]
    for target, bits in zip((first, second), tables, strict=True):
        if target.value != 7:
            m.putp(target, table(int(bits.value), *values).astype(bool))


def _shf(m, ins):
    out, low, amount, high = ins.operands
    modifiers = ins.modifiers
    right = "R" in modifiers
    is_long = "U64" in modifiers or "S64" in modifiers
    signed = "S32" in modifiers or "S64" in modifiers
    value = m.u(low).astype(U64) | m.u(high).astype(U64) << U64(32)
    bits = m.u(amount).astype(U64)
    bits = bits & U64(63 if is_long else 31) if "W" in modifiers else bits
    limit = U64(63 if is_long else 32)
    shift = np.minimum(bits, limit)
    if right:
        made = (value.view(I64) >> shift.view(I64)).view(U64) if signed else value >> shift
    else:
        made = value << shift
    if is_long and not signed:
        made = np.where(bits > limit, U64(0), made)
    m.put(out, ((made >> U64(32)) if "HI" in modifiers else made & LOW).astype(U32))


def _prmt(m, ins):
    out, a, selector, b = ins.operands
    pool = m.u(a).astype(U64) | m.u(b).astype(U64) << U64(32)
    chosen = m.u(selector)
    found = U32(0)
    for place in range(4):
        nibble = (chosen >> U32(4 * place)) & U32(15)
        byte = ((pool >> ((nibble & U32(7)).astype(U64) * U64(8))) & U64(255)).astype(U32)
        sign = np.where(byte & U32(0x80), U32(255), U32(0))
        byte = np.where(nibble & U32(8), sign, byte)
        found = found | (byte << U32(8 * place))
    m.put(out, found.astype(U32))


def _sel(m, ins):
    out, a, b, which = ins.operands
    held = m.p(which)
    m.put(out, m.u(a) if held is True else np.where(held, m.u(a), m.u(b)))


def _lanes16(value, signed):
    parts = (value & U32(0xFFFF)), value >> U32(16)
    return [p.astype(np.uint16).view(np.int16).astype(I32) if signed else p for p in parts]


def _extreme(m, ins, values, which):
    least = m.p(which)
    least = np.ones(1, bool) if least is True else least

    def of(parts):
        low = high = parts[0]
        for each in parts[1:]:
            low, high = np.minimum(low, each), np.maximum(high, each)
        return np.where(least, low, high)

    if "U16x2" in ins.modifiers or "S16x2" in ins.modifiers:
        signed = "S16x2" in ins.modifiers
        pairs = [_lanes16(v, signed) for v in values]
        low, high = (of([pair[k] for pair in pairs]).astype(U32) for k in (0, 1))
        return (low & U32(0xFFFF)) | high << U32(16)
    if "U32" not in ins.modifiers:
        values = [np.atleast_1d(v).view(I32) for v in values]
    return of(values).view(U32) if "U32" not in ins.modifiers else of(values)


def _imnmx(m, ins):
    out, *values, which = (each for each in ins.operands)
    m.put(out, _extreme(m, ins, [m.u(each) for each in values], which))


def _viaddmnmx(m, ins):
    out, a, b, c, which = ins.operands
    m.put(out, _extreme(m, ins, [m.u(a) + m.u(b), m.u(c)], which))


def _iabs(m, ins):
    value = m.u(ins.operands[1])
    m.put(ins.operands[0], np.where(value >> U32(31), ~value + U32(1), value))


def _popc(m, ins):
    m.put(ins.operands[0], np.bitwise_count(m.u(ins.operands[1])).astype(U32))


def _flo(m, ins):
    out, a = ins.operands[0], ins.operands[-1]
    value = np.atleast_1d(m.u(a))
    if "U32" not in ins.modifiers:
        value = np.where(value >> U32(31), ~value, value)
    place = np.frexp(value.astype(np.float64))[1] - 1
    place = 31 - place if "SH" in ins.modifiers else place
    m.put(out, np.where(value == 0, -1, place).astype(I32).view(U32))


def _brev(m, ins):
    value = np.atleast_1d(m.u(ins.operands[1])).astype(">u4").view(np.uint8)
    turned = np.unpackbits(value).reshape(-1, 32)[:, ::-1]
    m.put(ins.operands[0], np.packbits(turned, axis=1).view(">u4")[:, 0].astype(U32))


def _sgxt(m, ins):
    out, a, width = ins.operands
    bits = m.u(width)
    value = m.u(a) & ((U32(1) << bits) - U32(1))
    if "U32" not in ins.modifiers:
        sign = U32(1) << (bits - U32(1))
        value = (value ^ sign) - sign
    m.put(out, value)


def _bmsk(m, ins):
    out, start, width = ins.operands
    ones = (U64(1) << np.minimum(m.u(width), U32(32)).astype(U64)) - U64(1)
    m.put(out, (ones << np.minimum(m.u(start), U32(32)).astype(U64)).astype(U32))


def _idp(m, ins):
    """Sum of products of four bytes, or of two words with the low or the high two bytes."""
    out, a, b, c = ins.operands
    total = m.u(c)
    (a_signed, a_bits), (b_signed, b_bits) = (
        (kind[0] == "S", int(kind[1:])) for kind in ins.modifiers[-2:]
    )
    first = 2 if "HI" in ins.modifiers else 0
    for place in range(4 if "4A" in ins.modifiers else 2):
        one = _part(m.u(a), place, a_bits, a_signed)
        total = total + one * _part(m.u(b), first + place, b_bits, b_signed)
    m.put(out, total)


def _part(value, place, bits, signed):
    """The part of so many bits at this place of the value."""
    part = (value >> U32(bits * place)) & U32((1 << bits) - 1)
    sign = U32(1 << (bits - 1))
    return (part ^ sign) - sign if signed else part


def _mov(m, ins):
    m.put(ins.operands[0], m.u(ins.operands[1]))


def _cs2r(m, ins):
    out, name = ins.operands
    value = m.special.get(name.value)
    if value is None:
        raise NotFollowed(f"the register {name.value}")
    m.put(out, value)
    if "32" not in ins.modifiers:
        m.put(out._replace(value=out.value + 1), U32(0))


def _s2r(m, ins):
    value = m.special.get(ins.operands[1].value)
    if value is None:
        raise NotFollowed(f"the register {ins.operands[1].value}")
    m.put(ins.operands[0], value)


def _p2r(m, ins):
    """Predicates as bits, into a byte of a register."""
    out, file, base, chosen = ins.operands
    predicates = m.warp_predicates if file.value == "UPR" else m.predicates
    shift = next((8 * int(part[1]) for part in ins.modifiers if part[0] == "B"), 0)
    bits = sum((predicates[k].astype(U32) << U32(k) for k in range(7)), U32(0))
    kept = m.u(chosen)
    m.put(out, (m.u(base) & ~(kept << U32(shift))) | (bits & kept) << U32(shift))


def _r2p(m, ins):
    _, value, chosen = ins.operands
    shift = next((8 * int(part[1]) for part in ins.modifiers if part[0] == "B"), 0)
    for number in range(7):
        if int(chosen.value) >> number & 1:
            bit = (m.u(value) >> U32(shift + number)) & U32(1)
            target = ins.operands[1]._replace(kind="P", value=number)
            m.putp(target, bit.astype(bool))


_BOTH = {
    "IADD3": _iadd3,
    "IMAD": _imad,
    "LEA": _lea,
    "LOP3": _lop3,
    "PLOP3": _plop3,
    "SHF": _shf,
    "PRMT": _prmt,
    "SEL": _sel,
    "ISETP": _isetp,
    "FLO": _flo,
    "POPC": _popc,
    "BREV": _brev,
    "MOV": _mov,
    "SGXT": _sgxt,
    "BMSK": _bmsk,
}
HANDLERS = {
    **_BOTH,
    **{f"U{name}": handler for name, handler in _BOTH.items()},
    "VIADD": _viadd,
    "IMNMX": _imnmx,
    "VIMNMX": _imnmx,
    "VIMNMX3": _imnmx,
    "VIADDMNMX": _viaddmnmx,
    "IABS": _iabs,
    "IDP": _idp,
    "R2UR": _mov,
    "CS2R": _cs2r,
    "S2R": _s2r,
    "S2UR": _s2r,
    "P2R": _p2r,
    "UP2UR": _p2r,
    "R2P": _r2p,
}
