"""
Galaxies of a deep field
========================

Blobs are bright places of any size on a dark ground. The difference of two Gaussians is largest
where its scale is that of the blob, so that the image is looked at in many scales.

``python galaxies.py marked.png`` also saves the last picture.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

from skimage import color, data, draw, feature, io, util

field = data.hubble_deep_field()[:400, :400]
brightness = color.rgb2gray(field)

# %%
# One row for each blob: its place, and the standard deviation of the Gaussian that fits it.
blobs = feature.blob_dog(brightness, min_sigma=2, max_sigma=15, threshold=0.05)
print(f"{len(blobs)} galaxies and stars; the largest has a radius of {1.4 * max(blobs[:, 2]):.0f}")

# %%
# Circles are a few pixels each, made from numbers: they stay on the CPU.
marked = util.img_as_float(field)
for row, column, sigma in blobs:
    circle = draw.circle_perimeter(int(row), int(column), int(2 * sigma), shape=field.shape)
    marked[circle] = (1, 1, 0)
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(marked))
