"""Entry points `skimage_backend_infos`: which functions each backend lists.

scikit-image loads this when its first dispatchable function is defined, so nothing but
tables of names and `skimage.util._backends` are imported.
"""

from skimage.util._backends import BackendInformation

from .catalog import CATALOG
from .cucim import NAMES


def gpu() -> BackendInformation:
    """Functions of the ``gpu`` backend."""
    return BackendInformation(frozenset(CATALOG))


def cpu() -> BackendInformation:
    """Functions of the ``cpu`` backend."""
    return gpu()


def cucim() -> BackendInformation:
    """Functions of the ``cucim`` backend."""
    return BackendInformation(NAMES)
