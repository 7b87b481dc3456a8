"""`cupy_backends.cuda.libs.curand`: its error."""

from ._status import StatusError


class CURANDError(StatusError, texts={102: "CURAND_STATUS_ALLOCATION_FAILED"}):
    """An error of the library."""
