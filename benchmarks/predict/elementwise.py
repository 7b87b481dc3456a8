"""Elementwise kernels as CuPy writes them, so that their machine code is a GPU's.

The simulator's stand-in makes a loop for a CPU of such a kernel; this is the text around the body
that CuPy has (`cupy/_core/_kernel.pyx`), with its block of 128 threads and a thread an element.
"""

import numpy as np

from benchmarks.sass.follow import Pointer

_BLOCK = 128
_TEXT = """\
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
{typedefs}
{preamble}
extern "C" __global__ void {name}({parameters}) {{
    {before};
    #pragma unroll 1
    CUPY_FOR(i, _ind.size()) {{
        _ind.set(i);
        {elements}
        {operation};
    }}
    {after};
}}
"""


def launch_of(kernel, inputs, outputs, in_types, known, shape):
    """Text, grid, block and arguments of a call of an `ElementwiseKernel` of the simulator's.

    Returns
    -------
    text : str
    grid, block : tuple of int
    arguments : list
        Bytes, and pairs of a device array and the bytes that follow its address.
    """
    from cupy import _parameters, ndarray

    given = (*inputs, *outputs)
    layouts, shape, size = kernel._layouts(given, shape)
    declared, elements, arguments = [], [], []
    for place, (p, value, layout) in enumerate(zip(kernel.params, given, layouts, strict=False)):
        const = "const " if p.is_const else ""
        if not isinstance(value, ndarray):
            declared.append(f"{p.ctype} {p.name}")
            arguments.append(_parameters.scalar_as(value, in_types[place]).tobytes())
            continue
        lengths, strides = layout
        contiguous = _parameters.is_contiguous(lengths, strides, value.dtype.itemsize)
        kind = f"CArray<{p.ctype}, {len(lengths)}, {str(contiguous).lower()}, true>"
        declared.append(f"{const}{kind} {p.name if p.raw else f'_raw_{p.name}'}")
        if not p.raw:
            elements.append(f"{const}{p.ctype} &{p.name} = _raw_{p.name}[_ind.get()];")
        count = int(np.prod(lengths, dtype=np.int64))
        arguments.append((value, _words(count, *lengths, *strides)))
    declared.append(f"CIndexer<{len(shape)}, true> _ind")
    arguments.append(_words(size, *shape, *(0 for _ in shape)))
    text = _TEXT.format(
        name=kernel.name,
        preamble=kernel.preamble,
        typedefs=_parameters.typedefs(known),
        parameters=", ".join(declared),
        before=kernel.kwargs.get("loop_prep", ""),
        elements=" ".join(elements),
        operation=kernel.operation,
        after=kernel.kwargs.get("after_loop", ""),
    )
    return text, (-(-size // _BLOCK), 1, 1), (min(_BLOCK, max(size, 1)), 1, 1), arguments


def _words(*numbers):
    return np.array(numbers, np.int64).tobytes()


def pointer_to(array, rest=b""):
    """The argument that begins with a device array's address, and the memory that it is in."""
    piece = array.data.mem
    if not piece.size:
        return bytes(8) + rest, piece
    return Pointer(piece.ptr, array.data.ptr - piece.ptr, rest), piece
