"""`cupy_backends.cuda.libs.cublas`: its error."""

from ._status import StatusError


class CUBLASError(
    StatusError, texts={3: "CUBLAS_STATUS_ALLOC_FAILED", 13: "CUBLAS_STATUS_EXECUTION_FAILED"}
):
    """An error of the library."""
