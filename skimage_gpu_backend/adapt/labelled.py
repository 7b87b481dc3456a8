"""xarray's `DataArray`s, which a call takes as the arrays that they label.

scikit-image converts most of them with ``numpy.asarray`` and gives plain arrays. xarray is not
imported here: whoever made one of its arrays has.
"""

import sys

from ..arguments import given, replaced

# Functions of which scikit-image gives a `DataArray` for some arguments, as it only calculates
# with the image, ...
_LABELLED = """
exposure:adjust_gamma exposure:adjust_log exposure:adjust_sigmoid exposure:rescale_intensity
filters:correlate_sparse filters:threshold_mean filters:unsharp_mask measure:ransac
morphology:black_tophat morphology:remove_small_objects restoration:denoise_bilateral
restoration:denoise_tv_chambolle segmentation:chan_vese segmentation:find_boundaries
transform:integral_image util:invert
"""
# ... and those that refuse it as an image, for a method of arrays that it has not.
_REFUSED = """
color:label2rgb draw:set_color exposure:cumulative_distribution exposure:equalize_hist
exposure:histogram exposure:match_histograms feature:corner_peaks feature:graycoprops
feature:haar_like_feature feature:match_template feature:multiscale_basic_features
feature:peak_local_max filters:rank_order filters:threshold_isodata filters:threshold_li
filters:threshold_minimum filters:threshold_multiotsu filters:threshold_otsu
filters:threshold_triangle filters:threshold_yen graph:pixel_graph graph:rag_boundary
graph:rag_mean_color measure:find_contours measure:marching_cubes measure:mesh_surface_area
measure:regionprops metrics:adapted_rand_error metrics:contingency_table metrics:hausdorff_distance
metrics:hausdorff_pair metrics:normalized_mutual_information metrics:variation_of_information
morphology:area_closing morphology:area_opening morphology:diameter_closing
morphology:diameter_opening morphology:flood_fill morphology:h_maxima morphology:h_minima
morphology:max_tree morphology:max_tree_local_maxima morphology:remove_small_holes
morphology:skeletonize restoration:denoise_nl_means segmentation:clear_border
segmentation:expand_labels segmentation:join_segmentations segmentation:relabel_sequential
transform:hough_circle transform:hough_ellipse transform:hough_line transform:ifrt2
transform:iradon_sart util:label_points util:map_array util:view_as_blocks util:view_as_windows
"""
# Auxiliary arrays for which they refuse it.
_REFUSED_AUXILIARY = """
feature:corner_orientations:corners feature:corner_subpix:corners
measure:regionprops_table:intensity_image restoration:inpaint_biharmonic:mask
segmentation:watershed:markers transform:warp:inverse_map
"""
_NOT_PLAIN = frozenset(
    f"skimage.{name}" for name in f"{_LABELLED} {_REFUSED} {_REFUSED_AUXILIARY}".split()
)


def is_labelled(value) -> bool:
    """Whether a value is a `DataArray`."""
    xarray = sys.modules.get("xarray")
    # while xarray is being imported it has none yet
    return xarray is not None and isinstance(value, getattr(xarray, "DataArray", ()))


def why_not_unlabelled(name, parameter) -> str | None:
    """Why a call of function `name` with a `DataArray` is not one with the array under it."""
    if name not in _NOT_PLAIN and f"{name}:{parameter}" not in _NOT_PLAIN:
        return None
    return (
        f"{parameter} is a DataArray, of which scikit-image makes no plain array here; give "
        f"{parameter}.data"
    )


def unlabelled(row, name, args, kwargs):
    """`args` and `kwargs` with the arrays under the images that are `DataArray`s."""
    arrays = {}
    for parameter in row.images + row.beside:
        value = given(name, parameter, args, kwargs)
        if is_labelled(value):
            arrays[parameter] = value.data  # nothing is computed where that is a Dask array
    return replaced(name, args, kwargs, arrays)
