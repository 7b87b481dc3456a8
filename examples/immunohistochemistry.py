"""
Nuclei in a stained section
===========================

The section (human colonic glands) is stained with haematoxylin, which marks nuclei in blue,
and with DAB, which marks a protein in brown. Colour deconvolution separates the stains; what is
stained more than its surroundings is a nucleus.

``python immunohistochemistry.py nuclei.png`` also saves the last picture.

With ``SKIMAGE_GPU_RESIDENT=1`` the section goes to the device once, and what comes back is the
numbers: all images stay there until somebody looks at them.
"""

# sphinx_gallery_thumbnail_number = -1

import sys

from skimage import color, data, exposure, filters, io, measure, morphology, segmentation, util

section = data.immunohistochemistry()

# %%
# Separate the stains. A difference of Gaussians keeps what is as large as a nucleus.
haematoxylin = color.rgb2hed(section)[..., 0]
spots = filters.difference_of_gaussians(haematoxylin, 2, 8)

# %%
# What is above Otsu's threshold is a nucleus, where it is connected to a pixel twice as high.
threshold = filters.threshold_otsu(spots)
stained = filters.apply_hysteresis_threshold(spots, threshold, 2 * threshold)

# %%
# Clean up: no specks, no small holes, and no nuclei that the border cuts.
stained = morphology.remove_small_objects(stained, max_size=30)
stained = morphology.remove_small_holes(stained, max_size=30)
nuclei = measure.label(segmentation.clear_border(stained))

# %%
# Measure them. Those that touch count as one.
table = measure.regionprops_table(
    nuclei,
    intensity_image=haematoxylin,
    properties=(
        "label",
        "area",
        "centroid",
        "perimeter",
        "eccentricity",
        "orientation",
        "axis_major_length",
        "axis_minor_length",
        "equivalent_diameter_area",
        "extent",
        "solidity",
        "intensity_mean",
    ),
)
print(
    f"{len(table['label'])} nuclei, {table['area'].mean():.0f} pixels on average,"
    f" {(table['solidity'] > 0.9).mean():.0%} of them round"
)

# %%
# Give each a colour, and outline it.
grey = exposure.rescale_intensity(haematoxylin, out_range=(0, 1))
coloured = color.label2rgb(nuclei, grey, bg_label=0)
outlined = segmentation.mark_boundaries(coloured, nuclei, color=(1, 1, 1))
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(outlined))
