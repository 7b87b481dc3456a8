"""
Noise and three ways to take it out
===================================

A bilateral filter takes the mean of neighbours of similar intensity, total variation looks for the
flattest image near the noisy one, and non-local means takes the mean of pixels with similar
surroundings. How near to the clean image does each of them come?

``python denoising.py images.png`` also saves the images side by side.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

import numpy as np
from skimage import data, io, metrics, restoration, util

clean = util.img_as_float(data.camera()[70:198, 170:298])

# %%
# Noise of a tenth of the range, the same in every run.
sigma = 0.1
noise = np.random.default_rng(0).normal(0, sigma, clean.shape)
images = {"noisy": np.clip(clean + noise, 0, 1)}

# %%
# Neighbours count less the more they differ in intensity, against twice what the noise does.
images["bilateral"] = restoration.denoise_bilateral(
    images["noisy"], sigma_color=2 * sigma, sigma_spatial=2, mode="edge"
)

# %%
# The weight says how much flatness counts beside being near to the noisy image.
images["total variation"] = restoration.denoise_tv_chambolle(images["noisy"], weight=sigma)

# %%
# Patches of 5 x 5 pixels are compared with those up to 6 pixels away. Their distances are freed of
# what the noise adds to them.
images["non-local means"] = restoration.denoise_nl_means(
    images["noisy"], patch_size=5, patch_distance=6, h=0.6 * sigma, sigma=sigma
)

# %%
# The peak signal-to-noise ratio counts errors of pixels; structural similarity compares local
# means, contrasts and structures.
for name, image in images.items():
    ratio = metrics.peak_signal_noise_ratio(clean, image, data_range=1)
    similarity = metrics.structural_similarity(clean, image, data_range=1)
    print(f"{name}: {ratio:.2f} dB, structural similarity {similarity:.3f}")

# %%
# All of them side by side, after the clean image.
shown = np.hstack([clean, *images.values()])
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(shown))
