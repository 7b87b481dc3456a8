"""What others have published of kernels that the model can be asked about, beside its answer."""

from typing import NamedTuple


class Published(NamedTuple):
    """A time in microseconds that was published, and the one that was predicted for it."""

    what: str
    card: str
    published: float
    predicted: float
    source: str


PUBLISHED = ()  # none yet
