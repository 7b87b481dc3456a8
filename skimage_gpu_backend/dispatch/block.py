"""`use_backends`: a selection for a block of code, in which dispatching is on."""

import operator
from contextlib import contextmanager

from . import registry
from .hook import enable
from .selection import Selection, not_installed, selected


def use_backends(*names, convert=True, output=None, progress=False, threads=None):
    """Select backends for a block of code, or for a function as its decorator.

    The selection holds in this thread and this asynchronous task, outranks the environment
    variables (except ``SKIMAGE_NO_DISPATCHING=1``) and replaces that of an outer block. The
    first use makes scikit-image's functions dispatchable, as `enable` does.

    Parameters
    ----------
    *names : str
        Backends in the order in which they are asked. Without one nothing is dispatched,
        but for calls with device arrays.
    convert : bool, optional
        Whether NumPy arrays may be moved to a GPU. ``SKIMAGE_GPU_CONVERT=0`` forbids
        it too.
    output : {None, "cupy", "resident"}, optional
        What calls with NumPy arrays give: "cupy", CuPy arrays; "resident", NumPy arrays
        whose data stays on the device until the host looks at it, as
        ``SKIMAGE_GPU_RESIDENT=1`` does.
    progress : bool, optional
        Whether calls that run in tiles, since their images are large, or in rounds of launches
        that take longer than half a second, show a progress bar on the terminal.
    threads : int, optional
        Most threads of a call on the CPU. By default all cores that the process may use;
        ``SKIMAGE_BACKENDS_THREADS`` and ``OMP_NUM_THREADS`` limit them, too.

    Returns
    -------
    context manager
        Selects on entry and restores what was before on exit; also a decorator.

    Raises
    ------
    ValueError
        A backend is not installed, `output` is unknown, or `threads` is less than 1.
    TypeError
        `threads` is no integer.

    Notes
    -----
    As decorator it serves plain functions. A coroutine or a generator runs after its
    decorator has returned: write the ``with`` block inside it.

    Examples
    --------
    >>> import numpy as np, skimage as ski
    >>> from skimage_gpu_backend import use_backends
    >>> with use_backends("gpu"):  # doctest: +SKIP
    ...     smooth = ski.filters.gaussian(np.ones((2048, 2048)))
    """
    for name in names:
        if not registry.is_installed(name):
            raise ValueError(f"no scikit-image backend {name!r}: {not_installed(name)}")
    if output not in (None, "cupy", "resident"):
        raise ValueError(f"output is None, 'cupy' or 'resident', not {output!r}")
    if threads is not None and operator.index(threads) < 1:
        raise ValueError(f"threads is at least 1, not {threads}")
    options = {
        "convert": bool(convert),
        "output": output,
        "progress": bool(progress),
        "threads": threads,
    }
    return _enabled(Selection(names, names, **options))


@contextmanager
def _enabled(selection):
    enable()
    with selected(selection):
        yield
