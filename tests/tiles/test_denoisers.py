"""Images of four times the device's memory go through denoisers in tiles."""

import functools

import numpy as np
import pytest
from skimage.restoration import denoise_bilateral, denoise_nl_means, rolling_ball

from .device import on_the_device, on_the_simulator

pytestmark = on_the_simulator
RNG = np.random.default_rng(22)
PLANE = RNG.random((211, 313)) * np.linspace(1, 9, 313)
VOLUME = RNG.random((29, 31, 33))
COLORS = RNG.integers(0, 99, (290, 271, 3), dtype=np.uint8)
bilateral = functools.partial(denoise_bilateral, bins=200)  # a small table
slow_nl_means = functools.partial(
    denoise_nl_means, patch_size=3, patch_distance=1, sigma=0.1, fast_mode=False
)


@pytest.mark.parametrize(
    "call",
    [
        functools.partial(denoise_bilateral, PLANE, 3, sigma_color=0.3),
        functools.partial(denoise_bilateral, PLANE.astype(np.float32)),
        functools.partial(denoise_bilateral, PLANE[::-1].T, mode="edge"),
        functools.partial(bilateral, COLORS, channel_axis=-1),
        functools.partial(bilateral, np.moveaxis(COLORS, -1, 0).copy(), channel_axis=0),
        functools.partial(bilateral, np.moveaxis(COLORS, -1, 0), channel_axis=0),
        functools.partial(slow_nl_means, PLANE),
        functools.partial(slow_nl_means, COLORS[:150, :131] / 255, channel_axis=-1),
        functools.partial(slow_nl_means, VOLUME),
        functools.partial(rolling_ball, PLANE, radius=5),
        functools.partial(rolling_ball, VOLUME.astype(np.float32), radius=2),
    ],
    ids=[
        "bilateral",
        "bilateral of its own spread",
        "bilateral of a strided plane",
        "bilateral of colours",
        "bilateral of planes of colours",
        "bilateral of colours seen as planes",
        "nl_means",
        "nl_means of colours",
        "nl_means of a volume",
        "rolling_ball",
        "rolling_ball of a volume",
    ],
)
def test_of_four_times_the_device_memory(memory, call):
    (image,) = call.args[:1]
    with memory(image.nbytes // 4):
        found = on_the_device(call.func, *call.args, **call.keywords)
    expected = call()
    share = 1e-5 if expected.dtype == np.float32 else 1e-10
    np.testing.assert_allclose(found, expected, rtol=0, atol=share * np.ptp(expected), strict=True)
