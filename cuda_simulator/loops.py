"""Kernels that CuPy generates around a body: a loop over elements, compiled flat.

The threads of such a kernel know nothing of each other, so one function runs a range of
elements. A body that names its thread or block all the same is compiled as a kernel with
real threads.
"""

import ctypes
import re
from dataclasses import dataclass

from . import counters, library, settings, translate
from .engine import engine
from .errors import KernelError

HEADER = "elementwise.hpp"
ELEMENTS_PER_BLOCK = 1024

_UNIT = """\
#include "cuda.hpp"
{definitions}{includes}
{open}
{typedefs}
#line 1 "{name}.preamble"
{preamble}
#line 1 "{name}.generated"
{close}
namespace cu_module {{ namespace {{
{kernel_definitions}
{function}
constexpr SimEntry sim_table[] = {{{{"{name}", 0, 0, nullptr, {blocks}, {thread}, {touch}}}}};
}}
#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
SIM_EXPORT const SimEntry* sim_entries() {{ return sim_table; }}
SIM_EXPORT void sim_attach(const SimApi* api) {{ sim_api = api; }}
}}
"""
_FLAT = """\
void sim_run(const char* sim_arguments, ptrdiff_t sim_begin, ptrdiff_t sim_end) {{
{prologue}
{before}
    {first}
    for (ptrdiff_t i = sim_begin; i < sim_end; ++i{next}) {{
{element}
    }}
{after}
}}
void sim_blocks(const char* arguments, SimIndex, char*, unsigned, unsigned long long begin,
                unsigned long long end) {{
    const ptrdiff_t size = ((const ptrdiff_t*)arguments)[0];
    const ptrdiff_t per_block = ((const ptrdiff_t*)arguments)[1];
    const ptrdiff_t stop = (ptrdiff_t)end * per_block;
    sim_run(arguments, (ptrdiff_t)begin * per_block, stop < size ? stop : size);
}}"""
_THREADS = """\
void sim_thread(const char* sim_arguments, SimThread* sim_thread_) {{
    SimCurrent sim_current(sim_thread_);
{prologue}
{before}
    CUPY_FOR(i, *(const ptrdiff_t*)sim_arguments) {{
{set}
{element}
    }}
{after}
}}"""
_THREAD_WORD = re.compile(
    r"\b(threadIdx|blockIdx|blockDim|gridDim|__shared__|__sync\w+|__shfl\w+|__ballot_sync"
    r"|__any_sync|__all_sync|__activemask|__match_\w+|__reduce_\w+_sync)\b"
)


@dataclass(frozen=True)
class Text:
    """The parts of a loop's source.

    `prologue` unpacks the arguments, which begin with the number of elements and how many of
    them a block does, `before` and
    `after` surround the loop, `element` is what is done for element ``i``, and `index` names
    the `CIndexer` that goes with ``i``, where it is looked at. `definitions` stand before the
    loop's function.
    """

    name: str
    preamble: str
    typedefs: str
    prologue: str
    before: str
    element: str
    after: str
    index: str = ""
    definitions: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Loop:
    """A compiled loop."""

    name: str
    address: int
    has_threads: bool
    library: ctypes.CDLL

    def run(self, packer, read: int, written: int, block_size: int = 1):
        """Run it with packed arguments; counts a launch of so many bytes."""
        threads = block_size if self.has_threads else 1
        per_block = block_size if self.has_threads else packer.per_block
        order = settings.order_index() if self.has_threads else 0
        flags = settings.launch_flags()
        grid = (-(-packer.size // per_block), 1, 1)
        block = (threads, 1, 1)
        counters.launched(read, written)
        if engine().sim_launch(self.address, packer.bytes(), *grid, *block, 0, order, flags):
            raise KernelError(f"kernel {self.name}: {engine().sim_engine_error().decode()}")


def load(text: Text) -> Loop:
    """Compile a loop, or find it in the cache; raises `compiler.CompileError`."""
    preamble = translate.source(text.preamble)
    body = "\n".join((text.preamble, text.before, text.element, text.after))
    has_threads = _THREAD_WORD.search(library.without_comments(body)) is not None
    function = _THREADS if has_threads else _FLAT
    unit = _UNIT.format(
        name=text.name,
        definitions=translate.definitions(text.options),
        includes=preamble.includes,
        open="" if preamble.has_std else "namespace cu_module { namespace {",
        close="" if preamble.has_std else "} }",
        typedefs=text.typedefs,
        preamble=translate.saturated_casts(preamble.code),
        kernel_definitions=text.definitions,
        function=function.format(
            prologue=text.prologue,
            before=text.before,
            element=text.element,
            after=text.after,
            first=f"{text.index}.set(sim_begin);" if text.index else "",
            next=f", {text.index}.sim_next()" if text.index else "",
            set=f"{text.index}.set(i);" if text.index else "",
        ),
        blocks="nullptr" if has_threads else "sim_blocks",
        thread="sim_thread" if has_threads else "nullptr",
        touch="sim_touch" if has_threads else "nullptr",
    )
    rounding = settings.rounding()
    flags = [*library.KERNEL, *library.floating(rounding), *library.quick(rounding)]
    if not has_threads:
        flags.append("-DSIM_FLAT")
    _, opened = library.build(unit, flags, settings.sanitizers(), HEADER)
    opened.sim_entries.restype = ctypes.c_void_p
    return Loop(text.name, opened.sim_entries(), has_threads, opened)
