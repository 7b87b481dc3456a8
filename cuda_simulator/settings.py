"""The simulator's environment variables, read where they are needed.

===========================  =====================================================
``CUDA_SIMULATOR_MODE``      ``fast`` (default) or ``strict``
``CUDA_SIMULATOR_ORDER``     of a block's threads in strict mode: ``forward``
                             (default), ``backward``, ``shuffled``
``CUDA_SIMULATOR_WARPS``     ``lockstep`` (default in fast mode) or ``independent``:
                             threads of a warp, in foreign kernels, those that do not
                             promise to be right for any block size
``CUDA_SIMULATOR_OPTIMIZE``  ``1`` (default) or ``0``: kernels are compiled in half the
                             time, and run slower
``CUDA_SIMULATOR_ROUNDING``  ``contract``: products that are added to something are
                             fused with the sum; ``flush``: subnormal numbers are 0 in
                             kernels; or ``contract,flush``
``CUDA_SIMULATOR_SANITIZE``  ``address``, ``undefined`` or ``address,undefined``
``CUDA_SIMULATOR_CACHE``     folder of compiled kernels
``CUDA_SIMULATOR_MEMORY``    bytes of device memory (default: unlimited)
``CUDA_SIMULATOR_POISON``    ``1``: new arrays hold what nobody has written, and never the
                             right values by chance, as always in strict mode; or ``0``
``CUDA_SIMULATOR_DEVICES``   number of devices (default 1)
``CXX``                      the C++ compiler
===========================  =====================================================
"""

import contextlib
import contextvars
import os
from pathlib import Path

_PREFIX = "CUDA_SIMULATOR_"
_NAMES = (
    *("CACHE", "DEVICES", "MEMORY", "MODE", "OPTIMIZE", "ORDER", "POISON", "ROUNDING"),
    *("SANITIZE", "WARPS"),
)
VARIABLES = tuple(_PREFIX + name for name in _NAMES)
_ORDERS = ("forward", "backward", "shuffled")
_order = contextvars.ContextVar("order", default=None)


def _reader(name):
    """Function that returns the variable's value now, or None.

    `os.environ` encodes the key on each access, a microsecond that each launch and
    allocation would pay several times; its mapping is asked directly where there is one.
    """
    data = getattr(os.environ, "_data", None)
    if data is None or not hasattr(os.environ, "encodekey"):
        return lambda: os.environ.get(name)
    key, decode = os.environ.encodekey(name), os.environ.decodevalue

    def read():
        value = data.get(key)
        return None if value is None else decode(value)

    return read


_cache, _devices, _memory, _mode, _optimize, _threads, _poison, _rounding, _sanitize, _warps = map(
    _reader, VARIABLES
)


def unknown_variables() -> list[str]:
    """What is wrong with variables that bear the prefix but are none of these, in words."""
    told = []
    for name in os.environ:
        if name.startswith(_PREFIX) and name not in VARIABLES:
            from difflib import get_close_matches

            close = get_close_matches(name, VARIABLES, n=1, cutoff=0.85)
            meant = f"; {close[0]} is meant?" if close else f"; there are {', '.join(VARIABLES)}"
            told.append(f"{name} is no variable of the CUDA simulator{meant}")
    return told


def strict() -> bool:
    """Whether kernels run with their real block size."""
    mode = _mode() or "fast"
    if mode == "fast":
        return False
    if mode == "strict":
        return True
    raise ValueError(f"{_PREFIX}MODE is 'fast' or 'strict', not {mode!r}")


def optimize() -> bool:
    """Whether kernels of the fast mode are compiled for speed."""
    return _is_on(_optimize() or "1", "OPTIMIZE")


def poisons() -> bool:
    """Whether new device memory is filled with what no kernel should read."""
    return _is_on(_poison() or "0", "POISON") or strict()


def _is_on(value, variable):
    if value not in ("0", "1"):
        raise ValueError(f"{_PREFIX}{variable} is 0 or 1, not {value!r}")
    return value == "1"


def rounding() -> tuple[str, ...]:
    """In what kernels depart from IEEE arithmetic as the source has it."""
    return _among(_rounding(), "ROUNDING", ("contract", "flush"))


def sanitizers() -> tuple[str, ...]:
    """Sanitizers that kernels are compiled with."""
    return _among(_sanitize(), "SANITIZE", ("address", "undefined"))


def _among(value, variable, known):
    """The names that a variable lists."""
    if not value:
        return ()
    names = tuple(sorted(name.strip() for name in value.split(",")))
    if not set(names) <= set(known):
        raise ValueError(f"{_PREFIX}{variable} names {' and '.join(known)}, not {value!r}")
    return names


def launch_flags() -> int:
    """What counts for each launch, as the engine numbers it."""
    return (strict() or bool(sanitizers())) | 16 * ("flush" in rounding())


def order_index() -> int:
    """Order of a block's threads, as the engine numbers them."""
    order = _order.get() or _threads() or "forward"
    if order not in _ORDERS:
        raise ValueError(f"the order of threads is one of {_ORDERS}, not {order!r}")
    return _ORDERS.index(order)


def lockstep() -> bool:
    """Whether the threads of a warp go in lockstep, in kernels that may need it."""
    warps = _warps() or ("independent" if strict() else "lockstep")
    if warps not in ("lockstep", "independent"):
        raise ValueError(f"{_PREFIX}WARPS is 'lockstep' or 'independent', not {warps!r}")
    return warps == "lockstep"


@contextlib.contextmanager
def thread_order(order: str):
    """Run the threads of each block in this order inside a ``with`` block.

    Parameters
    ----------
    order : {"forward", "backward", "shuffled"}
        Outranks ``CUDA_SIMULATOR_ORDER``. Only strict mode, and kernels that use
        warp operations, run more than one thread per block.

    Yields
    ------
    None
    """
    token = _order.set(order)
    try:
        order_index()
        yield
    finally:
        _order.reset(token)


def memory_limit() -> int | None:
    """Bytes of device memory; None where nothing limits them."""
    value = _memory()
    return int(value) if value else None


def device_count() -> int:
    """Number of devices."""
    return int(_devices() or "1")


def cache_folder() -> Path:
    """Folder of compiled kernels."""
    if folder := _cache():
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cuda-simulator"
