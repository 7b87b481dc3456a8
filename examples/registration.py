"""
Two cameras laid over each other
================================

Two cameras beside each other saw a motorcycle. No keypoints are searched: the peak of the
phase correlation tells how far the pictures are apart, to a twentieth of a pixel. What is
nearer or farther than the motorcycle stays apart; the anaglyph shows it in red and cyan.

``python registration.py anaglyph.png`` also saves the last picture.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

import numpy as np
from skimage import color, data, io, metrics, registration, transform, util

left, right, _ = data.stereo_motorcycle()
fixed, moving = color.rgb2gray(left), color.rgb2gray(right)

# %%
# Find how far they are apart, and move one onto the other.
shift, _, _ = registration.phase_cross_correlation(fixed, moving, upsample_factor=20)
rows, columns = shift
moved = transform.warp(moving, transform.AffineTransform(translation=(-columns, -rows)))

# %%
# How similar are they, before and after?
before = metrics.structural_similarity(fixed, moving, data_range=1)
after = metrics.structural_similarity(fixed, moved, data_range=1)
print(f"moved by {rows:.2f} rows and {columns:.2f} columns")
print(f"structural similarity {before:.3f} before and {after:.3f} after")

# %%
# One camera in red, the other one in cyan.
anaglyph = np.stack([fixed, moved, moved], axis=-1)
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(anaglyph))
