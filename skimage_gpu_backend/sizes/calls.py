"""With which images and arguments a function is measured: data.

Square images of a side's length, mostly a photograph, in each of three classes of dtypes:
"integer" stands for all integers, for which scikit-image does the same as for the uint8 that
is measured, "float32" for half precision too, "float64".
"""

import numpy as np

from ..catalog import CATALOG
from .elements import BY_ARGUMENTS, elements
from .pictures import (
    COLORS,
    DARKER,
    DOTS,
    HOLES,
    LABELS,
    MASK,
    OTHER,
    OTHER_COLORS,
    OTHER_LABELS,
    OTHER_MASK,
    PAIRS,
    PEAKS,
    PHOTO,
    PLACES,
    POINTS,
    RGBA,
    SEEDS,
    STACK,
    SUMS,
    TORUS,
    TRIANGLES,
    VERTICES,
    VOLUME,
    WELLS,
    Picture,
    labels,
)
from .works import arguments_by_work, square

CLASSES = ("integer", "float32", "float64")


# What is done with results that do their work when they are used.
USED = {
    "skimage.measure:regionprops": lambda regions: [
        (region.area, region.centroid, region.eccentricity) for region in regions
    ],
}


def _each(names, value):
    return dict.fromkeys(names.split(), value)


# what a parameter of this name holds; PHOTO else
_BY_PARAMETER = {
    **_each("rgb hsv hed lab lab1 lch luv rgbcie xyz ycbcr ydbdr yiq ypbpr yuv arr stains", COLORS),
    "lab2": OTHER_COLORS,
    "rgba": RGBA,
    **_each("image1 image_test im2 moving_image reference", OTHER),
    **_each("label_image labels label_img label label_field s1", LABELS),
    "s2": OTHER_LABELS,
    "image0_mask": MASK,
    "image1_mask": OTHER_MASK,
    **_each("A_elems H_elems", [PHOTO, OTHER, DARKER]),
    "coords": POINTS,
}
_MATRIX = np.array([[1.2, -0.2, 0.1], [-0.1, 1.1, 0.1], [0.1, -0.3, 1.1]])
_TURN = np.array([[0.9, -0.2, 5.3], [0.25, 1.1, -4.1], [0, 0, 1]])
_BLOCK = np.ones((5, 5)) / 25
_POLYGON = np.array([[40, 30], [200, 50], [120, 110], [180, 210], [60, 190.5]]) / 256


def _top(dtypes):
    return 255 if dtypes == "integer" else 1


