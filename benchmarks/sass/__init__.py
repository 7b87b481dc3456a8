"""Machine code of NVIDIA's GPUs (SASS), followed on the CPU: what warps issue and ask for.

`code.py` reads a cubin as NVIDIA's disassembler tells it; `machine.py` runs blocks of threads,
all that are at the same instruction at once, by what `integers.py`, `floats.py`, `memory.py` and
`warps.py` know of single instructions; `counts.py` keeps what was seen. NVIDIA documents the names
of instructions and not their meaning, which is taken from what the compiler makes of known sources:
`follow` therefore also gives the memory that was written, to be compared with results that are
known. What is not known here raises `NotFollowed`.
"""


class NotFollowed(Exception):
    """Code with an instruction, an address or a wait that is not known here."""
