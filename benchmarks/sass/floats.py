"""Instructions on floating numbers, and conversions.

Rounding is to nearest throughout. A fused multiply-add is made in a longer type and may differ in
the last bit; so may what the unit for special functions gives.
"""

import numpy as np

from . import NotFollowed
from .integers import I32, I64, TESTS, U32, U64, combined

F32, F64 = np.float32, np.float64


def _cut(m, ins, value):
    return np.clip(value, 0, 1) if "SAT" in ins.modifiers else value


def _fadd(m, ins):
    out, a, b = ins.operands
    m.put(out, _cut(m, ins, m.f(a) + m.f(b)).view(U32))


def _fmul(m, ins):
    out, a, b = ins.operands
    m.put(out, _cut(m, ins, m.f(a) * m.f(b)).view(U32))


def _ffma(m, ins):
    out, a, b, c = ins.operands
    found = m.f(a).astype(F64) * m.f(b).astype(F64) + m.f(c).astype(F64)
    m.put(out, _cut(m, ins, found.astype(F32)).view(U32))


def _dadd(m, ins):
    out, a, b = ins.operands
    m.put64(out, m.d(a) + m.d(b))


def _dmul(m, ins):
    out, a, b = ins.operands
    m.put64(out, m.d(a) * m.d(b))


def _dfma(m, ins):
    out, a, b, c = ins.operands
    found = m.d(a).astype(np.longdouble) * m.d(b) + m.d(c)
    m.put64(out, found.astype(F64))


_TESTS = {test: each for test, each in TESTS.items() if test != "NE"}


