"""The functions of scikit-image's public modules that cuCIM runs: plain data, for the catalog.

cuCIM 26.10 has them under the same name, and their results have been compared with scikit-image's
(tests/differential).
"""

CUCIM = {
    "skimage.color": (
        "combine_stains convert_colorspace deltaE_cie76 deltaE_ciede2000 deltaE_ciede94"
        " deltaE_cmc gray2rgb gray2rgba hed2rgb hsv2rgb lab2lch lab2rgb lab2xyz label2rgb"
        " lch2lab luv2rgb luv2xyz rgb2gray rgb2hed rgb2hsv rgb2lab rgb2luv rgb2rgbcie rgb2xyz"
        " rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr rgb2yuv rgba2rgb rgbcie2rgb separate_stains"
        " xyz2lab xyz2luv xyz2rgb ycbcr2rgb ydbdr2rgb yiq2rgb ypbpr2rgb yuv2rgb"
    ),
    "skimage.exposure": (
        "adjust_gamma adjust_log adjust_sigmoid cumulative_distribution equalize_adapthist"
        " equalize_hist histogram is_low_contrast match_histograms rescale_intensity"
    ),
    "skimage.feature": (
        "blob_dog blob_doh blob_log canny corner_foerstner corner_harris"
        " corner_kitchen_rosenfeld corner_peaks corner_shi_tomasi daisy hessian_matrix"
        " hessian_matrix_det hessian_matrix_eigvals match_template multiscale_basic_features"
        " peak_local_max shape_index structure_tensor structure_tensor_eigenvalues"
    ),
    "skimage.filters": (
        "apply_hysteresis_threshold butterworth correlate_sparse difference_of_gaussians"
        " farid farid_h farid_v frangi gabor gabor_kernel gaussian laplace median meijering"
        " prewitt prewitt_h prewitt_v rank_order roberts roberts_neg_diag roberts_pos_diag"
        " sato scharr scharr_h scharr_v sobel sobel_h sobel_v threshold_isodata threshold_li"
        " threshold_local threshold_mean threshold_minimum threshold_multiotsu"
        " threshold_niblack threshold_otsu threshold_sauvola threshold_triangle threshold_yen"
        " unsharp_mask window"
    ),
    "skimage.filters.rank": (
        "autolevel autolevel_percentile enhance_contrast enhance_contrast_percentile entropy"
        " equalize geometric_mean gradient gradient_percentile majority maximum mean"
        " mean_bilateral mean_percentile median minimum modal noise_filter percentile pop"
        " pop_bilateral pop_percentile subtract_mean subtract_mean_percentile sum"
        " sum_bilateral sum_percentile threshold threshold_percentile"
    ),
    "skimage.measure": (
        "block_reduce blur_effect centroid euler_number inertia_tensor inertia_tensor_eigvals"
        " intersection_coeff label manders_coloc_coeff manders_overlap_coeff moments"
        " moments_central moments_coords moments_coords_central pearson_corr_coeff perimeter"
        " perimeter_crofton profile_line regionprops regionprops_table shannon_entropy"
    ),
    "skimage.metrics": (
        "adapted_rand_error mean_squared_error normalized_mutual_information"
        " normalized_root_mse peak_signal_noise_ratio structural_similarity"
        " variation_of_information"
    ),
    "skimage.morphology": (
        "black_tophat closing convex_hull_image convex_hull_object dilation erosion h_maxima"
        " h_minima isotropic_closing isotropic_dilation isotropic_erosion isotropic_opening"
        " local_maxima local_minima medial_axis opening reconstruction remove_small_holes"
        " remove_small_objects thin white_tophat"
    ),
    "skimage.registration": "optical_flow_ilk optical_flow_tvl1 phase_cross_correlation",
    "skimage.restoration": "denoise_tv_chambolle richardson_lucy rolling_ball wiener",
    "skimage.segmentation": (
        "chan_vese clear_border expand_labels find_boundaries inverse_gaussian_gradient"
        " join_segmentations mark_boundaries morphological_chan_vese"
        " morphological_geodesic_active_contour random_walker relabel_sequential"
    ),
    "skimage.transform": (
        "downscale_local_mean integral_image integrate matrix_transform pyramid_expand"
        " pyramid_gaussian pyramid_laplacian pyramid_reduce rescale resize resize_local_mean"
        " rotate swirl warp warp_polar"
    ),
    "skimage.util": (
        "compare_images crop dtype_limits img_as_bool img_as_float img_as_float32"
        " img_as_float64 img_as_int img_as_ubyte img_as_uint invert map_array montage"
        " view_as_blocks view_as_windows"
    ),
}
