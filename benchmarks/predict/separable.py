"""cuCIM's correlations along one axis, whose results SciPy has sooner than the simulator."""

import contextlib
from unittest import mock

import scipy.ndimage

from cuda_simulator import counters

_KERNELS = "correlate_s", "convolve_s"


@contextlib.contextmanager
def by_scipy():
    """Inside a ``with`` block such launches are counted, and SciPy writes what they would.

    What these kernels do does not depend on numbers. To be entered before launches are watched.
    """
    from cucim.skimage._vendored import _ndimage_filters
    from cupy import _kernels

    run, along = _kernels.Kernel.__call__, _ndimage_filters._shmem_convolve1d

    def called(kernel, *args, **more):
        if kernel._launcher().entry.name.startswith(_KERNELS):
            counters.launched(0, 0)
        else:
            run(kernel, *args, **more)

    def filtered(image, weights, *, convolution, output, **how):
        before = image._host.copy()  # `output` may be the image
        result = along(image, weights, convolution=convolution, output=output, **how)
        scipys = scipy.ndimage.convolve1d if convolution else scipy.ndimage.correlate1d
        result._host[...] = scipys(before, weights._host, output=result.dtype, **how)
        return result

    with (
        mock.patch.object(_kernels.Kernel, "__call__", called),
        mock.patch.object(_ndimage_filters, "_shmem_convolve1d", filtered),
    ):
        yield