def _held(test, a, b):
    """Whether a comparison holds; the ones with U also where there is a NaN."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    unordered = np.isnan(a) | np.isnan(b)
    if test in ("NAN", "NUM"):
        return unordered if test == "NAN" else ~unordered
    if test in ("NE", "NEU"):
        return (a != b) | unordered if test == "NEU" else (a != b) & ~unordered
    if test in _TESTS:
        return _TESTS[test](a, b)
    if test.endswith("U") and test[:-1] in _TESTS:
        return _TESTS[test[:-1]](a, b) | unordered
    raise NotFollowed(f"the comparison {test}")


def _fsetp(m, ins):
    first, second, a, b, other = ins.operands
    combined(m, ins, _held(ins.modifiers[0], m.f(a), m.f(b)), first, second, other)


def _dsetp(m, ins):
    first, second, a, b, other = ins.operands
    left, right = np.atleast_1d(m.d(a)), np.atleast_1d(m.d(b))
    test = ins.modifiers[0]
    if test in ("MIN", "MAX"):  # whether the first is chosen; whether neither is a number
        chosen = left < right if test == "MIN" else left > right
        m.putp(first, chosen | np.isnan(right))
        m.putp(second, np.isnan(left) & np.isnan(right))
        return
    combined(m, ins, _held(test, left, right), first, second, other)


def _fset(m, ins):
    out, a, b, other = ins.operands
    held = _held(next(x for x in ins.modifiers if x != "BF"), m.f(a), m.f(b))
    held = held & m.p(other)
    one = F32(1).view(U32) if "BF" in ins.modifiers else U32(0xFFFFFFFF)
    m.put(out, np.where(held, one, U32(0)))


def _fsel(m, ins):
    out, a, b, which = ins.operands
    m.put(out, np.where(m.p(which), m.f(a), m.f(b)).view(U32))


def _fmnmx(m, ins):
    out, a, b, which = ins.operands
    low, high = (np.minimum, np.maximum) if "NAN" in ins.modifiers else (np.fmin, np.fmax)
    m.put(out, np.where(m.p(which), low(m.f(a), m.f(b)), high(m.f(a), m.f(b))).view(U32))


def _fchk(m, ins):
    """Whether a quotient needs the long way."""
    target, a, b = ins.operands
    a, b = np.atleast_1d(m.f(a)), np.atleast_1d(m.f(b))
    above, below = np.frexp(a)[1], np.frexp(b)[1]
    plain = np.isfinite(a) & np.isfinite(b) & (b != 0) & (np.abs(below) < 125)
    plain &= (np.abs(above - below) < 125) & ((a == 0) | (above > -100))
    m.putp(target, ~plain)


_SPECIAL = {
    "RCP": np.reciprocal,
    "RSQ": lambda x: 1 / np.sqrt(x),
    "SQRT": np.sqrt,
    "LG2": np.log2,
    "EX2": np.exp2,
    "SIN": lambda x: np.sin(2 * np.pi * x),
    "COS": lambda x: np.cos(2 * np.pi * x),
    "TANH": np.tanh,
}


def _mufu(m, ins):
    out, a = ins.operands
    name = ins.modifiers[0]
    if name in ("RCP64H", "RSQ64H"):
        plain = a._replace(negative=False, absolute=False)
        if a.kind == "#":
            value = np.atleast_1d(m.d(plain))
        else:  # the upper halves
            value = (np.atleast_1d(m.u(plain)).astype(U64) << U64(32)).view(F64)
        value = np.abs(value) if a.absolute else value
        value = -value if a.negative else value
        found = np.atleast_1d(_SPECIAL[name[:3]](value))
        m.put(out, (found.view(U64) >> U64(32)).astype(U32))
        return
    if name not in _SPECIAL:
        raise NotFollowed(f"the function {name}")
    m.put(out, _SPECIAL[name](m.f(a).astype(F64)).astype(F32).view(U32))


_INTEGERS = {
    "S8": np.int8,
    "U8": np.uint8,
    "S16": np.int16,
    "U16": np.uint16,
    "S32": I32,
    "U32": U32,
    "S64": I64,
    "U64": U64,
}
_ROUNDINGS = {"TRUNC": np.trunc, "FLOOR": np.floor, "CEIL": np.ceil}


def _rounded(modifiers, value):
    return next((_ROUNDINGS[x] for x in modifiers if x in _ROUNDINGS), np.rint)(value)


def _i2f(m, ins):
    out, a = ins.operands
    kinds = [x for x in ins.modifiers if x in _INTEGERS]
    kind = _INTEGERS[kinds[-1] if kinds else "S32"]
    width = np.dtype(kind).itemsize
    if width == 8:
        value = m.u64(a).view(kind)
    else:
        value = m.u(a)
        places = [s for s in a.suffixes if s[0] in "BH"]
        if places:
            value = value >> U32((8 if places[0][0] == "B" else 16) * int(places[0][1]))
        value = value.astype(f"u{width}").view(kind)
    if "F64" in ins.modifiers:
        m.put64(out, np.asarray(value.astype(F64)))
    else:
        m.put(out, np.asarray(value.astype(F32)).view(U32))


def _f2i(m, ins):
    out, a = ins.operands
    value = m.d(a) if "F64" in ins.modifiers else m.f(a).astype(F64)
    kinds = [x for x in ins.modifiers if x in _INTEGERS]
    kind = _INTEGERS[kinds[0] if kinds else "S32"]
    told = np.iinfo(kind)
    value = np.atleast_1d(_rounded(ins.modifiers, value))
    inside = np.where(np.isnan(value), 0, np.clip(value, float(told.min), float(told.max)))
    # the largest numbers of 64 bits are no doubles
    top = inside >= float(told.max)
    made = np.where(top, kind(told.max), np.where(top, 0, inside).astype(kind))
    if made.dtype.itemsize == 8:
        m.put64(out, made.view(U64))
    else:
        m.put(out, made.astype(I64).astype(I32).view(U32))


def _f2f(m, ins):
    out, a = ins.operands
    into, source = [x for x in ins.modifiers if x in ("F16", "F32", "F64")][:2]
    value = m.d(a) if source == "F64" else m.f(a) if source == "F32" else _halves(m, a)[0]
    if into == "F64":
        m.put64(out, np.asarray(value.astype(F64)))
    elif into == "F32":
        m.put(out, np.asarray(value.astype(F32)).view(U32))
    else:
        m.put(out, np.asarray(value.astype(np.float16)).view(np.uint16).astype(U32))


def _frnd(m, ins):
    out, a = ins.operands
    if "F64" in ins.modifiers:
        m.put64(out, np.asarray(_rounded(ins.modifiers, m.d(a))))
    else:
        m.put(out, np.asarray(_rounded(ins.modifiers, m.f(a))).view(U32))


def _halves(m, operand):
    """Two numbers in half precision, in single."""
    bits = np.atleast_1d(m.raw(operand))
    chosen = next((s for s in operand.suffixes if s[0] == "H"), "H1_H0")
    parts = [(bits >> U32(16 * int(x))).astype(np.uint16).view(np.float16) for x in (0, 1)]
    low, high = (int(chosen[4]), int(chosen[1])) if "_" in chosen else (int(chosen[1]),) * 2
    signed = [parts[k].astype(F32) for k in (low, high)]
    signed = [np.abs(x) if operand.absolute else x for x in signed]
    return [-x if operand.negative else x for x in signed]


def _packed(low, high):
    low, high = (np.asarray(x).astype(np.float16).view(np.uint16).astype(U32) for x in (low, high))
    return low | high << U32(16)


def _pairs(m, operands):
    """Operands of two halves; two numbers that follow each other are one, upper half first."""
    found, waiting = [], None
    for each in operands:
        if each.kind != "#":
            found.append(_halves(m, each))
        elif waiting is None:
            waiting = F32(each.value)
        else:
            found.append([F32(each.value), waiting])
            waiting = None
    return found


def _half(m, ins):
    out, *rest = ins.operands
    values = _pairs(m, [each for each in rest if each.kind in ("R", "UR", "c", "#")])
    if ins.name == "HADD2" and "F32" in ins.modifiers:
        m.put(out, np.asarray(values[0][0] + values[1][0]).astype(F32).view(U32))
        return
    make = {
        "HADD2": lambda a, b: a + b,
        "HMUL2": lambda a, b: a * b,
        "HFMA2": lambda a, b, c: a * b + c,
    }[ins.name]
    m.put(out, _packed(*(make(*(v[k] for v in values)) for k in (0, 1))))


def _f2fp(m, ins):
    out, high, low = ins.operands
    if "BF16" in ins.modifiers:
        raise NotFollowed("brain floats")
    m.put(out, _packed(m.f(low), m.f(high)))


HANDLERS = {
    "FADD": _fadd,
    "FMUL": _fmul,
    "FFMA": _ffma,
    "DADD": _dadd,
    "DMUL": _dmul,
    "DFMA": _dfma,
    "FSETP": _fsetp,
    "DSETP": _dsetp,
    "FSET": _fset,
    "FSEL": _fsel,
    "FMNMX": _fmnmx,
    "FCHK": _fchk,
    "MUFU": _mufu,
    "I2F": _i2f,
    "I2FP": _i2f,
    "F2I": _f2i,
    "F2F": _f2f,
    "FRND": _frnd,
    "HADD2": _half,
    "HMUL2": _half,
    "HFMA2": _half,
    "F2FP": _f2fp,
}
