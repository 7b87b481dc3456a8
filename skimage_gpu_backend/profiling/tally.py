"""Sums over calls of the same function that ran in the same place from the same line."""

from dataclasses import dataclass, fields
from typing import NamedTuple

from ..catalog import spoken

ON_CPU = "scikit-image"
IN_GRAPH = "dask"  # calls that made a graph: those of the chunks are rows of their own
OFF_DEVICE = (ON_CPU, IN_GRAPH)


class Case(NamedTuple):
    """What is summed up together.

    Attributes
    ----------
    function : str
        Public module and function, as ``"skimage.filters:gaussian"``.
    where : str
        "kernel" (ours), "cucim", the name of another backend, "dask" where a graph was made, or
        "scikit-image".
    why : str
        Why no backend ran it, without the numbers of one call; empty on the device.
    file : str
    line : int
        The user's line.
    """

    function: str
    where: str
    why: str
    file: str
    line: int

    @property
    def on_device(self) -> bool:
        return self.where not in OFF_DEVICE

    @property
    def short(self) -> str:
        """Name as a user writes it, without the package."""
        return spoken(self.function)


@dataclass(slots=True)
class Tally:
    """Sums over calls.

    Attributes
    ----------
    calls, errors : int
        Calls, and those of them that raised.
    seconds : float
        Wall time, that of the copies included.
    to_device, to_host : int
        Number of copies.
    to_device_bytes, to_host_bytes : int
        Bytes copied.
    to_device_seconds, to_host_seconds : float
        Wall time of the copies.
    """

    calls: int = 0
    errors: int = 0
    seconds: float = 0.0
    to_device: int = 0
    to_device_bytes: int = 0
    to_device_seconds: float = 0.0
    to_host: int = 0
    to_host_bytes: int = 0
    to_host_seconds: float = 0.0

    def add(self, other):
        """Add the sums of `other`."""
        for name in _NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def transfers(self) -> int:
        """Number of copies in both directions."""
        return self.to_device + self.to_host

    @property
    def transfer_seconds(self) -> float:
        """Wall time of the copies in both directions."""
        return self.to_device_seconds + self.to_host_seconds


_NAMES = tuple(field.name for field in fields(Tally))


def total(tallies) -> Tally:
    """Sum of several."""
    result = Tally()
    for tally in tallies:
        result.add(tally)
    return result
