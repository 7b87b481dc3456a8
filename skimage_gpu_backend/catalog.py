"""Every function that the GPU backends serve: what it takes, where it comes from.

The single source of truth. `info.py` lists these names, `decide.py` reads the rows, the
documentation's tables are made from them. Plain data: nothing but data is imported here, since
scikit-image reads it when its first dispatchable function is defined.
"""

from .methods import IN_ROOMS, OWN_FUNCTIONS, PRIVATE_STEPS


class Row:
    """What the way of a call needs to know about one function.

    Attributes
    ----------
    images : tuple of str
        Parameters that are images: NumPy or CuPy arrays, or lists of them, all of one kind.
        They decide the kind of the result. Empty: the function makes an array from nothing.
    beside : tuple of str
        Arrays that go to the device with the images (masks). Any other array
        among the arguments is small and read on the host (a sigma for each axis, a
        matrix), but for ``out``, which receives the result.
    arrays : tuple of str
        All of these, and ``out``.
    room : str
        Where our function is: a module below ``functions/``, as ``"filters.gaussian"``.
    """

    __slots__ = ("arrays", "beside", "images", "room")

    def __init__(self, images, room):
        before, _, after = images.partition("|")
        self.images = tuple(before.split())
        self.beside = tuple(after.split())
        self.arrays = (*self.images, *self.beside, "out")
        self.room = room


