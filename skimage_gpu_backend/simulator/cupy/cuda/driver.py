"""`cupy.cuda.driver`: what the driver refuses at launch."""

from . import runtime

MAX_SHARED = 48 << 10  # what a block may have without asking


class CUDADriverError(RuntimeError):
    """An error of the CUDA driver."""

    def __init__(self, status, text):
        self.status = status
        self._text = text
        super().__init__(text)

    def __reduce__(self):
        return type(self), (self.status, self._text)


def checked_launch(grid, block, shared_bytes, shared_limit=MAX_SHARED):
    """Grid and block with three dimensions each; an error where a GPU refuses them."""
    runtime.getDevice()
    grid = (*grid, 1, 1)[:3]
    block = (*block, 1, 1)[:3]
    if (
        min(grid) < 1
        or min(block) < 1
        or block[0] * block[1] * block[2] > 1024
        or block[2] > 64
        or grid[0] > 2**31 - 1
        or max(grid[1:]) > 65535
        or shared_bytes > shared_limit
    ):
        raise CUDADriverError(
            1,
            f"CUDA_ERROR_INVALID_VALUE: invalid argument (grid {grid}, block {block}, "
            f"{shared_bytes} bytes of dynamic shared memory)",
        )
    return grid, block
