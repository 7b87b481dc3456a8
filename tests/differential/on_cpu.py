"""Why functions that have no kernel run on the CPU, by function.

`on_host` says it of those for which nothing is to be gained.
"""

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.on_host import ON_HOST

from .public import callables, public_functions, same_as

# Nothing is missing of them.
_BY_DESIGN = {
    "makes a few coordinates or a small array from numbers: there is no image to copy": (
        "draw.bezier_curve draw.circle_perimeter draw.circle_perimeter_aa draw.disk"
        " draw.ellipse draw.ellipse_perimeter draw.ellipsoid draw.ellipsoid_stats draw.line"
        " draw.line_aa draw.line_nd draw.polygon_perimeter"
        " draw.rectangle draw.rectangle_perimeter"
        " transform.order_angles_golden_ratio util.regular_grid util.regular_seeds"
    ),
    "gives lists of coordinates, objects of Python, which no array on a device holds": (
        "feature.haar_like_feature_coord"
    ),
    "changes a few pixels of an image": (
        "feature.draw_haar_like_feature feature.draw_multiblock_lbp"
    ),
    "works on a model that scikit-learn fits on the CPU": (
        "feature.fisher_vector feature.learn_gmm"
    ),
    "draws with matplotlib": (
        "feature.plot_matched_features filters.try_all_threshold graph.show_rag"
    ),
    "works on a graph of NetworkX, which is on the CPU and has a node for each region: few": (
        "graph.cut_threshold graph.merge_hierarchical"
    ),
    "its time is that of eigenvectors of a small sparse matrix, a row for each region, which ARPACK"
    " finds on the CPU": ("graph.cut_normalized"),
    "draws NumPy's random numbers, so that a seed gives the same noise": "util.random_noise",
    "returns a transform object, which is on the host": "transform.estimate_transform",
    "three numbers, for which no array is on the device": "color.xyz_tristimulus_values",
    "tries one shape after the other at places that NumPy's random numbers give, each where those"
    " before it have left room": ("draw.random_shapes"),
    "takes the pixels from a heap, the cheapest first, and of ways that cost the same gives the one"
    " that the heap's order makes": ("graph.route_through_array graph.shortest_path"),
    "decides about each edge between pixels after all lighter ones: at once for those that no"
    " undecided lighter one touches it takes tens of rounds with scale=1, thousands with 100": (
        "segmentation.felzenszwalb"
    ),
    "calls a function for each chunk of an image, and each of these calls is decided by itself": (
        "util.apply_parallel"
    ),
    "asks, for one object after the other, which of those that are left lie near: three quarters of"
    " its time, in a tree of points on the CPU": ("morphology.remove_objects_by_distance"),
    "a part of the image without a copy: nothing is computed": ("util.slice_along_axes"),
    "draws pixels in the order of NumPy's random numbers, each of which votes after the lines that"
    " those before it gave are taken away": ("transform.probabilistic_hough_line"),
    "searches the documentation": ("util.lookfor"),
}
# A GPU version could be written.
_NOT_YET = {
    "finds the shortest ways between all pixels of a graph, which comes as a sparse matrix of"
    " SciPy's, on the CPU, in less than a second for a skeleton; no GPU version is written": (
        "graph.central_pixel"
    ),
}
ON_CPU = {
    f"skimage.{name.replace('.', ':')}": why
    for why, names in (_BY_DESIGN | _NOT_YET).items()
    for name in names.split()
}
# Neither dispatched nor watched: what is left of the public names, by module; "" stands for all
# names of a module.
NOT_DISPATCHED = {
    "skimage.data": {"": "loads or makes an example, a NumPy array"},
    "skimage.future": {
        "fit_segmenter predict_segmenter TrainableSegmenter": (
            "hands features to a classifier of scikit-learn's, on the CPU"
        ),
        "manual_lasso_segmentation manual_polygon_segmentation": (
            "asks the user, in a window of matplotlib's"
        ),
    },
    "skimage.io": {"": "reads and writes files, or holds what was read"},
    "skimage.measure": {"RansacModelProtocol": "says what `ransac` asks of a model"},
    "skimage.util": {
        "FailedEstimationAccessError PendingSkimage2Change": "is an exception, or a warning"
    },
}


def not_dispatched(module):
    """Rows of `NOT_DISPATCHED`: names of a module, and why."""
    for names, why in NOT_DISPATCHED[module].items():
        yield names.split() or callables(module), why


def why_on_cpu(name):
    """Why a function runs on the CPU."""
    return ON_HOST.get(name) or ON_CPU[name]


def by_design(name):
    """Whether the CPU is where a function belongs, so that no GPU version of it is missing."""
    return name in ON_HOST or why_on_cpu(name) in _BY_DESIGN


def need_reason():
    """Functions that are not served."""
    return {
        name
        for name in public_functions()
        if not (name in CATALOG or name in ON_HOST or same_as(name))
    }
