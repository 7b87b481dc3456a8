"""From a cubin to instructions with operands, and to the constants that they read."""

import itertools
import re
import struct
from typing import NamedTuple

from tests.kernels import cubin

from . import NotFollowed

STEP = 16  # bytes of an instruction
_SECTION = re.compile(r"^\.text\.(\S+):$", re.MULTILINE)
_LINE = re.compile(
    r"^(?:(?P<label>[.$\w][^\s:]*):"
    r"|\s+/\*(?P<place>[0-9a-f]{4,})\*/\s+(?P<guard>@!?U?P\w+ +)?"
    r"(?P<name>[A-Z][\w.]*)(?P<rest>[^;]*);)",
    re.MULTILINE,
)
_REGISTER = re.compile(r"(U?)R(\d+|Z)$")
_PREDICATE = re.compile(r"(U?)P(\d|T)$")
_CONSTANT = re.compile(r"c\[0x([0-9a-f]+)\]\s*\[(.*)\]$")
_SUFFIX = re.compile(r"\.(reuse|64|U32|H\d_H\d|H\d|B\d|X\d+|F32|SX32)\b")
_FUNCTION_ADDRESS = re.compile(r"(?:32@)?(lo|hi)\((\S+)\)|`\((\S+)\)")
_WITH_SIZE, _PARAMETER = 0x04, 0x17  # EIFMT_SVAL, EIATTR_KPARAM_INFO
ZERO = 255  # the register that is 0
TRUE = 7  # the predicate that holds


class Operand(NamedTuple):
    """One operand.

    `kind` is "R", "P" (of threads), "UR", "UP" (of warps), "#" (a number), "c" (a constant),
    "[" (an address), "@" (a label) or "?" (a name). `value` is a number, for a constant
    bank, register and offset, for an address a sum of registers and an offset.
    """

    kind: str
    value: object
    negative: bool = False
    absolute: bool = False
    inverted: bool = False  # ~ of a register, ! of a predicate
    suffixes: tuple = ()


class Instruction(NamedTuple):
    """An instruction: its name in parts, its guard (an `Operand` or None) and operands."""

    name: str
    modifiers: tuple
    guard: Operand | None
    operands: tuple
    text: str


class Kernel(NamedTuple):
    """Code of a kernel.

    `parameters` are places and sizes of its arguments, `banks` its constants, `variables` the
    module's memory by symbol, to which `pointers` in bank 4 point.
    """

    instructions: tuple
    labels: dict
    parameters: tuple
    banks: dict
    variables: dict
    pointers: dict


def kernels(image: bytes) -> dict[str, Kernel]:
    """Kernels of a cubin by their names there."""
    text = cubin._told(["nvdisasm", "-c"], image)
    sections, symbols = _elf(image)
    starts = [*_SECTION.finditer(text), None]
    found = {}
    for start, end in itertools.pairwise(starts):
        name = start[1]
        code, labels = [], {name: 0}
        for line in _LINE.finditer(text[start.end() : end.start() if end else None]):
            if line["place"] is None:
                labels[line["label"]] = len(code)
                continue
            if int(line["place"], 16) != STEP * len(code):
                raise NotFollowed(f"instructions of {name} are not {STEP} bytes apart")
            head, *modifiers = line["name"].split(".")
            guard = _operand(line["guard"].strip()[1:]) if line["guard"] else None
            operands = tuple(map(_operand, _split(line["rest"])))
            code.append(Instruction(head, tuple(modifiers), guard, operands, line[0].strip()))
        banks = {
            bank: sections.get(f".nv.constant{bank}{suffix}", b"")
            for bank, suffix in ((2, f".{name}"), (3, ""), (4, ""))
        }
        variables, pointers = _variables(sections, symbols)
        parameters = _parameters(sections.get(f".nv.info.{name}", b""))
        found[name] = Kernel(tuple(code), labels, parameters, banks, variables, pointers)
    return found


def _split(text):
    """Operands of a line; commas within brackets do not count."""
    text = text.replace(" `", ", `")  # RET has no comma between its operands
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "[(") - (char in "])")
        if char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in map(str.strip, parts) if part]


