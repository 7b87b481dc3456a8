"""Every function that the GPU backends serve: what it takes, where it comes from.

The single source of truth. `info.py` lists these names, `decide.py` reads the rows, the
documentation's tables are made from them. Plain data: nothing is imported here, since
scikit-image reads it when its first dispatchable function is defined.
"""


class Row:
    """What the way of a call needs to know about one function.

    Attributes
    ----------
    images : tuple of str
        Parameters that are images: NumPy or CuPy arrays, all of one kind. They decide the
        kind of the result. Empty: every array among the arguments is one.
    beside : tuple of str
        Arrays that go to the device with the images, whatever kind they are (masks).
    host : tuple of str
        Small array-like parameters that are read on the host (matrices, weights).
    out : str or None
        Parameter that receives the result.
    kernel : bool
        An op of ours exists: ``ops.<module>.<function>``.
    cucim : bool
        cuCIM has a function of this name.
    min_size : int
        Bytes of the images from which the GPU is taken for NumPy arrays.
    """

    __slots__ = ("beside", "cucim", "host", "images", "kernel", "min_size", "out")

    def __init__(self, *, images="", beside="", host="", out=None, kernel=True, cucim=False):
        self.images = tuple(images.split())
        self.beside = tuple(beside.split())
        self.host = tuple(host.split())
        self.out = out
        self.kernel = kernel
        self.cucim = cucim
        self.min_size = DEFAULT_MIN_SIZE


# Until crossover sizes have been measured for each function.
DEFAULT_MIN_SIZE = 500_000


def _kernels(module, names, **properties):
    return {f"{module}:{name}": Row(**properties) for name in names.split()}


def _conversions(*names):
    """Colour conversions, whose image parameter is named after the source space."""
    return {
        f"skimage.color:{name}": Row(images=name.partition("2")[0])
        for name in " ".join(names).split()
    }


KERNELS = {
    **_kernels("skimage.metrics", "mean_squared_error", images="image0 image1"),
    **_kernels(
        "skimage.metrics",
        "normalized_root_mse peak_signal_noise_ratio",
        images="image_true image_test",
    ),
    **_conversions(
        "hsv2rgb lab2lch lab2rgb lab2xyz lch2lab luv2rgb luv2xyz rgb2gray rgb2hed hed2rgb rgb2hsv",
        "rgb2lab rgb2luv rgb2rgbcie rgb2xyz rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr rgb2yuv",
        "rgbcie2rgb xyz2lab xyz2luv xyz2rgb ycbcr2rgb ydbdr2rgb yiq2rgb ypbpr2rgb yuv2rgb",
    ),
    **_kernels("skimage.color", "rgba2rgb", images="rgba", host="background"),
    **_kernels("skimage.color", "gray2rgb", images="image"),
    **_kernels("skimage.color", "gray2rgba", images="image alpha"),
    **_kernels("skimage.color", "convert_colorspace", images="arr"),
    **_kernels("skimage.color", "separate_stains", images="rgb", host="conv_matrix"),
    **_kernels("skimage.color", "combine_stains", images="stains", host="conv_matrix"),
    **_kernels(
        "skimage.color",
        "deltaE_cie76 deltaE_ciede94 deltaE_ciede2000 deltaE_cmc",
        images="lab1 lab2",
    ),
    **_kernels("skimage.filters", "gaussian", images="image", host="sigma cval", out="out"),
    **_kernels(
        "skimage.filters",
        "sobel sobel_h sobel_v scharr scharr_h scharr_v prewitt prewitt_h prewitt_v farid farid_h"
        " farid_v roberts roberts_pos_diag roberts_neg_diag laplace",
        images="image",
        beside="mask",
    ),
    **_kernels("skimage.filters", "threshold_otsu", images="image", host="hist"),
}

