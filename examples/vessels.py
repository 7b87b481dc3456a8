"""
Vessels of a retina
===================

A ridge filter finds what is long and thin. Hysteresis keeps weak parts of a vessel where they
are connected to strong ones, and the skeleton tells how long the vessels are.

``python vessels.py vessels.png`` also saves the last picture.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

from skimage import color, data, exposure, filters, io, morphology, util

retina = data.retina()[500:900, 500:900]

# %%
# Vessels are darkest in green. Local contrast shows them in dark parts of the eye, too.
green = exposure.equalize_adapthist(retina[..., 1])
ridges = filters.sato(green, sigmas=(2, 3, 4))

# %%
# Keep what is connected to strong ridges, and drop specks.
strong = filters.threshold_otsu(ridges)
vessels = filters.apply_hysteresis_threshold(ridges, strong / 2, strong)
vessels = morphology.remove_small_objects(vessels, max_size=200)

# %%
# A skeleton tells how long they are.
lines = morphology.skeletonize(vessels)
print(f"{vessels.mean():.1%} of the image are vessels, {lines.sum()} pixels long in all")

# %%
# Lay the vessels over the image.
overlay = color.label2rgb(vessels.astype(int), retina, colors=["yellow"], saturation=1)
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(overlay))
