"""A call of each public function that has no sweep: those that run on the CPU."""

import numpy as np
import skimage as ski

from .inputs import COINS, COLOR, LABELS, MASK, NOISE, PHOTO, Input

SPOTS = Input("coins", (64, 64))
SQUARE = Input("photo", (32, 32))
POINTS = np.array([[3.0, 4.0], [20.0, 7.0], [15.0, 25.0], [3.0, 30.0]])
GMM = {"random_state": 0, "covariance_type": "diag"}
DESCRIPTORS = np.random.default_rng(0).normal(size=(40, 4))
EDGES = Input("mask", (41, 53))


def _rag():
    return ski.graph.rag_mean_color(COLOR.array(), LABELS.array())


def _negative(image):
    return -image


def _square_axes():
    import matplotlib.figure

    return matplotlib.figure.Figure().subplots()


def _shifted(coordinates):
    return coordinates + 0.5


def _gmm():
    return ski.feature.learn_gmm(DESCRIPTORS, n_modes=2, gm_args=GMM)


# Values of arguments; a function makes one anew for each call (`make` below).
SAMPLES = {
    "skimage.color": {
        "xyz_tristimulus_values": {"illuminant": "D65", "observer": "2"},
    },
    "skimage.draw": {
        "bezier_curve": {"r0": 1, "c0": 5, "r1": 6, "c1": 1, "r2": 9, "c2": 9, "weight": 1},
        "circle_perimeter": {"r": 10, "c": 10, "radius": 4},
        "circle_perimeter_aa": {"r": 10, "c": 10, "radius": 4},
        "disk": {"center": np.array([8, 9]), "radius": 4},
        "ellipse": {"r": 10, "c": 10, "r_radius": 4, "c_radius": 6},
        "ellipse_perimeter": {"r": 10, "c": 10, "r_radius": 4, "c_radius": 6},
        "ellipsoid": {"a": 4, "b": 5, "c": 6},
        "ellipsoid_stats": {"a": 4, "b": 5, "c": 6},
        "line": {"r0": 1, "c0": 2, "r1": 8, "c1": 5},
        "line_aa": {"r0": 1, "c0": 2, "r1": 8, "c1": 5},
        "line_nd": {"start": np.array([1, 2, 3]), "stop": np.array([7, 9, 4])},
        "polygon": {"r": POINTS[:, 0], "c": POINTS[:, 1]},
        "polygon_perimeter": {"r": POINTS[:, 0], "c": POINTS[:, 1]},
        "random_shapes": {"image_shape": (64, 64), "max_shapes": 3, "rng": 3},
        "rectangle": {"start": np.array([2, 3]), "end": np.array([7, 9])},
        "rectangle_perimeter": {"start": np.array([2, 3]), "end": np.array([7, 9])},
    },
    "skimage.feature": {
        "draw_haar_like_feature": {
            "image": SQUARE,
            "r": 0,
            "c": 0,
            "width": 5,
            "height": 5,
            "feature_coord": lambda: ski.feature.haar_like_feature_coord(2, 2, "type-2-x")[0],
            "rng": 1,
        },
        "draw_multiblock_lbp": {"image": SQUARE, "r": 2, "c": 2, "width": 4, "height": 4},
        "fisher_vector": {"descriptors": DESCRIPTORS, "gmm": _gmm},
        "haar_like_feature_coord": {"width": 4, "height": 4},
        "hog": {"image": SPOTS},
        "learn_gmm": {"descriptors": DESCRIPTORS, "n_modes": 2, "gm_args": GMM},
        "plot_matched_features": {
            "image0": PHOTO,
            "image1": PHOTO,
            "keypoints0": POINTS,
            "keypoints1": POINTS,
            "matches": np.array([[0, 0], [1, 1]]),
            "ax": _square_axes,
        },
    },
    "skimage.filters": {
        "hessian": {"image": PHOTO, "mode": "reflect"},
        "try_all_threshold": {"image": COINS, "verbose": False},
    },
    "skimage.graph": {
        "central_pixel": {"graph": lambda: ski.graph.pixel_graph(MASK.array())[0]},
        "cut_normalized": {"labels": LABELS, "rag": _rag, "rng": 1},
        "cut_threshold": {"labels": LABELS, "rag": _rag, "thresh": 0.2},
        "merge_hierarchical": {
            "labels": LABELS,
            "rag": _rag,
            "thresh": 0.2,
            "rag_copy": False,
            "in_place_merge": True,
            "merge_func": lambda: lambda graph, source, target: None,
            "weight_func": lambda: lambda graph, source, target, neighbor: {"weight": 1.0},
        },
        "route_through_array": {"array": PHOTO, "start": (0, 0), "end": (20, 30)},
        "shortest_path": {"arr": PHOTO},
        "show_rag": {"labels": LABELS, "rag": _rag, "image": COLOR, "ax": _square_axes},
    },
    "skimage.measure": {
        "approximate_polygon": {"coords": Input("noise", (30, 2)), "tolerance": 0.3},
        "moments_hu": {"nu": np.arange(16.0).reshape(4, 4) / 20},
        "moments_normalized": {"mu": np.arange(16.0).reshape(4, 4) + 1},
        "subdivide_polygon": {"coords": Input("noise", (30, 2))},
    },
    "skimage.metrics": {
        "hausdorff_distance": {"image0": MASK, "image1": LABELS.cast("bool")},
        "hausdorff_pair": {"image0": MASK, "image1": LABELS.cast("bool")},
    },
    "skimage.morphology": {
        "ball": {"radius": 4},
        "cube": {"width": 3},
        "diamond": {"radius": 4},
        "disk": {"radius": 6},
        "ellipse": {"width": 5, "height": 3},
        "flood": {"image": PHOTO, "seed_point": (5, 5), "tolerance": 0.2},
        "flood_fill": {"image": PHOTO, "seed_point": (5, 5), "new_value": 2.0, "tolerance": 0.2},
        "footprint_from_sequence": {"footprints": [(np.ones((3, 3)), 2), (np.eye(3), 1)]},
        "footprint_rectangle": {"shape": (5, 7)},
        "label": {"label_image": MASK},
        "mirror_footprint": {"footprint": np.eye(3, k=1)},
        "octagon": {"m": 5, "n": 3},
        "octahedron": {"radius": 3},
        "pad_footprint": {"footprint": np.ones((2, 3))},
        "rectangle": {"nrows": 3, "ncols": 4},
        "remove_objects_by_distance": {"label_image": LABELS, "min_distance": 6},
        "skeletonize": {"image": MASK},
        "square": {"width": 3},
        "star": {"a": 3},
    },
    "skimage.restoration": {
        "ball_kernel": {"radius": 4, "ndim": 2},
        "ellipsoid_kernel": {"shape": (7, 9), "intensity": 20},
        "unsupervised_wiener": {"image": SQUARE, "psf": np.ones((3, 3)) / 9, "rng": 1},
    },
    "skimage.segmentation": {
        "checkerboard_level_set": {"image_shape": (20, 30)},
        "disk_level_set": {"image_shape": (20, 30)},
        "felzenszwalb": {"image": COLOR},
        "flood": {"image": PHOTO, "seed_point": (5, 5), "tolerance": 0.2},
        "flood_fill": {"image": PHOTO, "seed_point": (5, 5), "new_value": 2.0, "tolerance": 0.2},
    },
    "skimage.transform": {
        "estimate_transform": {"ttype": "affine", "src": POINTS, "dst": POINTS[::-1] * 2 + 1},
        "order_angles_golden_ratio": {"theta": np.linspace(0, 170, 18)},
        "probabilistic_hough_line": {"image": EDGES, "line_length": 5, "rng": 1},
        "warp_coords": {"coord_map": lambda: _shifted, "shape": (9, 11)},
    },
    "skimage.util": {
        "apply_parallel": {"function": lambda: _negative, "array": PHOTO},
        "label_points": {"coords": np.array([[1, 2], [3, 4]]), "output_shape": (6, 7)},
        "lookfor": {"what": "no such thing"},
        "random_noise": {"image": PHOTO, "rng": 1},
        "regular_grid": {"ar_shape": (20, 30), "n_points": 6},
        "regular_seeds": {"ar_shape": (20, 30), "n_points": 6},
        "slice_along_axes": {"image": NOISE, "slices": [(2, 9), (3, 8)]},
    },
}


def make(value):
    """The argument that a sample's value stands for."""
    if isinstance(value, Input):
        return value.array()
    return value() if callable(value) else value
