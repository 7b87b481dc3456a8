"""Parameters of elementwise and reduction kernels: their declaration, types and bytes."""

import struct
from dataclasses import dataclass

import numpy as np

from ._ndarray import ndarray
from ._scalars import get_typename, is_scalar, scalar_as


@dataclass(frozen=True)
class ParameterInfo:
    """One declared parameter; `dtype` is None where `ctype` is a placeholder."""

    name: str
    dtype: np.dtype | None
    ctype: str | None
    raw: bool
    is_const: bool


def declared(text, is_const):
    """Parameters of a declaration such as ``"T x, raw float32 y"``."""
    if not text:
        return ()
    return tuple(_declared(part, is_const) for part in text.strip().split(","))


def _declared(text, is_const):
    words = text.split()
    if len(words) < 2:
        raise Exception(f"Syntax error: {text}")
    *keywords, kind, name = words
    for keyword in keywords:
        if keyword not in ("raw", "_non_const"):
            raise Exception(f'Unknown keyword "{keyword}"')
    is_const = is_const and "_non_const" not in keywords
    if kind == "CIndexer":
        return ParameterInfo(name, None, None, False, is_const)
    if len(kind) == 1:
        return ParameterInfo(name, None, kind, "raw" in keywords, is_const)
    dtype = np.dtype(kind)
    return ParameterInfo(name, dtype, get_typename(dtype), "raw" in keywords, is_const)


def checked(arguments):
    """Refuse what is neither a device array nor a scalar."""
    for argument in arguments:
        if not isinstance(argument, ndarray) and not is_scalar(argument):
            raise TypeError(f"Unsupported type {type(argument)}")


def decide_types(in_params, out_params, in_dtypes, out_dtypes):
    """Dtypes of the parameters, and of the placeholders by name.

    The dtype of an argument that is no array is None: it takes its parameter's. Outputs
    that are given decide before inputs do.
    """
    known = {}
    if out_dtypes:
        if any(dtype is None for dtype in out_dtypes):
            raise TypeError("Output arguments must be cupy.ndarray")
        _bind(out_params, out_dtypes, known)
    _bind(in_params, in_dtypes, known)
    types = [
        tuple(known[p.ctype] if p.dtype is None else p.dtype for p in params)
        for params in (in_params, out_params)
    ]
    return types[0], types[1], known


def _bind(params, dtypes, known):
    for parameter, dtype in zip(params, dtypes, strict=True):
        if dtype is None:
            continue
        expected = parameter.dtype or known.setdefault(parameter.ctype, dtype)
        if dtype != expected:
            raise TypeError(
                f"Type is mismatched. {parameter.name} {dtype.name} {expected.name} "
                f"{parameter.ctype}"
            )


def given_dtypes(arguments):
    """Dtypes of arrays; None for scalars."""
    return tuple(a.dtype if isinstance(a, ndarray) else None for a in arguments)


def typedefs(known):
    """C++ definitions of the placeholders."""
    return "\n".join(f"typedef {get_typename(t)} {name};" for name, t in sorted(known.items()))


def broadcast_strides(array, shape):
    """Strides that let an array have a shape that it can be broadcast to."""
    new = len(shape) - array.ndim
    strides = [0] * new
    for length, stride, wanted in zip(array.shape, array.strides, shape[new:], strict=True):
        strides.append(0 if length == 1 and wanted != 1 else stride)
    return strides


def merged(shape, strides):
    """Shape and strides with as few dimensions as all arrays (rows of `strides`) allow."""
    lengths, result = [], [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        here = [row[axis] for row in strides]
        if lengths and all(
            merged[-1] == stride * length for merged, stride in zip(result, here, strict=True)
        ):
            lengths[-1] *= length
            for row, stride in zip(result, here, strict=True):
                row[-1] = stride
        else:
            lengths.append(length)
            for row, stride in zip(result, here, strict=True):
                row.append(stride)
    if shape and not lengths:
        return [1], [[1] for _ in strides]
    return lengths, result


def is_contiguous(shape, strides, itemsize):
    """Whether elements lie one behind the other in C order."""
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length != 1 and stride != itemsize:
            return False
        itemsize *= length
    return True


class Packer:
    """Collects a launch's arguments as bytes; `unpacked` takes them out again.

    Parameters
    ----------
    size : int
        Number of elements of the loop.
    per_block : int
        How many of them a block does.
    """

    def __init__(self, size, per_block):
        self.size = size
        self.per_block = per_block
        self._parts = [struct.pack("<qq", size, per_block)]
        self.key = []  # what the C++ depends on

    def array(self, array, shape, strides):
        """A `CArray`."""
        contiguous = is_contiguous(shape, strides, array.dtype.itemsize)
        self._parts.append(
            struct.pack(f"<{2 + 2 * len(shape)}q", array._pointer, _size(shape), *shape, *strides)
        )
        self.key.append((len(shape), contiguous))

    def indexer(self, shape):
        """A `CIndexer`."""
        self._parts.append(
            struct.pack(f"<{1 + 2 * len(shape)}q", _size(shape), *shape, *(0 for _ in shape))
        )
        self.key.append(len(shape))

    def scalar(self, value, dtype):
        """A number."""
        data = scalar_as(value, dtype).tobytes()
        self._parts.append(data + bytes(-len(data) % 8))
        self.key.append(None)

    def bytes(self):
        """All arguments."""
        return b"".join(self._parts)


def unpacked(names, ctypes, key):
    """C++ that declares the variables of packed arguments.

    Parameters
    ----------
    names, ctypes : sequence of str
        For each argument in order; ``const`` belongs to the type. None: a `CIndexer`.
    key : sequence
        What the `Packer` noted for each.
    """
    lines, offset = [], 16
    for name, ctype, kind in zip(names, ctypes, key, strict=True):
        if ctype is None:
            kind, length = f"CIndexer<{kind}>", 8 + 16 * kind
        elif kind is None:
            kind, length = ctype, 16 if "complex<double>" in ctype else 8
        else:
            ndim, contiguous = kind
            const = "const " if ctype.startswith("const ") else ""
            kind = (
                f"{const}CArray<{ctype.removeprefix('const ')}, {ndim}, {str(contiguous).lower()}>"
            )
            length = 16 + 16 * ndim
        lines.append(f"{kind} {name} = *({kind}*)(sim_arguments + {offset});")
        offset += length
    return "\n".join(lines)


def _size(shape):
    size = 1
    for length in shape:
        size *= length
    return size
