"""
A plane from its projections
============================

A tomograph measures how much a plane takes of rays that cross it, at many angles: the Radon
transform, its sinogram. Filtered back-projection gives the plane back at once; the simultaneous
algebraic reconstruction technique (SART) does it ray by ray, and again from what it has found.

``python tomography.py planes.png`` also saves the phantom and the reconstructions.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

import numpy as np
from skimage import data, io, metrics, transform, util

phantom = transform.rescale(data.shepp_logan_phantom(), 0.32, mode="reflect")
angles = np.linspace(0, 180, phantom.shape[0], endpoint=False)

# %%
# What is measured: a column for each angle.
sinogram = transform.radon(phantom, theta=angles)

# %%
# A ramp makes up for how often low frequencies are measured; a window on it keeps noise down.
planes = {"phantom": phantom}
for name in ("ramp", "hann"):
    planes[f"filtered by {name}"] = transform.iradon(sinogram, theta=angles, filter_name=name)

# %%
# SART needs no filter. A second round begins with what the first one has found, in a copy:
# scikit-image writes into it.
once = transform.iradon_sart(sinogram, theta=angles)
planes["SART"] = once
planes["SART, twice"] = transform.iradon_sart(sinogram, theta=angles, image=once.copy())

# %%
# How far is each of them from the phantom?
for name, plane in planes.items():
    if name != "phantom":
        error = metrics.normalized_root_mse(phantom, plane)
        print(f"{name}: {100 * error:.3f} % of the phantom")

# %%
# All of them side by side.
shown = np.clip(np.hstack(list(planes.values())), 0, 1)
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(shown))
