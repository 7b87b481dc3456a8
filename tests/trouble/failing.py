"""A device that fails: at one operation, or for good."""

import contextlib
import threading
import warnings

import cupy as cp

from cuda_simulator import faults
from skimage_gpu_backend.trouble import KernelCompileError

cuda = cp.cuda
UNSUPPORTED, NO_MEMORY, LOST = 801, 2, 719  # statuses of CUDA


def _of_cuda(status=NO_MEMORY):
    return lambda: cuda.runtime.CUDARuntimeError(status)


# What the operations of each kind raise.
ERRORS = {
    "allocation": (lambda: cuda.memory.OutOfMemoryError(10**9, 10**8), _of_cuda()),
    "managed": (_of_cuda(UNSUPPORTED), _of_cuda()),
    "pinned": (_of_cuda(),),
    "prefetch": (_of_cuda(UNSUPPORTED),),
    "launch": (
        lambda: cuda.driver.CUDADriverError(NO_MEMORY),
        lambda: KernelCompileError("kernel a of kernels/b.cu does not compile: c"),
        lambda: cuda.nvrtc.NVRTCError(6),
        lambda: cuda.compiler.CompileException("a.cu(1): error: b", "", "a", ()),
    ),
    "sort": (
        lambda: MemoryError("std::bad_alloc"),
        lambda: RuntimeError("radix_sort: failed on 1st step: cudaErrorInvalidValue"),
    ),
    "blas": (lambda: cuda.cublas.CUBLASError(13), lambda: cuda.cublas.CUBLASError(3)),
    "linalg": (lambda: cuda.cusolver.CUSOLVERError(7), lambda: cuda.cublas.CUBLASError(3)),
    "fft": (lambda: cuda.cufft.CuFFTError(2), lambda: cuda.cufft.CuFFTError(6)),
    "random": (lambda: cuda.curand.CURANDError(102),),
    "sparse": (lambda: cuda.cusparse.CuSparseError(2),),
} | dict.fromkeys(("to_device", "to_host", "stream", "event", "wait"), (_of_cuda(),))
# A call goes on after these: in tiles, in ordinary memory, with more waiting.
OVERCOME = ("allocation", "managed", "pinned", "prefetch")


class Device:
    """Counts operations, and fails where it is told to; observes `cuda_simulator.faults`.

    Parameters
    ----------
    kinds : sequence of str
        Of operations that count.
    at : int, optional
        Number of the one that fails.
    error : callable, optional
        Makes what it raises.
    for_good : bool
        Whether all that come after fail too.
    device : int, optional
        Number of the one that it is, where there are several.
    """

    def __init__(self, kinds=faults.KINDS, at=None, error=None, *, for_good=False, device=None):
        self._kinds, self._at, self._error, self._for_good = kinds, at, error, for_good
        self._device = device
        self._lock = threading.Lock()
        self.met = []

    def __call__(self, kind):
        if kind not in self._kinds or self._is_another():
            return
        with self._lock:
            number = len(self.met)
            if kind != "free":  # by destructors, which run when they like
                self.met.append(kind)
        if self._for_good and self.has_failed:
            raise self._error()
        if number == self._at and kind != "free":
            raise self._error()

    def _is_another(self):
        # asked of the stand-in, since to ask CUDA is an operation
        return self._device not in (None, getattr(cuda.runtime._local, "device", 0))

    @property
    def has_failed(self):
        return self._at is not None and len(self.met) > self._at


def lost(at=0, device=None):
    """A device that is lost at its n-th operation."""
    return Device(at=at, error=_of_cuda(LOST), for_good=True, device=device)


@contextlib.contextmanager
def told():
    """Reasons for which calls inside the block did not run on the device; a list that grows."""
    reasons = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            yield reasons
        finally:
            texts = [str(warning.message) for warning in seen]
            reasons += [text for text in texts if "was not dispatched" in text]


def places(count):
    """The first, a middle and the last of so many operations."""
    return 0, count // 2, count - 1
