"""Puts the stand-in for CuPy where ``import cupy`` finds it first."""

import importlib.util
import sys
import warnings
from pathlib import Path

from .settings import unknown_variables

_ROOT = Path(__file__).resolve().parent


class _Finder:
    """Finds CuPy's packages beside this file, and hides the real ones whole."""

    def find_spec(self, name, path=None, target=None):
        if name in ("cupy", "cupyx", "cupy_backends"):
            package = _ROOT / name
            return importlib.util.spec_from_file_location(
                name, package / "__init__.py", submodule_search_locations=[str(package)]
            )
        return None


_finder = _Finder()


def activate() -> None:
    """Make ``import cupy`` give the simulator's stand-in, from now on in this process.

    A variable that begins with ``CUDA_SIMULATOR_`` and is unknown is met with a warning.

    Raises
    ------
    RuntimeError
        Where the real CuPy has been imported before.
    """
    module = sys.modules.get("cupy")
    if module is not None and not _is_ours(module):
        raise RuntimeError(
            "the simulator must be activated before CuPy is imported, but "
            f"{getattr(module, '__file__', 'cupy')} is already imported"
        )
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
        for wrong in unknown_variables():
            warnings.warn(wrong, stacklevel=2)


def active() -> bool:
    """Whether the simulator stands in for CuPy.

    Returns
    -------
    bool
        True where ``import cupy`` gives the simulator's stand-in.
    """
    return _finder in sys.meta_path


def _is_ours(module):
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve().is_relative_to(_ROOT)
