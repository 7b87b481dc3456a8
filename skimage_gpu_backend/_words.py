"""Numbers as people read them, and functions as they write them."""

import difflib

from .catalog import spoken
from .scikit_image import function_called


def size(nbytes: float) -> str:
    """Three digits and a unit, as ``"47.5 kB"``."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= 0.9995 * factor:  # what is rounded up to the unit
            return f"{nbytes / factor:.3g} {unit}"
    return f"{nbytes:g} bytes"


def catalog_names(function, names) -> list[str]:
    """Those of `names` that a user means.

    Parameters
    ----------
    function : str
        As ``gaussian``, ``filters.gaussian`` or ``skimage.filters:gaussian``.
    names : iterable of str
        Of the catalog.

    Raises
    ------
    LookupError
        There is none; the text says that it has no GPU version, or has the nearest names.
    """
    wanted = spoken(function)
    spelled = {spoken(name): name for name in names}
    if wanted in spelled:
        return [spelled[wanted]]
    found = [name for text, name in spelled.items() if text.endswith(f".{wanted}")]
    if not found and _is_public(wanted):
        raise LookupError(f"{wanted} has no GPU version; it runs on the CPU")
    if not found:
        near = difflib.get_close_matches(wanted, [*spelled, *(t.split(".")[-1] for t in spelled)])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise LookupError(f"no function {function!r} with a GPU version{hint}")
    return found


def _is_public(wanted):
    """Whether scikit-image has the function, which is written as ``filters.gaussian``."""
    module, _, name = wanted.rpartition(".")
    try:
        return callable(function_called(f"skimage.{module}:{name}"))
    except (ImportError, AttributeError):
        return False
