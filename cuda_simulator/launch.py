"""Launches: arguments are checked against the kernel's parameters, packed and counted.

A kernel that promises to be right for any block size was written with the simulator in mind,
and must get exactly what it declares. Foreign kernels are launched as CuPy launches them, for
better or worse: arguments go by value as they are, and a parameter reads as many bytes as it
has. Nor do their barriers wait for threads that have returned.
"""

import struct

import numpy as np

from . import counters, settings
from .engine import engine
from .errors import KernelError

# NumPy scalar types by the kind and size of the parameter that takes them.
_SCALARS = {
    np.bool_: ("b", 1),
    np.float16: ("s", 2),
    np.float32: ("f", 4),
    np.float64: ("f", 8),
    np.complex64: ("s", 8),
    np.complex128: ("s", 16),
}
_SCALARS |= {np.dtype(code).type: ("i", np.dtype(code).itemsize) for code in "bhilqBHILQ"}
_KINDS = {
    "r": "a pointer",
    "w": "a pointer",
    "i": "an integer",
    "b": "a bool",
    "f": "a floating value",
    "s": "a struct",
}


class Launcher:
    """One kernel; calling it checks the arguments and runs the grid.

    Parameters
    ----------
    entry : Entry
        The compiled kernel.
    array_type : type
        The device array's class; has ``_pointer`` and ``nbytes``.
    is_exact : bool
        Whether arguments must be what the kernel declares, or what CuPy lets pass.

    Attributes
    ----------
    static_shared : int or None
        Bytes of static shared memory that its first launch came by; known when that has run.
    """

    def __init__(self, entry, array_type, is_exact=True):
        self.entry = entry
        self.static_shared = None
        self._array_type = array_type
        self._is_exact = is_exact
        self._rules = (0 if is_exact else 2) | (4 if entry.lockstep else 0)
        self._format = _layout(entry)
        self._parameters = tuple((p.kind, p.size, p) for p in entry.parameters)
        self._run = engine().sim_launch

    def __call__(self, grid, block, arguments, shared_bytes):
        parameters = self._parameters
        if len(arguments) != len(parameters):
            raise TypeError(
                f"kernel {self.entry.name} takes {len(parameters)} arguments, "
                f"but {len(arguments)} were given"
            )
        array_type = self._array_type
        values, read, written = [], 0, 0
        pairs = zip(arguments, parameters, strict=True)
        for index, (argument, (kind, size, parameter)) in enumerate(pairs):
            if type(argument) is array_type:
                if kind == "r":
                    read += argument.nbytes
                elif kind == "w":
                    written += argument.nbytes
                else:
                    self._refuse(index, argument, parameter)
                if self._is_exact:
                    self._check_elements(index, argument, parameter)
                values.append(argument._pointer)
            elif argument is None and kind in "rw":
                values.append(0)  # a null pointer, as in CuPy
            else:
                given, data = scalar(argument)
                if given != (kind, size):
                    data = self._converted(index, argument, parameter, given, data)
                values.append(data)
        order = 0 if self.entry.flat else settings.order_index()
        if self.entry.flat:
            block = (1, 1, 1)
        watch = 8 * (self.static_shared is None)
        counters.launched(read, written)
        failed = self._run(
            self.entry.address,
            self._format.pack(*values),
            *grid,
            *block,
            shared_bytes,
            order,
            settings.launch_flags() | self._rules | watch,
        )
        if watch:
            self.static_shared = engine().sim_static_shared()
        if failed:
            text = engine().sim_engine_error().decode()
            raise KernelError(f"kernel {self.entry.name}: {text}")

    def _converted(self, index, argument, parameter, given, data):
        """What a parameter of a foreign kernel makes of a scalar of another type."""
        if not self._is_exact:
            if parameter.kind in "rw" and (address := _address(argument)) is not None:
                return address
            # a Python int goes as long long, of which an int reads the low half
            if given and given[0] == parameter.kind == "i" and given[1] > parameter.size:
                return data[: parameter.size]
            # bytes are bytes: a struct of the same size, a bool for an unsigned char
            if given and given[1] == parameter.size and "f" not in (given[0], parameter.kind):
                return data
        self._refuse(index, argument, parameter)

    def _check_elements(self, index, array, parameter):
        """Refuse an array whose elements have another size; bytes may be anything."""
        if parameter.element_kind in "vs" or array.dtype.itemsize == parameter.element_size:
            return
        if array.dtype.itemsize != 1:
            raise TypeError(
                f"argument {index + 1} of kernel {self.entry.name} points to elements of "
                f"{parameter.element_size} bytes, but the array's dtype is {array.dtype}"
            )

    def _refuse(self, index, argument, parameter):
        what = _KINDS[parameter.kind]
        raise TypeError(
            f"argument {index + 1} of kernel {self.entry.name} is {what} of "
            f"{parameter.size} bytes, but {_describe(argument)} was given"
        )


def _layout(entry) -> struct.Struct:
    """How a kernel's arguments lie in memory: addresses of arrays, and scalars as bytes."""
    parts, end = ["<"], 0
    for p in entry.parameters:
        parts.append(f"{p.offset - end}x" if p.offset > end else "")
        parts.append("Q" if p.kind in "rw" else f"{p.size}s")
        end = p.offset + p.size
    return struct.Struct("".join(parts))


def scalar(value):
    """Kind and size of the parameter that takes a scalar, and its bytes."""
    kind = type(value)
    if kind is int:
        return ("i", 8), value.to_bytes(8, "little", signed=value < 2**63)
    if kind is float:
        return ("f", 8), struct.pack("<d", value)
    if kind is bool:
        return ("b", 1), bytes((value,))
    if kind is complex:
        return ("s", 16), struct.pack("<dd", value.real, value.imag)
    if kind is np.ndarray and value.size == 1:  # CuPy passes one element by value
        if value.dtype.kind == "V":
            return ("s", value.nbytes), value.tobytes()  # how CuPy takes a struct by value
        kind = value.dtype.type
    if kind in _SCALARS:
        return _SCALARS[kind], value.tobytes()
    return None, None


def _address(value):
    """A pointer that is passed as a number, or as an object that has one; else None."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return getattr(value, "ptr", None)


def _describe(argument):
    if isinstance(argument, np.ndarray):
        return "a NumPy array, which is not in device memory,"
    if type(argument) is int:
        return "a Python int (long long)"
    if type(argument) is float:
        return "a Python float (double)"
    if argument is None:
        return "None"
    return f"{type(argument).__module__}.{type(argument).__name__}"