def _operand(text):
    negative = absolute = inverted = False
    while text[:1] in "-~!|":
        if text[0] == "-" and re.match(r"-(\d|INF|QNAN)", text):
            break
        negative |= text[0] == "-"
        inverted |= text[0] in "~!"
        absolute |= text[0] == "|"
        text = text[1:].replace("|", "") if text[0] == "|" else text[1:]
    signs = negative, absolute, inverted
    if text.startswith("desc["):
        text = text[text.index("]") + 1 :]
    if text.startswith("["):
        return Operand("[", _address(text.strip("[]")))
    if constant := _CONSTANT.match(_SUFFIX.sub("", text)):
        registers, offset = _address(constant[2])
        return Operand("c", (int(constant[1], 16), registers, offset), *signs)
    if address := _FUNCTION_ADDRESS.fullmatch(text):
        return Operand("@", address[3] or (address[1], address[2]))
    suffixes = tuple(_SUFFIX.findall(text))
    bare = _SUFFIX.sub("", text)
    if found := _REGISTER.match(bare):
        zero = 63 if found[1] else ZERO
        number = zero if found[2] == "Z" else int(found[2])
        return Operand(f"{found[1]}R", number, *signs, suffixes)
    if found := _PREDICATE.match(bare):
        return Operand(f"{found[1]}P", TRUE if found[2] == "T" else int(found[2]), *signs)
    return Operand("#", _number(text), *signs) if _number(text) is not None else Operand("?", text)


def _number(text):
    """A number, an `int` where it is written as one of an integer instruction."""
    try:
        return int(text, 16) if "0x" in text else float(text.replace("QNAN", "nan"))
    except ValueError:
        return None


def _address(text):
    """Registers with what they are multiplied by and whether they have 64 bits; an offset.

    Addresses of fewer bits are the lower ones of such a sum.
    """
    registers, offset = [], 0
    for part in re.findall(r"[+-]?[^+-]+", text):
        part = part.lstrip("+")
        base, *suffixes = part.split(".")
        if found := _REGISTER.match(base):
            if found[2] == "Z":
                continue
            scale = next((int(s[1:]) for s in suffixes if s[0] == "X"), 1)
            registers.append((f"{found[1]}R", int(found[2]), scale, "U32" not in suffixes))
        else:
            offset += int(part, 16)
    return tuple(registers), offset


def _parameters(told):
    """Offset and size of each argument, from what a section says of its kernel."""
    found, place = {}, 0
    while place + 4 <= len(told):
        form, kind, size = struct.unpack_from("<BBH", told, place)
        place += 4
        if form == _WITH_SIZE:
            if kind == _PARAMETER:
                _, number, offset, rest = struct.unpack_from("<IHHI", told, place)
                found[number] = offset, rest >> 18
            place += size
    return tuple(found[number] for number in sorted(found))


def _elf(image):
    """Bytes of sections by name; symbols as (name, section's name, value, size)."""
    offset, entry_size, count, names = struct.unpack_from("<Q10xHHH", image, 0x28)
    headers = [
        struct.unpack_from("<IIQQQQIIQQ", image, offset + entry_size * i) for i in range(count)
    ]
    texts = headers[names]

    def text(table, place):
        begin = table[4] + place
        return image[begin : image.index(b"\0", begin)].decode()

    titles = [text(texts, h[0]) for h in headers]
    sections = {
        title: bytes(h[5]) if h[1] == 8 else image[h[4] : h[4] + h[5]]
        for title, h in zip(titles, headers, strict=True)
    }
    symbols = []
    for header in headers:
        if header[1] == 2:  # the table of symbols
            for place in range(header[4], header[4] + header[5], 24):
                name, _, _, section, value, size = struct.unpack_from("<IBBHQQ", image, place)
                where = titles[section] if section < len(titles) else ""
                symbols.append((text(headers[header[6]], name), where, value, size))
    return sections, symbols


def _variables(sections, symbols):
    """Initial bytes of the module's variables; places in bank 4 that are to point to them."""
    variables = {
        name: sections[where][value : value + size]
        for name, where, value, size in symbols
        if where in (".nv.global", ".nv.global.init") and size
    }
    pointers = {}
    table = sections.get(".rela.nv.constant4") or sections.get(".rel.nv.constant4") or b""
    size = 24 if ".rela.nv.constant4" in sections else 16
    for place in range(0, len(table), size):
        offset, info = struct.unpack_from("<QQ", table, place)
        pointers[offset] = symbols[info >> 32][0]
    return variables, pointers
