"""Functions of the whole image that are made of their chunks and what these tell each other."""

from .components import (
    apply_hysteresis_threshold,
    clear_border,
    remove_small_holes,
    remove_small_objects,
)
from .edges import canny
from .integral import integral_image
from .label import label
from .table import regionprops_table
from .values import join_segmentations, relabel_sequential

# Planned for one pixel, since plans for all of a large image would be declined.
ANY_SIZE = {
    "skimage.feature:canny",
    "skimage.filters:apply_hysteresis_threshold",
    "skimage.transform:integral_image",
}
JOINED = {
    "skimage.feature:canny": canny,
    "skimage.filters:apply_hysteresis_threshold": apply_hysteresis_threshold,
    "skimage.measure:label": label,
    "skimage.measure:regionprops_table": regionprops_table,
    "skimage.morphology:remove_small_holes": remove_small_holes,
    "skimage.morphology:remove_small_objects": remove_small_objects,
    "skimage.segmentation:clear_border": clear_border,
    "skimage.segmentation:join_segmentations": join_segmentations,
    "skimage.segmentation:relabel_sequential": relabel_sequential,
    "skimage.transform:integral_image": integral_image,
}
