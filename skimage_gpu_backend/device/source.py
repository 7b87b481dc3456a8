"""Where the kernels lie, and one self-contained text per kernel file.

Local includes are put in place here, so that the text that is compiled (and by
which CuPy caches) holds everything it depends on; `#line` keeps messages true.
"""

import functools
import re
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
KERNELS = next(p for p in (_PACKAGE / "kernels", _PACKAGE.parent / "kernels") if p.is_dir())
# All kernels here are: the simulator then runs one thread per block.
_PROMISE = "#define CUDA_SIMULATOR_ANY_BLOCK_SIZE"
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


@functools.cache
def kernel_source(name: str) -> str:
    """Text of ``kernels/<name>`` with its local includes in place, each one once."""
    return "\n".join((_PROMISE, *_expand(name, set()))) + "\n"


def _expand(name, seen):
    if name in seen:
        return
    seen.add(name)
    yield f'#line 1 "{name}"'
    for number, line in enumerate((KERNELS / name).read_text().splitlines(), 1):
        if include := _INCLUDE.match(line):
            yield from _expand(include[1], seen)
            yield f'#line {number + 1} "{name}"'
        elif line.strip() == "#pragma once":
            yield ""
        else:
            yield line