# Our functions, by scikit-image's module, by room (a file below ``functions/<module>/``; "" is the
# module's own folder) and by the parameters that are images; after the bar those that are arrays
# beside them.
ROOMS = {
    "skimage.color": {
        "cie": {
            "lab": "lab2lch lab2rgb lab2xyz",
            "lch": "lch2lab",
            "luv": "luv2rgb luv2xyz",
            "rgb": "rgb2lab rgb2luv",
            "xyz": "xyz2lab xyz2luv",
        },
        "delta_e": {"lab1 lab2": "deltaE_cie76 deltaE_ciede94 deltaE_ciede2000 deltaE_cmc"},
        "gray": {
            "rgb": "rgb2gray",
            "rgba": "rgba2rgb",
            "image": "gray2rgb",
            "image alpha": "gray2rgba",
        },
        "label2rgb": {"label image": "label2rgb"},
        "rgb": {
            "hsv": "hsv2rgb",
            "rgb": "rgb2hsv rgb2rgbcie rgb2xyz rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr rgb2yuv",
            "rgbcie": "rgbcie2rgb",
            "xyz": "xyz2rgb",
            "ycbcr": "ycbcr2rgb",
            "ydbdr": "ydbdr2rgb",
            "yiq": "yiq2rgb",
            "ypbpr": "ypbpr2rgb",
            "yuv": "yuv2rgb",
            "arr": "convert_colorspace",
        },
        "stains": {
            "hed": "hed2rgb",
            "rgb": "rgb2hed separate_stains",
            "stains": "combine_stains",
        },
    },
    "skimage.draw": {
        "polygon": {"r c": "polygon", "polygon": "polygon2mask"},
        "set_color": {"image | coords alpha": "set_color"},
    },
    "skimage.exposure": {
        "adjust": {"image": "adjust_gamma adjust_log adjust_sigmoid"},
        "equalize_adapthist": {"image": "equalize_adapthist"},
        "equalize_hist": {"image | mask": "equalize_hist"},
        "histogram": {"image": "cumulative_distribution histogram"},
        "is_low_contrast": {"image": "is_low_contrast"},
        "match_histograms": {"image reference": "match_histograms"},
        "rescale_intensity": {"image": "rescale_intensity"},
    },
    "skimage.feature": {
        "blobs": {"image": "blob_dog blob_doh blob_log"},
        "canny": {"image | mask": "canny"},
        "cooccurrence": {
            "image": "graycomatrix",
            "P": "graycoprops",
        },
        "corners": {
            "image": "corner_foerstner corner_harris corner_kitchen_rosenfeld corner_shi_tomasi",
        },
        "corner_subpix": {"image | corners": "corner_subpix"},
        "daisy": {"image": "daisy"},
        "eigenvalues": {
            "A_elems": "structure_tensor_eigenvalues",
            "H_elems": "hessian_matrix_eigvals",
        },
        "haar": {"int_image": "haar_like_feature"},
        "hessian": {"image": "hessian_matrix hessian_matrix_det shape_index"},
        "hog": {"image": "hog"},
        "local_binary_pattern": {
            "image": "local_binary_pattern",
            "int_image": "multiblock_lbp",
        },
        "match_descriptors": {"descriptors1 descriptors2": "match_descriptors"},
        "match_template": {"image template": "match_template"},
        "multiscale_basic_features": {"image": "multiscale_basic_features"},
        "peaks": {"image | labels": "corner_peaks peak_local_max"},
        "segment_corners": {
            "image": "corner_fast corner_moravec",
            "image | corners": "corner_orientations",
        },
        "structure_tensor": {"image": "structure_tensor"},
    },
    "skimage.filters": {
        "butterworth": {"image": "butterworth"},
        "correlate_sparse": {"image": "correlate_sparse"},
        "detail": {"image": "difference_of_gaussians unsharp_mask"},
        "edges": {
            "image | mask": "sobel sobel_h sobel_v scharr scharr_h scharr_v prewitt prewitt_h"
            " prewitt_v farid farid_h farid_v roberts roberts_pos_diag roberts_neg_diag laplace",
        },
        "from_nothing": {"": "gabor_kernel window"},
        "gabor": {"image": "gabor"},
        "gaussian": {"image": "gaussian"},
        "hysteresis": {"image | low high": "apply_hysteresis_threshold"},
        "local_thresholds": {"image": "threshold_local threshold_niblack threshold_sauvola"},
        "lpi_filter": {"data": "filter_forward filter_inverse wiener"},
        "median": {"image": "median"},
        "rank_order": {"image": "rank_order"},
        "ridges": {"image": "frangi hessian meijering sato"},
        "threshold_li": {"image": "threshold_li"},
        "threshold_mean": {"image": "threshold_mean"},
        "thresholds": {
            "image": "threshold_isodata threshold_minimum threshold_multiotsu threshold_otsu"
            " threshold_triangle threshold_yen",
        },
    },
    "skimage.filters.rank": {
        "": {
            "image | mask": "autolevel autolevel_percentile enhance_contrast"
            " enhance_contrast_percentile entropy equalize geometric_mean gradient"
            " gradient_percentile majority maximum"
            " mean mean_bilateral mean_percentile median minimum modal noise_filter otsu"
            " percentile pop pop_bilateral pop_percentile subtract_mean"
            " subtract_mean_percentile sum sum_bilateral sum_percentile threshold"
            " threshold_percentile windowed_histogram",
        },
    },
    "skimage.graph": {
        "pixel_graph": {"image | mask": "pixel_graph"},
        "rag": {"image labels": "rag_mean_color", "labels edge_map": "rag_boundary"},
    },
    "skimage.measure": {
        "block_reduce": {"image": "block_reduce"},
        "blur_effect": {"image": "blur_effect"},
        "colocalization": {
            "image0 image1 | mask": "manders_overlap_coeff pearson_corr_coeff",
            "image0 image1_mask | mask": "manders_coloc_coeff",
            "image0_mask image1_mask | mask": "intersection_coeff",
        },
        "find_contours": {"image | mask": "find_contours"},
        "label": {"label_image": "label"},
        "marching_cubes": {"volume | mask": "marching_cubes"},
        "mesh_surface_area": {"verts faces": "mesh_surface_area"},
        "moments": {
            "image": "centroid inertia_tensor inertia_tensor_eigvals moments moments_central",
        },
        "moments_coords": {"coords": "moments_coords moments_coords_central"},
        "perimeters": {"image": "euler_number perimeter perimeter_crofton"},
        "points_in_poly": {"points verts": "points_in_poly", "verts": "grid_points_in_poly"},
        "profile_line": {"image": "profile_line"},
        "ransac": {"data": "ransac"},
        "regionprops": {"label_image | intensity_image": "regionprops regionprops_table"},
        "shannon_entropy": {"image": "shannon_entropy"},
    },
    "skimage.metrics": {
        "contingency": {
            "im_true im_test": "contingency_table",
            "image0 image1": "variation_of_information",
            "image_true image_test": "adapted_rand_error",
        },
        "errors": {
            "image0 image1": "mean_squared_error",
            "image_true image_test": "normalized_root_mse peak_signal_noise_ratio",
        },
        "hausdorff": {"image0 image1": "hausdorff_distance hausdorff_pair"},
        "normalized_mutual_information": {"image0 image1": "normalized_mutual_information"},
        "structural_similarity": {"im1 im2": "structural_similarity"},
    },
    "skimage.morphology": {
        "binary": {"image": "binary_closing binary_dilation binary_erosion binary_opening"},
        "convex_hull": {"image": "convex_hull_image convex_hull_object"},
        "gray": {"image": "black_tophat closing dilation erosion opening white_tophat"},
        "flood": {"image": "flood flood_fill"},
        "isotropic": {
            "image": "isotropic_closing isotropic_dilation isotropic_erosion isotropic_opening",
        },
        "local_maxima": {"image": "local_maxima local_minima"},
        "max_tree": {
            "image": "max_tree",
            "image | parent tree_traverser": "area_closing area_opening diameter_closing"
            " diameter_opening max_tree_local_maxima",
        },
        "medial_axis": {"image | mask": "medial_axis"},
        "reconstruction": {"image": "h_maxima h_minima", "seed mask": "reconstruction"},
        "remove_small": {"ar": "remove_small_holes remove_small_objects"},
        "skeletonize": {"image": "skeletonize thin"},
    },
    "skimage.registration": {
        "optical_flow_ilk": {"reference_image moving_image": "optical_flow_ilk"},
        "optical_flow_tvl1": {"reference_image moving_image": "optical_flow_tvl1"},
        "phase_cross_correlation": {
            "reference_image moving_image | reference_mask moving_mask": "phase_cross_correlation",
        },
    },
    "skimage.restoration": {
        "rolling_ball": {"image": "rolling_ball"},
        "bilateral": {"image": "denoise_bilateral"},
        "estimate_sigma": {"image": "estimate_sigma"},
        "inpaint": {"image | mask": "inpaint_biharmonic"},
        "denoise_wavelet": {"image": "denoise_wavelet"},
        "cycle_spin": {"x": "cycle_spin"},
        "j_invariant": {"image | masks": "denoise_invariant", "image": "calibrate_denoiser"},
        "richardson_lucy": {"image": "richardson_lucy"},
        "tv_chambolle": {"image": "denoise_tv_chambolle"},
        "tv_bregman": {"image": "denoise_tv_bregman"},
        "unsupervised_wiener": {"image": "unsupervised_wiener"},
        "wiener": {"image": "wiener"},
        "nl_means": {"image": "denoise_nl_means"},
        "unwrap_phase": {"image": "unwrap_phase"},
    },
    "skimage.segmentation": {
        "active_contour": {"image": "active_contour"},
        "chan_vese": {"image | init_level_set": "chan_vese"},
        "clear_border": {"labels | mask": "clear_border"},
        "expand_labels": {"label_image": "expand_labels"},
        "find_boundaries": {"label_img": "find_boundaries"},
        "inverse_gaussian_gradient": {"image": "inverse_gaussian_gradient"},
        "mark_boundaries": {"image label_img": "mark_boundaries"},
        "morphsnakes": {
            "image | init_level_set": "morphological_chan_vese",
            "gimage | init_level_set": "morphological_geodesic_active_contour",
        },
        "quickshift": {"image": "quickshift"},
        "slic": {"image | mask": "slic"},
        "random_walker": {"data labels": "random_walker"},
        "relabel": {"label_field": "relabel_sequential", "s1 s2": "join_segmentations"},
        "watershed": {"image | markers mask": "watershed"},
    },
    "skimage.transform": {
        "finite_radon": {"a": "frt2 ifrt2"},
        "hough_circle": {"image": "hough_circle"},
        "hough_ellipse": {"image": "hough_ellipse"},
        "hough_line": {"image": "hough_line"},
        "hough_peaks": {"hspace": "hough_line_peaks", "hspaces": "hough_circle_peaks"},
        "integral_image": {"image": "integral_image"},
        "integrate": {"ii": "integrate"},
        "local_means": {"image": "downscale_local_mean resize_local_mean"},
        "matrix_transform": {"coords": "matrix_transform"},
        "pyramids": {
            "image": "pyramid_expand pyramid_gaussian pyramid_laplacian pyramid_reduce",
        },
        "iradon": {"radon_image": "iradon"},
        "iradon_sart": {"radon_image | image": "iradon_sart"},
        "radon": {"image": "radon"},
        "resize": {"image": "rescale resize"},
        "warp": {
            "image | inverse_map": "warp",
            "image": "rotate swirl warp_polar",
        },
        "warp_coords": {"": "warp_coords"},
    },
    "skimage.util": {
        "compare_images": {"image0 image1": "compare_images"},
        "dtype_limits": {"image": "dtype_limits"},
        "img_as": {
            "image": "img_as_bool img_as_float img_as_float32 img_as_float64 img_as_int"
            " img_as_ubyte img_as_uint",
        },
        "invert": {"image": "invert"},
        "label_points": {"coords": "label_points"},
        "map_array": {"input_arr": "map_array"},
        "montage": {"arr_in": "montage"},
        "unique_rows": {"ar": "unique_rows"},
        "views": {"ar": "crop", "arr_in": "view_as_blocks view_as_windows"},
    },
}

