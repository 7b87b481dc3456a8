"""`cupy.ndarray.flags`: how an array lies in memory."""

_NAMES = {"C_CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "OWNDATA": "owndata"}


class Flags:
    """Contiguity of an array, and whether it has memory of its own."""

    __slots__ = ("c_contiguous", "f_contiguous", "owndata")

    def __init__(self, host, owndata):
        self.c_contiguous = host.c_contiguous
        self.f_contiguous = host.f_contiguous
        self.owndata = owndata

    @property
    def fnc(self):
        """Contiguous in Fortran's order and not in C's."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        """Contiguous in either order."""
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        if name not in _NAMES:
            raise KeyError(f"{name} is not defined for cupy.ndarray.flags")
        return getattr(self, _NAMES[name])

    def __repr__(self):
        return "\n".join(f"  {name} : {self[name]}" for name in _NAMES)
