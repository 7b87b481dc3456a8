"""
The script of a proposal
========================

The proposal to make cuCIM a backend of scikit-image (`rapidsai/cucim#829
<https://github.com/rapidsai/cucim/issues/829>`_) begins with a script: it imports a function of
scikit-image, selects ``cucim`` afterwards, by a variable that is set while the program runs, and
hands the function two CuPy arrays. The first step has these lines, and a seed. They need nothing
but this package, since scikit-image 0.26 dispatches `mean_squared_error` itself. For those of
the other steps start it by ``python -m skimage_gpu_backend run proposal.py``.

Where cuCIM is not installed kernels of this package run all of it, since scikit-image itself could
not.
"""

# sphinx_gallery_thumbnail_number = -1

import os
import sys

import cupy as cp
from skimage import color, data, filters, io, metrics, util
from skimage.metrics import mean_squared_error

os.environ["SKIMAGE_BACKENDS"] = "cucim"

cp.random.seed(0)
img0 = cp.random.randint(0, 256, (256, 256, 3), dtype=cp.uint8)
img1 = cp.random.randint(0, 256, (256, 256, 3), dtype=cp.uint8)

error = mean_squared_error(img0, img1)
print(f"mean squared error: {float(error):.6g}")

# %%
# The same with other functions. An image goes to the device once, here by the script itself.
photo = cp.asarray(data.astronaut())
gray = color.rgb2gray(photo)
smooth = filters.gaussian(gray, sigma=3)
edges = filters.sobel(smooth)
print(f"edges are a {type(edges).__module__.partition('.')[0]} array, {edges.dtype}")

# %%
# What smoothing has cost, in three measures. Numbers are what comes back.
root = metrics.normalized_root_mse(gray, smooth)
ratio = metrics.peak_signal_noise_ratio(gray, smooth, data_range=1)
similarity = metrics.structural_similarity(gray, smooth, data_range=1)
print(f"error {float(root):.4f}, {float(ratio):.2f} dB, similarity {float(similarity):.4f}")

# %%
# To be looked at, it comes back as a NumPy array.
outlines = util.invert(edges / edges.max()).get()
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], (255 * outlines).astype("uint8"))