def _flood(side, dtypes):
    return {"seed_point": (side // 2, side // 2), "tolerance": _top(dtypes) / 5}


def _circle(side):
    turn = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    return side / 2 + side / 3 * np.stack([np.sin(turn), np.cos(turn)], axis=1)


def _half(side, dtypes):
    return {"output_shape": (side // 2, side // 2)}


def _denoiser(parameter, **options):
    """A usual denoiser for functions that call one again and again."""

    def given(side, dtypes):
        from skimage.restoration import denoise_tv_chambolle

        return {parameter: denoise_tv_chambolle, **options}

    return given


def _bell(r, c):
    return np.exp(-(r**2 + c**2) / 8)


def _line(side, dtypes):
    """A line through points, found by random samples."""
    from skimage.measure import LineModelND

    limit = _top(dtypes) / 10
    least = {"min_samples": 2, "residual_threshold": limit}
    return {"data": POINTS, "model_class": LineModelND, "rng": 0, **least}


# Functions of which a part stays on the host, which takes as long for any size: how often more the
# GPU's call may do it than scikit-image's.
ON_HOST_TOO = {"skimage.measure:ransac": 2}  # estimates models ahead, up to twice as many


# What else a call needs: the arguments, or a function of the side and the class of dtypes.
_ARGUMENTS = {
    "color": {
        "convert_colorspace": {"fromspace": "RGB", "tospace": "HSV"},
        "separate_stains": {"conv_matrix": _MATRIX},
        "combine_stains": {"conv_matrix": _MATRIX},
        "gray2rgba": {"alpha": None},
        "label2rgb": {"image": None},
    },
    "draw": {
        "polygon": lambda side, dtypes: dict(zip("rc", side * _POLYGON.T, strict=True)),
        "polygon2mask": lambda side, dtypes: {
            "image_shape": (side, side),
            "polygon": side * _POLYGON,
        },
        "set_color": lambda side, dtypes: {
            "coords": (np.arange(side), np.arange(side)),
            "color": 1,
        },
    },
    "feature": {
        "corner_orientations": lambda side, dtypes: {
            "corners": np.argwhere(labels(side) == 1),
            "mask": square(7),
        },
        "corner_subpix": lambda side, dtypes: {
            "corners": np.argwhere(labels(side) == 1) % (side - 2) + 1,
        },
        "graycomatrix": {"distances": [1], "angles": [0, 0.8, 1.6, 2.4]},
        "graycoprops": {"P": PAIRS},
        "haar_like_feature": {"int_image": SUMS, "r": 3, "c": 5, "width": 12, "height": 12},
        "match_descriptors": {"descriptors2": OTHER},
        "match_template": lambda side, dtypes: {"template": OTHER.array(side // 4, dtypes)},
        "multiblock_lbp": {"int_image": SUMS, "r": 3, "c": 5, "width": 4, "height": 3},
        "local_binary_pattern": {"P": 8, "R": 1},
    },
    "filters": {
        "apply_hysteresis_threshold": lambda side, dtypes: {
            "low": 0.4 * _top(dtypes),
            "high": 0.6 * _top(dtypes),
        },
        "correlate_sparse": {"kernel": np.array([[0.0, 1, 0], [1, 1, 1], [0, 1, 0]])},
        "gabor": {"frequency": 0.6},
        **_each("filter_forward filter_inverse wiener", {"impulse_response": _bell}),
        "threshold_minimum": {"image": PEAKS},
    },
    "filters.rank": {
        **_each(
            "autolevel_percentile enhance_contrast_percentile gradient_percentile mean_percentile"
            " pop_percentile subtract_mean_percentile sum_percentile",
            {"p0": 0.1, "p1": 0.9},
        ),
        "percentile": {"p0": 0.4},
        "threshold_percentile": {"p0": 0.4},
    },
    "measure": {
        **_each("euler_number perimeter perimeter_crofton", {"image": MASK}),
        "label": {"label_image": MASK},
        "marching_cubes": {"volume": VOLUME},
        "mesh_surface_area": {"verts": VERTICES, "faces": TRIANGLES},
        "points_in_poly": {"points": POINTS, "verts": 256 * _POLYGON},
        "grid_points_in_poly": lambda side, dtypes: {
            "shape": (side, side),
            "verts": side * _POLYGON,
        },
        "block_reduce": {"block_size": (2, 2)},
        "ransac": _line,
        "profile_line": lambda side, dtypes: {"src": (1, 1), "dst": (side - 2, side - 2)},
    },
    "metrics": {
        **_each("hausdorff_distance hausdorff_pair", {"image0": MASK, "image1": OTHER_MASK}),
        "contingency_table": {"im_true": LABELS, "im_test": OTHER_LABELS},
        "adapted_rand_error": {"image_true": LABELS, "image_test": OTHER_LABELS},
        "variation_of_information": {"image0": LABELS, "image1": OTHER_LABELS},
        "structural_similarity": lambda side, dtypes: {"data_range": _top(dtypes)},
        "peak_signal_noise_ratio": lambda side, dtypes: {"data_range": _top(dtypes)},
    },
    "morphology": {
        **_each(
            "isotropic_closing isotropic_dilation isotropic_erosion isotropic_opening",
            {"image": MASK, "radius": 3},
        ),
        **_each("binary_closing binary_dilation binary_erosion binary_opening", {"image": MASK}),
        **_each(
            "convex_hull_image convex_hull_object medial_axis skeletonize thin", {"image": MASK}
        ),
        **_each("remove_small_holes remove_small_objects", {"ar": MASK}),
        "flood": _flood,
        "flood_fill": lambda side, dtypes: {"new_value": 1, **_flood(side, dtypes)},
        **_each("h_maxima h_minima", lambda side, dtypes: {"h": _top(dtypes) / 5}),
        "reconstruction": {"seed": DARKER, "mask": PHOTO},
    },
    "restoration": {
        "calibrate_denoiser": _denoiser(
            "denoise_function", denoise_parameters={"weight": [0.1, 0.3]}
        ),
        "cycle_spin": _denoiser("func", max_shifts=1, workers=1),
        "denoise_invariant": _denoiser("denoise_function", stride=2),
        "denoise_bilateral": {"sigma_color": 0.1},
        "inpaint_biharmonic": {"mask": HOLES},
        "richardson_lucy": {"psf": _BLOCK},
        "unsupervised_wiener": {"psf": _BLOCK, "rng": 0, "user_params": {"max_num_iter": 30}},
        "wiener": {"psf": _BLOCK, "balance": 0.1},
    },
    "segmentation": {
        "active_contour": lambda side, dtypes: {"snake": _circle(side), "convergence": 0.0},
        "mark_boundaries": {"image": COLORS},
        "quickshift": {"image": COLORS},
        "slic": {"image": COLORS},
        "random_walker": {"labels": SEEDS},
        "watershed": {"markers": WELLS},
    },
    "transform": {
        "hough_line": {"image": MASK},
        "hough_ellipse": {"image": DOTS, "max_size": 20},
        "hough_circle": {"image": MASK, "radius": (20, 21, 22, 23)},
        "hough_line_peaks": lambda side, dtypes: {
            "angles": np.linspace(-1.5, 1.5, side),
            "dists": np.arange(float(side)),
        },
        "hough_circle_peaks": {"hspaces": STACK, "radii": (20, 21, 22, 23)},
        "ifrt2": {"a": TORUS},
        "integrate": {"ii": SUMS, "start": (2, 3), "end": (9, 8)},
        "matrix_transform": {"matrix": _TURN},
        "warp": {"inverse_map": _TURN},
        "rotate": {"angle": 30},
        "swirl": lambda side, dtypes: {"strength": 3, "radius": side / 2},
        "resize": _half,
        "resize_local_mean": _half,
        "rescale": {"scale": 0.5},
        "downscale_local_mean": {"factors": (2, 2)},
    },
    "util": {
        "crop": {"ar": PHOTO, "crop_width": 3},
        "label_points": lambda side, dtypes: {"coords": PLACES, "output_shape": (side, side)},
        "map_array": lambda side, dtypes: {
            "input_arr": LABELS,
            "input_vals": np.arange(labels(side).max() + 1),
            "output_vals": np.arange(labels(side).max() + 1)[::-1].astype(float),
        },
        "montage": {"arr_in": STACK},
        "unique_rows": {"ar": POINTS},
        "view_as_blocks": {"block_shape": (4, 4)},
        "view_as_windows": {"window_shape": (3, 3)},
    },
}


class Call:
    """A call of a function that is measured.

    Attributes
    ----------
    name : str
        As in the catalog.
    dtypes : str
        One of `CLASSES`.
    work : float
        See `works.py`.
    elements : int
        Of all images together, or those that the arguments ask for (`elements.py`).
    arguments : dict
        By name.
    """

    def __init__(self, name, dtypes, work, changes, side):
        self.name, self.dtypes, self.work = name, dtypes, work
        images = CATALOG[name].images
        described = _described(name, side, dtypes) | changes
        self.arguments = {
            parameter: _made(value, side, dtypes) for parameter, value in described.items()
        }
        if name in BY_ARGUMENTS:
            self.elements = elements(name, (), self.arguments)
        else:
            arrays = (array for image in images for array in _arrays(self.arguments[image]))
            self.elements = sum(map(np.size, arrays))


def variants(name):
    """Yield class of dtypes, work and the argument for it: all that is measured of a function."""
    described = _described(name, 64, "integer")
    pictures = [picture for image in CATALOG[name].images for picture in _arrays(described[image])]
    cast = any(isinstance(picture, Picture) and picture.cast for picture in pictures)
    if not cast or name in _INTEGERS or name.startswith("skimage.filters.rank:"):
        classes = CLASSES[:1]
    else:
        classes = CLASSES[1:] if name in _FLOATS else CLASSES
    for dtypes in classes:
        for work, changes in arguments_by_work(name):
            yield dtypes, work, changes


_INTEGERS = (
    "skimage.feature:graycomatrix",
    "skimage.feature:local_binary_pattern",
    "skimage.transform:frt2",
)
_FLOATS = (
    "skimage.feature:hessian_matrix_eigvals",
    "skimage.feature:structure_tensor_eigenvalues",
    "skimage.graph:rag_boundary",
    "skimage.measure:mesh_surface_area",
    "skimage.segmentation:morphological_geodesic_active_contour",
)


def _described(name, side, dtypes):
    module, _, function = name.removeprefix("skimage.").partition(":")
    given = _ARGUMENTS.get(module, {}).get(function, {})
    given = given(side, dtypes) if callable(given) else given
    images = {image: _BY_PARAMETER.get(image, PHOTO) for image in CATALOG[name].images}
    return images | given


def _made(value, side, dtypes):
    if isinstance(value, list) and value and isinstance(value[0], Picture):
        return [picture.array(side, dtypes) for picture in value]
    return value.array(side, dtypes) if isinstance(value, Picture) else value


def _arrays(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