# Functions of ours whose images may be complex.
COMPLEX = frozenset(("skimage.registration:phase_cross_correlation",))

# Small arrays that rooms of a module take where they are; others that lie on the device are read.
THERE = {"skimage.filters.rank": ("footprint",), "skimage.util": ("input_vals", "output_vals")}


def spoken(name):
    """Name of a function as a user writes it: ``"filters.gaussian"``."""
    return name.removeprefix("skimage.").replace(":", ".")


def _catalog():
    rows = {}
    for module, rooms in ROOMS.items():
        folder = module.removeprefix("skimage.")
        for file, functions in rooms.items():
            for images, names in functions.items():
                for function in names.split():
                    rows[f"{module}:{function}"] = Row(images, f"{folder}.{file}".strip("."))
    return rows


CATALOG = _catalog()
# what stands for methods and their private functions, and methods: what the protocol is not told
STEPS = {
    name: Row(images, room) for name, (_, images, room) in (PRIVATE_STEPS | OWN_FUNCTIONS).items()
}
METHODS = {name: Row(images, room) for name, (images, room) in IN_ROOMS.items()}
# functions of skimage2 that differ from those of the same name in skimage
SKIMAGE2 = {
    "skimage2.feature:corner_peaks": Row("image | labels", "skimage2.feature"),
    "skimage2.filters:gaussian": Row("image", "skimage2.filters"),
}


def row_of(name):
    """Row of a function, public or a private step, or of a method; or None."""
    tables = CATALOG, STEPS, METHODS, SKIMAGE2
    return next((table[name] for table in tables if name in table), None)
