"""`cupy.cuda.driver`: the driver's errors."""

_TEXTS = {
    1: "CUDA_ERROR_INVALID_VALUE: invalid argument",
    2: "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    200: "CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid",
    500: "CUDA_ERROR_NOT_FOUND: named symbol not found",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
    719: "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure",
}


class CUDADriverError(RuntimeError):
    """An error of the CUDA driver."""

    def __init__(self, status):
        self.status = status
        super().__init__(_TEXTS[status])

    def __reduce__(self):
        return type(self), (self.status,)
