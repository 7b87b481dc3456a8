"""`cupy.cuda.cufft`: its error."""

from cupy_backends.cuda.libs._status import StatusError


class CuFFTError(StatusError, texts={2: "CUFFT_ALLOC_FAILED", 6: "CUFFT_EXEC_FAILED"}):
    """An error of the library."""


CuFFTError.__module__ = "cupy.cuda.cufft"
