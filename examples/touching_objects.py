"""
Coins that touch
================

A local threshold finds what is bright, with cracks where coins are worn. What closes the cracks
joins coins that are near each other. A watershed takes them apart: floods rise from the middle of
each coin, and meet between them.

``python touching_objects.py coins.png`` also saves the last picture.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

from skimage import color, data, filters, io, measure, morphology, segmentation, util

coins = data.coins()

# %%
# What is brighter than the ground around it, without specks and cracks.
smooth = filters.gaussian(coins, sigma=1)
bright = smooth > filters.threshold_local(smooth, block_size=75, offset=-0.02)
bright = morphology.remove_small_objects(bright, max_size=300)
bright = morphology.isotropic_closing(bright, radius=8)
joined = measure.label(bright)

# %%
# A wide Gaussian of that is highest in the middle of each coin, and lower where two touch.
middle = filters.gaussian(bright, sigma=6)
seeds = measure.label(morphology.h_maxima(middle, 0.05))
labels = segmentation.watershed(-middle, seeds, mask=bright)
print(f"{joined.max()} bright things are {labels.max()} coins")

# %%
# How large are they?
areas = measure.regionprops_table(labels, properties=("label", "area"))["area"]
print(f"of {areas.min():.0f} to {areas.max():.0f} pixels")

# %%
# Each coin in a colour of its own, with its outline.
colored = color.label2rgb(labels, coins, bg_label=0)
outlined = segmentation.mark_boundaries(colored, labels, color=(1, 1, 1))
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(outlined))
