"""What a cubin holds: the resources of each kernel and its machine code, as NVIDIA's tools tell.

The tools come from wheels on PyPI, and need neither a GPU nor a driver.
"""

import functools
import importlib.metadata
import itertools
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

TOOLS = "nvidia-cuda-cuobjdump", "nvidia-cuda-nvdisasm"
_RESERVED = 1024  # bytes of a block's shared memory that are the system's, from 9.0 on
_RESOURCES = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_FUNCTION = re.compile(r"^\.text\.(\S+):$", re.MULTILINE)
_LINE = re.compile(
    r"^(?:(?P<label>[.$]\S+):|(?P<function>[\w$]+):"
    r"|\s+/\*(?P<place>[0-9a-f]+)\*/\s+(?:@!?U?P\w+ +)?(?P<code>[A-Z][\w.]*)(?P<rest>[^;]*);)",
    re.MULTILINE,
)
_TARGET = re.compile(r"`\(([^)]+)\)")


class Resources(NamedTuple):
    """Registers and bytes of stack that a thread of a kernel has, and bytes that a block has."""

    registers: int
    stack: int
    shared: int


class Mix(NamedTuple):
    """Instructions of a kernel, all in its loops; of the whole kernel where it has none.

    A loop is what lies between a jump backwards and its target. `double` are those of double
    precision, `conversions` those between integers and floats or floats of two sizes (of them
    `wide` from or to 64 bits), `divisions` calls of the subroutines that divide integers of 64
    bits.
    """

    instructions: int
    double: int
    conversions: int
    wide: int
    divisions: int


@functools.cache
def _tool(name):
    files = importlib.metadata.files(f"nvidia-cuda-{name}") or ()
    return next(Path(f.locate()) for f in files if Path(f).name == name)


def _told(command, image):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(image)
        file.flush()
        return subprocess.run(
            [_tool(command[0]), *command[1:], file.name], capture_output=True, text=True, check=True
        ).stdout


def resources(image: bytes, capability: str) -> dict[str, Resources]:
    """Resources of the kernels in a cubin, by their names there."""
    reserved = _RESERVED if float(capability) >= 9 else 0
    found = {}
    for name, *numbers in _RESOURCES.findall(_told(["cuobjdump", "-res-usage"], image)):
        registers, stack, shared, local = map(int, numbers)
        found[name] = Resources(registers, stack + local, max(0, shared - reserved))
    return found


def disassembled(image: bytes) -> str:
    """Machine code of a cubin."""
    return _told(["nvdisasm", "-c"], image)


def mixes(image: bytes, capability: str) -> dict[str, Mix]:
    """Instructions of the kernels in a cubin, by their names there."""
    text = disassembled(image)
    starts = [*_FUNCTION.finditer(text), None]
    return {
        start[1]: _mix(text[start.end() : end.start() if end else None])
        for start, end in itertools.pairwise(starts)
    }


def _mix(text):
    labels, code, own = {}, [], True
    for line in _LINE.finditer(text):
        label = line["label"] or line["function"]
        if line["place"] is None:
            own = own and not label.startswith("$__internal")  # subroutines come behind
            labels[label] = len(code)
        elif own:
            code.append((line["code"], line["rest"]))
    inside = set()
    for place, (operation, rest) in enumerate(code):
        target = _TARGET.search(rest)
        begin = labels.get(target[1], place) if target and operation.startswith("BRA") else place
        inside.update(range(begin, place + 1) if begin < place else ())
    counted = [code[place] for place in sorted(inside)] or code
    names = [operation for operation, _ in counted]
    conversions = [n for n in names if n.split(".")[0] in _CONVERSIONS]
    return Mix(
        len(counted),
        sum(bool(_DOUBLE.match(n)) for n in names),
        len(conversions),
        sum("64" in n for n in conversions),
        sum(n.startswith("CALL") and bool(_DIVISION.search(rest)) for n, rest in counted),
    )


_CONVERSIONS = {"F2F", "F2I", "I2F", "FRND"}
_DOUBLE = re.compile(r"D(ADD|MUL|FMA|SETP|MNMX|SET)\b|MUFU\.\w+64H")
_DIVISION = re.compile(r"_(div|rem)_[su]64")