# Functions of scikit-image's public modules that cuCIM 26.10 has under the same name.
CUCIM = {
    "skimage.color": """
        combine_stains convert_colorspace deltaE_cie76 deltaE_ciede2000 deltaE_ciede94
        deltaE_cmc gray2rgb gray2rgba hed2rgb hsv2rgb lab2lch lab2rgb lab2xyz label2rgb
        lch2lab luv2rgb luv2xyz rgb2gray rgb2hed rgb2hsv rgb2lab rgb2luv rgb2rgbcie rgb2xyz
        rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr rgb2yuv rgba2rgb rgbcie2rgb separate_stains
        xyz2lab xyz2luv xyz2rgb xyz_tristimulus_values ycbcr2rgb ydbdr2rgb yiq2rgb ypbpr2rgb
        yuv2rgb
    """,
    "skimage.exposure": """
        adjust_gamma adjust_log adjust_sigmoid cumulative_distribution equalize_adapthist
        equalize_hist histogram is_low_contrast match_histograms rescale_intensity
    """,
    "skimage.feature": """
        blob_dog blob_doh blob_log canny corner_foerstner corner_harris
        corner_kitchen_rosenfeld corner_peaks corner_shi_tomasi daisy hessian_matrix
        hessian_matrix_det hessian_matrix_eigvals match_descriptors match_template
        multiscale_basic_features peak_local_max shape_index structure_tensor
        structure_tensor_eigenvalues
    """,
    "skimage.filters": """
        apply_hysteresis_threshold butterworth correlate_sparse difference_of_gaussians
        farid farid_h farid_v filter_forward filter_inverse frangi gabor gabor_kernel
        gaussian hessian laplace median meijering prewitt prewitt_h prewitt_v rank_order
        roberts roberts_neg_diag roberts_pos_diag sato scharr scharr_h scharr_v sobel
        sobel_h sobel_v threshold_isodata threshold_li threshold_local threshold_mean
        threshold_minimum threshold_multiotsu threshold_niblack threshold_otsu
        threshold_sauvola threshold_triangle threshold_yen try_all_threshold unsharp_mask
        wiener window
    """,
    "skimage.filters.rank": """
        autolevel autolevel_percentile enhance_contrast enhance_contrast_percentile entropy
        equalize geometric_mean gradient gradient_percentile majority maximum mean
        mean_bilateral mean_percentile median minimum modal noise_filter percentile pop
        pop_bilateral pop_percentile subtract_mean subtract_mean_percentile sum
        sum_bilateral sum_percentile threshold threshold_percentile
    """,
    "skimage.measure": """
        approximate_polygon block_reduce blur_effect centroid euler_number inertia_tensor
        inertia_tensor_eigvals intersection_coeff label manders_coloc_coeff
        manders_overlap_coeff moments moments_central moments_coords moments_coords_central
        moments_hu moments_normalized pearson_corr_coeff perimeter perimeter_crofton
        profile_line regionprops regionprops_table shannon_entropy subdivide_polygon
    """,
    "skimage.metrics": """
        adapted_rand_error contingency_table mean_squared_error
        normalized_mutual_information normalized_root_mse peak_signal_noise_ratio
        structural_similarity variation_of_information
    """,
    "skimage.morphology": """
        ball black_tophat closing convex_hull_image convex_hull_object diamond dilation disk
        ellipse erosion footprint_from_sequence footprint_rectangle h_maxima h_minima
        isotropic_closing isotropic_dilation isotropic_erosion isotropic_opening
        local_maxima local_minima medial_axis octagon octahedron opening reconstruction
        remove_small_holes remove_small_objects star thin white_tophat
    """,
    "skimage.registration": """
        optical_flow_ilk optical_flow_tvl1 phase_cross_correlation
    """,
    "skimage.restoration": """
        ball_kernel calibrate_denoiser denoise_invariant denoise_tv_chambolle
        ellipsoid_kernel richardson_lucy rolling_ball unsupervised_wiener wiener
    """,
    "skimage.segmentation": """
        chan_vese checkerboard_level_set clear_border disk_level_set expand_labels
        find_boundaries inverse_gaussian_gradient join_segmentations mark_boundaries
        morphological_chan_vese morphological_geodesic_active_contour random_walker
        relabel_sequential
    """,
    "skimage.transform": """
        downscale_local_mean estimate_transform integral_image integrate matrix_transform
        pyramid_expand pyramid_gaussian pyramid_laplacian pyramid_reduce rescale resize
        resize_local_mean rotate swirl warp warp_coords warp_polar
    """,
    "skimage.util": """
        compare_images crop dtype_limits img_as_bool img_as_float img_as_float32
        img_as_float64 img_as_int img_as_ubyte img_as_uint invert map_array montage
        random_noise view_as_blocks view_as_windows
    """,
}


def _catalog():
    rows = dict(KERNELS)
    for module, names in CUCIM.items():
        for function in names.split():
            row = rows.setdefault(f"{module}:{function}", Row(kernel=False))
            row.cucim = True
    return rows


CATALOG = _catalog()
