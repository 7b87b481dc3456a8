"""Images that have moved, and flows compared with scikit-image's."""

import numpy as np
from scipy import ndimage as ndi

from skimage_gpu_backend import functions

RNG = np.random.default_rng(0)


def pair(shape, dtype="float64"):
    """Smooth noise, and the same moved by a pixel and a half."""
    image = ndi.gaussian_filter(RNG.random(shape), 1.5, mode="wrap")
    image = (image - image.min()) / np.ptp(image)
    there = ndi.shift(image, [1.5, -0.7, 0.4][: len(shape)], mode="nearest", order=3).clip(0, 1)
    scale = np.iinfo(dtype).max // 2 if np.dtype(dtype).kind in "iu" else 1
    return [(each * scale).astype(dtype) for each in (image, there)]


def same_flow(function, gpu, reference, moving, dtype=np.float32, **options):
    """The flow on the device: scikit-image's, in single precision to the last bit."""
    expected = function(reference, moving, dtype=dtype, **options)
    result = gpu(function, reference, moving, dtype=dtype, **options)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    apart = np.abs(result - expected).max() / max(np.ptp(expected), 1)
    assert apart <= (0 if dtype == np.float32 else 1e-10), apart
    return result


def planned(function, *images, **options):
    """The plan of a call."""
    return functions.plan(f"skimage.registration:{function.__name__}", images, options)


def assert_cost_known(plan, images, counting):
    """Launches are those of the plan; bytes are at most its own, which are at most twice them."""
    with counting() as counts:
        plan.run(reference_image=images[0], moving_image=images[1])
    assert plan.cost.launches == counts.launches
    assert counts.kernel_bytes_read <= plan.cost.read + 4096 <= 2 * counts.kernel_bytes_read + 8192
    assert counts.kernel_bytes_written <= plan.cost.written + 4096
    assert plan.cost.written <= 2 * counts.kernel_bytes_written
