"""Numbers as people read them."""


def size(nbytes: float) -> str:
    """Three digits and a unit, as ``"47.5 kB"``."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= 0.9995 * factor:  # what is rounded up to the unit
            return f"{nbytes / factor:.3g} {unit}"
    return f"{nbytes:g} bytes"
