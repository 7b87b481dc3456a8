"""Functions of the whole image that are made of their chunks and what these tell each other."""

from . import colocalization, moments, tables
from .adapthist import equalize_adapthist
from .blocks import block_reduce
from .blur import blur_effect
from .components import (
    apply_hysteresis_threshold,
    clear_border,
    remove_small_holes,
    remove_small_objects,
)
from .corners import of_corners, perimeter
from .distances import hausdorff_distance
from .edges import canny
from .extrema import local_maxima
from .few_values import is_low_contrast, shannon_entropy, threshold_li
from .flood import flood, flood_fill
from .heights import high_extrema
from .information import normalized_mutual_information
from .integral import integral_image
from .label import label
from .matching import match_histograms
from .patterns import local_binary_pattern
from .reconstruction import reconstruction
from .ridges import frangi, meijering
from .similarity import structural_similarity
from .table import regionprops_table
from .values import join_segmentations, relabel_sequential

# Planned for one pixel, since plans for all of a large image would be declined.
ANY_SIZE = {
    "skimage.feature:canny",
    "skimage.filters:apply_hysteresis_threshold",
    "skimage.metrics:hausdorff_distance",
    "skimage.morphology:h_maxima",
    "skimage.morphology:h_minima",
    "skimage.morphology:reconstruction",
    "skimage.transform:integral_image",
}
# Images may differ in shape.
ANY_SHAPES = {"skimage.exposure:match_histograms"}
JOINED = {
    "skimage.exposure:equalize_adapthist": equalize_adapthist,
    "skimage.exposure:is_low_contrast": is_low_contrast,
    "skimage.exposure:match_histograms": match_histograms,
    "skimage.feature:canny": canny,
    "skimage.feature:local_binary_pattern": local_binary_pattern,
    "skimage.filters:apply_hysteresis_threshold": apply_hysteresis_threshold,
    "skimage.filters:frangi": frangi,
    "skimage.filters:meijering": meijering,
    "skimage.filters:threshold_li": threshold_li,
    "skimage.measure:blur_effect": blur_effect,
    "skimage.measure:block_reduce": block_reduce,
    "skimage.measure:centroid": moments.centroid,
    "skimage.measure:euler_number": of_corners,
    "skimage.measure:inertia_tensor": moments.inertia_tensor,
    "skimage.measure:inertia_tensor_eigvals": moments.inertia_tensor_eigvals,
    "skimage.measure:intersection_coeff": colocalization.intersection_coeff,
    "skimage.measure:label": label,
    "skimage.measure:manders_coloc_coeff": colocalization.manders_coloc_coeff,
    "skimage.measure:manders_overlap_coeff": colocalization.manders_overlap_coeff,
    "skimage.measure:moments": moments.moments,
    "skimage.measure:moments_central": moments.moments_central,
    "skimage.measure:pearson_corr_coeff": colocalization.pearson_corr_coeff,
    "skimage.measure:perimeter": perimeter,
    "skimage.measure:perimeter_crofton": of_corners,
    "skimage.measure:regionprops_table": regionprops_table,
    "skimage.measure:shannon_entropy": shannon_entropy,
    "skimage.metrics:adapted_rand_error": tables.adapted_rand_error,
    "skimage.metrics:contingency_table": tables.contingency_table,
    "skimage.metrics:hausdorff_distance": hausdorff_distance,
    "skimage.metrics:normalized_mutual_information": normalized_mutual_information,
    "skimage.metrics:structural_similarity": structural_similarity,
    "skimage.metrics:variation_of_information": tables.variation_of_information,
    "skimage.morphology:flood": flood,
    "skimage.morphology:flood_fill": flood_fill,
    "skimage.morphology:h_maxima": high_extrema,
    "skimage.morphology:h_minima": high_extrema,
    "skimage.morphology:local_maxima": local_maxima,
    "skimage.morphology:local_minima": local_maxima,
    "skimage.morphology:reconstruction": reconstruction,
    "skimage.morphology:remove_small_holes": remove_small_holes,
    "skimage.morphology:remove_small_objects": remove_small_objects,
    "skimage.segmentation:clear_border": clear_border,
    "skimage.segmentation:join_segmentations": join_segmentations,
    "skimage.segmentation:relabel_sequential": relabel_sequential,
    "skimage.transform:downscale_local_mean": block_reduce,
    "skimage.transform:integral_image": integral_image,
}
