"""`cupy.cuda.memory`: the error of a device without memory."""


class OutOfMemoryError(MemoryError):
    """Out of memory error."""

    def __init__(self, size, total, limit=0):
        self._size = size
        self._total = total
        self._limit = limit
        message = f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes"
        message += f", limit set to: {limit:,} bytes)." if limit else ")."
        super().__init__(message)

    def __reduce__(self):
        return type(self), (self._size, self._total, self._limit)
