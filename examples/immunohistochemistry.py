"""
Nuclei in a stained section
===========================

The section (human colonic glands) is stained with haematoxylin, which marks nuclei in blue,
and with DAB, which marks a protein in brown. Colour deconvolution separates the stains;
Otsu's threshold of the smoothed haematoxylin channel finds the nuclei.

``python immunohistochemistry.py outlined.png`` also saves the last picture.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

from skimage import color, data, filters, io, measure, segmentation, util

section = data.immunohistochemistry()

# %%
# Separate the stains, and smooth the one of the nuclei.
stains = color.rgb2hed(section)
haematoxylin = filters.gaussian(stains[..., 0], sigma=2)

# %%
# What is stained more than Otsu's threshold is a nucleus. Those that touch count as one.
stained = haematoxylin > filters.threshold_otsu(haematoxylin)
nuclei = measure.label(stained)
table = measure.regionprops_table(
    nuclei, intensity_image=haematoxylin, properties=("label", "area", "intensity_mean")
)
large = table["area"] > 30

# %%
# Outline them.
outlined = segmentation.mark_boundaries(section, nuclei, color=(1, 1, 0))
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(outlined))

print(f"{large.sum()} nuclei over 30 pixels, {table['area'][large].mean():.0f} pixels on average")
