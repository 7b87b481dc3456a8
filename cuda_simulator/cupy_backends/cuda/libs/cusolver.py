"""`cupy_backends.cuda.libs.cusolver`: its error."""

from ._status import StatusError


class CUSOLVERError(
    StatusError, texts={2: "CUSOLVER_STATUS_ALLOC_FAILED", 7: "CUSOLVER_STATUS_INTERNAL_ERROR"}
):
    """An error of the library."""
