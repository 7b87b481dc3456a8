"""
A plane from few projections
============================

Electron paramagnetic resonance gives few projections of a sample, and noisy ones. Filtered
back-projection makes streaks of them. The sample is known to be flat but for its edges, though:
so the total variation is lowered between one back-projection of what is still unexplained and the
next one.

``python tv_tomography.py planes.png`` also saves the planes, ``python tv_tomography.py planes.png
256 cupy`` reconstructs one of 256 pixels along an axis, from arrays of CuPy: the projections go to
the device once, and all that is in the loop stays there. What is done between scikit-image's
functions is then CuPy's.
"""

# sphinx_gallery_thumbnail_number = -1

import importlib
import sys

import numpy as np
from skimage import io, metrics, restoration, transform, util

side = int(sys.argv[2]) if len(sys.argv) > 2 else 96
xp = importlib.import_module(sys.argv[3] if len(sys.argv) > 3 else "numpy")

# %%
# The sample: tubes with a solution of one concentration or another, in a holder that gives a weak
# signal itself.
rows, columns = (np.indices((side, side)) - (side - 1) / 2) / (side / 2)
sample = np.where(np.hypot(rows, columns) < 0.85, 0.1, 0.0)
tubes = [(-0.4, -0.3, 0.22, 1.0), (0.35, -0.35, 0.16, 0.6), (0.0, 0.45, 0.28, 0.8)]
for row, column, radius, concentration in tubes:
    sample[np.hypot(rows - row, columns - column) < radius] = concentration

# %%
# What is measured: 24 directions of the field's gradient, and noise.
angles = np.linspace(0, 180, 24, endpoint=False)
clean = transform.radon(sample, theta=angles)
noise = np.random.default_rng(0).normal(0, 0.01 * clean.max(), clean.shape)
sinogram = xp.asarray(clean + noise)

# %%
# Filtered back-projection, once.
once = transform.iradon(sinogram, theta=angles, filter_name="hann")

# %%
# The loop: what do the projections of the plane so far leave unexplained? That is projected back;
# then total variation is lowered, by as many iterations each time. Nothing is outside of the
# holder, and no concentration is negative. ``python -m skimage_gpu_backend explain
# transform.iradon`` tells what a function takes, on the device or on the host, and what it costs;
# ``explain "transform.iradon(sinogram)" --shape 96,24`` tells it of a call.
inside = xp.asarray(np.hypot(rows, columns) < 0.9)
plane = xp.zeros_like(once)
for _ in range(12):
    unexplained = sinogram - transform.radon(plane, theta=angles)
    plane = plane + transform.iradon(unexplained, theta=angles, filter_name="hann")
    plane = restoration.denoise_tv_chambolle(plane, weight=0.1, eps=0, max_num_iter=40)
    plane = xp.maximum(plane, 0) * inside


# %%
# How far is each of them from the sample?
def on_host(array):
    return array if isinstance(array, np.ndarray) else array.get()


planes = {"filtered": on_host(once), "total variation": on_host(plane)}
for name, found in planes.items():
    error = metrics.normalized_root_mse(sample, found)
    print(f"{name}: {100 * error:.2f} % of the sample")

# %%
# The sample, and both of them.
shown = np.clip(np.hstack([sample, *planes.values()]), 0, 1)
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(shown))
