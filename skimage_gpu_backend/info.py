"""Entry points `skimage_backend_infos`: which functions each backend lists.

scikit-image loads this when its first dispatchable function is defined, so nothing but
the catalog and `skimage.util._backends` is imported.
"""

from skimage.util._backends import BackendInformation

from .catalog import CATALOG


def gpu() -> BackendInformation:
    """Functions of the ``gpu`` backend: our kernels and cuCIM."""
    return BackendInformation(frozenset(CATALOG))


def cucim() -> BackendInformation:
    """Functions of the ``cucim`` backend."""
    return BackendInformation(frozenset(name for name, row in CATALOG.items() if row.cucim))
