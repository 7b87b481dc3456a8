"""What CuPy 14.2 answers, one line a call, where a stand-in could easily answer otherwise.

The tables beside this file have lines of the form ``call -> answer``. Both sides are Python in the
namespace of `names`; a call may be several statements. The answer is what is returned (device
arrays of device arrays, NumPy's of NumPy's), or an exception or a warning, also with a part of its
text: ``TypeError: part``. Each comes from CuPy's sources. The same lines are held against the
stand-in in every run of the tests and, where there is a GPU, against CuPy itself::

    python -m tests.simulator.probes
"""

import ast
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TABLES = Path(__file__).parent


@dataclass(frozen=True)
class Probe:
    """One line of a table."""

    table: str
    line: int
    call: str
    answer: str

    def __str__(self):
        return f"{self.table}:{self.line}: {self.call}"


def probes():
    """Those of all tables."""
    return [
        Probe(path.stem, number, *map(str.strip, line.rsplit(" -> ", 1)))
        for path in sorted(TABLES.glob("*.txt"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]


def difference(probe):
    """What was answered otherwise, in words; None where the answer is the table's."""
    name, _, text = probe.answer.partition(": ")
    kind = _run(name) if name.isidentifier() else None
    refused = isinstance(kind, type) and issubclass(kind, BaseException)
    with warnings.catch_warnings():
        warns = refused and issubclass(kind, Warning)
        warnings.simplefilter("error" if warns else "ignore")
        try:
            given = _run(probe.call)
            return repr(given) if refused else _unlike(given, _run(probe.answer))
        except Exception as error:
            if refused and isinstance(error, kind) and text in str(error):
                return None
            return f"{type(error).__name__}: {error}"


def _run(code):
    """The value of the last of the statements, which is an expression."""
    *statements, last = ast.parse(code.strip()).body
    scope = names()
    exec(compile(ast.Module(statements, []), "<probe>", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "<probe>", "eval"), scope)


def _unlike(given, expected):
    """How a value differs from the expected one, None where it does not."""
    import cupy as cp

    if type(given) is not type(expected):
        return f"{given!r} of {type(given).__name__}"
    if isinstance(expected, tuple | list):
        if len(given) != len(expected):
            return repr(given)
        return next(filter(None, map(_unlike, given, expected)), None)
    if not isinstance(expected, cp.ndarray | np.ndarray):
        return None if given == expected else repr(given)
    given, expected = (a.get() if isinstance(a, cp.ndarray) else a for a in (given, expected))
    same = given.dtype == expected.dtype and given.shape == expected.shape
    if same and np.array_equal(given, expected, equal_nan=expected.dtype.kind in "fc"):
        return None
    return repr(given)


def names():
    """The names that the tables use: libraries, errors, small arrays, kernels."""
    import cupy as cp

    def counted(dtype):
        return lambda *shape: on_device(np.arange(np.prod(shape)).reshape(shape).astype(dtype))

    def managed(*shape):
        with cp.cuda.using_allocator(cp.cuda.malloc_managed):
            return cp.zeros(shape)

    return {
        "cp": cp,
        "np": np,
        "AxisError": np.exceptions.AxisError,
        "ComplexWarning": np.exceptions.ComplexWarning,
        "LinAlgError": np.linalg.LinAlgError,
        "CompileException": cp.cuda.compiler.CompileException,
        "CUDADriverError": cp.cuda.driver.CUDADriverError,
        "CUDARuntimeError": cp.cuda.runtime.CUDARuntimeError,
        "OutOfMemoryError": cp.cuda.memory.OutOfMemoryError,
        # 0, 1, 2 ... in a shape; booleans are False and then True
        **{name: counted(dtype) for name, dtype in _DTYPES.items()},
        "managed": managed,
        "kernel": _kernel(),
    }


def on_device(host):
    """A device array of a NumPy array."""
    import cupy as cp

    return cp.asarray(host)


_DTYPES = {"b1": "?", "u8": "u1", "i8": "i8", "f2": "f2", "f4": "f4", "f8": "f8", "c8": "c8"}
_kernels = []


def _kernel():
    """A kernel of an array of int64 and a number of int64, which sets the first element."""
    import cupy as cp

    if not _kernels:
        code = 'extern "C" __global__ void first(long long* x, long long n) { x[0] = n; }'
        _kernels.append(cp.RawKernel(code, "first"))
    return _kernels[0]
