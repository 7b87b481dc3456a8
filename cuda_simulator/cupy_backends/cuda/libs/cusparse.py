"""`cupy_backends.cuda.libs.cusparse`: its error."""

from ._status import StatusError


class CuSparseError(StatusError, texts={2: "CUSPARSE_STATUS_ALLOC_FAILED: allocation failed"}):
    """An error of the library."""
