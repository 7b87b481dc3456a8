"""`cupy.cuda.driver`: the driver's errors."""

_TEXTS = {
    1: "CUDA_ERROR_INVALID_VALUE: invalid argument",
    200: "CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid",
    500: "CUDA_ERROR_NOT_FOUND: named symbol not found",
}


class CUDADriverError(RuntimeError):
    """An error of the CUDA driver."""

    def __init__(self, status):
        self.status = status
        super().__init__(_TEXTS[status])

    def __reduce__(self):
        return type(self), (self.status,)
