"""`use_backends`: a selection for a block of code, in which dispatching is on."""

from contextlib import contextmanager

from . import registry
from .hook import enable
from .selection import Selection, not_installed, selected


def use_backends(*names, convert=True, output=None, progress=False):
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
        Whether NumPy arrays may be moved to the device. ``SKIMAGE_GPU_CONVERT=0`` forbids
        it too.
    output : {None, "cupy", "resident"}, optional
        What calls with NumPy arrays give: "cupy", CuPy arrays; "resident", NumPy arrays
        whose data stays on the device until the host looks at it, as
        ``SKIMAGE_GPU_RESIDENT=1`` does.
    progress : bool, optional
        Whether calls that run in tiles, since their images are large, or in rounds of launches
        that take longer than half a second, show a progress bar on the terminal.

    Returns
    -------
    context manager
        Selects on entry and restores what was before on exit; also a decorator.

    Raises
    ------
    ValueError
        A backend is not installed, or `output` is unknown.

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
    options = {"convert": bool(convert), "output": output, "progress": bool(progress)}
    return _enabled(Selection(names, names, **options))


@contextmanager
def _enabled(selection):
    enable()
    with selected(selection):
        yield
