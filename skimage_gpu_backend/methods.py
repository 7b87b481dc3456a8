"""The methods of scikit-image's public classes: which are dispatched, and where each runs.

Plain data: nothing is imported here, since the import hook reads it when the first class is
defined. A method's name has that of its class, as ``"skimage.feature:ORB.detect"``; inherited
methods are listed with each class under which users call them.
"""


def _each(module, classes, methods):
    names = ((kind, method) for kind in classes.split() for method in methods.split())
    return [f"skimage.{module}:{kind}.{method}" for kind, method in names]


_MATRICES = "AffineTransform EuclideanTransform ProjectiveTransform SimilarityTransform"
_POINTWISE = f"{_MATRICES} PiecewiseAffineTransform PolynomialTransform"
_EPIPOLAR = "EssentialMatrixTransform FundamentalMatrixTransform"
_CURVES = "CircleModel EllipseModel LineModelND"
_MCP = "MCP MCP_Connect MCP_Flexible MCP_Geometric"

# There is nothing that a GPU could gain.
BY_DESIGN = {
    "it fits a few numbers to points, by decompositions of small matrices": [
        *_each("measure", _CURVES, "estimate from_estimate"),
        *_each("transform", f"{_POINTWISE} {_EPIPOLAR}", "estimate from_estimate"),
        *_each("transform", "ThinPlateSplineTransform", "estimate from_estimate"),
    ],
    "it works on the points of a model, which are few": [
        *_each("measure", _CURVES, "residuals"),
        *_each("measure", "CircleModel EllipseModel", "predict_xy"),
        *_each("measure", "LineModelND", "predict predict_x predict_y"),
        *_each("transform", f"{_POINTWISE} {_EPIPOLAR}", "residuals"),
        *_each("transform", _EPIPOLAR, "__call__"),
    ],
    "it looks for the triangle of each point by a walk of SciPy's from that of the point before,"
    " and of triangles that meet at a point the walk decides which one is taken": _each(
        "transform", "PiecewiseAffineTransform", "__call__"
    ),
    "it takes the pixels from a heap, the cheapest first, and of ways that cost the same the heap's"
    " order decides which one is taken": _each("graph", _MCP, "find_costs"),
}
# What runs in their place: a function, whose arguments are the caller's, and attributes of the
# object by the function's parameters; "" is the object itself.
AS_FUNCTION = {
    **dict.fromkeys(
        _each("transform", _MATRICES, "__call__"),
        ("skimage.transform:matrix_transform", {"matrix": "params"}),
    ),
    "skimage.filters:LPIFilter2D.__call__": ("skimage.filters:_lpi_filter", {"lpi": ""}),
    "skimage.transform:PolynomialTransform.__call__": (
        "skimage.transform:_polynomial",
        {"params": "params"},
    ),
    "skimage.transform:ThinPlateSplineTransform.__call__": (
        "skimage.transform:_thin_plate_spline",
        {"src": "src", "mappings": "_spline_mappings"},
    ),
}
# Of these functions those that scikit-image does not have: as `PRIVATE_STEPS`, and the function
# whose sizes they share, which scikit-image computes in no more time.
OWN_FUNCTIONS = {
    "skimage.filters:_lpi_filter": ("data lpi", "data", "filters.lpi_filter"),
    "skimage.transform:_polynomial": ("coords params", "coords", "transform.point_maps"),
    "skimage.transform:_thin_plate_spline": (
        "coords src mappings",
        "coords",
        "transform.point_maps",
    ),
}
# Methods that have a room of their own: images as in the catalog, and the room. What it declines
# (an object whose class overrides a step, say) goes by steps.
IN_ROOMS = {
    **dict.fromkeys(_each("feature", "CENSURE", "detect"), ("image", "feature.censure")),
    **dict.fromkeys(
        _each("feature", "SIFT", "detect detect_and_extract extract"), ("image", "feature.sift")
    ),
}
SIZED_AS = {
    "skimage.filters:_lpi_filter": "skimage.filters:butterworth",
    "skimage.transform:_polynomial": "skimage.transform:matrix_transform",
    "skimage.transform:_thin_plate_spline": "skimage.transform:matrix_transform",
    **dict.fromkeys(IN_ROOMS, "skimage.feature:structure_tensor"),
    "skimage2.feature:corner_peaks": "skimage.feature:corner_peaks",
    "skimage2.filters:gaussian": "skimage.filters:gaussian",
}
# scikit-image's code runs, and what it calls is dispatched: images stay on the device from one of
# these calls to the next. They return nothing; what they keep in the object is small.
BY_STEPS = {
    **dict.fromkeys(
        _each("feature", "SIFT", "detect detect_and_extract extract"),
        "`rescale` and `gaussian`; extrema, their orientations and descriptors on the CPU",
    ),
    **dict.fromkeys(
        _each("feature", "CENSURE", "detect"),
        "`integral_image`, octagons and stars, `structure_tensor`; boxes and extrema on the CPU",
    ),
    **dict.fromkeys(
        _each("feature", "ORB", "detect detect_and_extract extract"),
        "`pyramid_gaussian`, `corner_fast`, `corner_peaks`, `corner_harris` and"
        " `corner_orientations`, and descriptors; which keypoints are best on the CPU",
    ),
    **dict.fromkeys(_each("feature", "BRIEF", "extract"), "`gaussian`, and comparisons of pixels"),
}
# A function of these methods' that tells by an image's size whether the image goes to the device
# when the method begins, where it then stays for all of them.
FIRST_STEPS = {
    "skimage.feature:BRIEF": "skimage.filters:gaussian",
    "skimage.feature:CENSURE": "skimage.feature:structure_tensor",
    "skimage.feature:ORB": "skimage.transform:pyramid_gaussian",
    "skimage.feature:SIFT": "skimage.filters:gaussian",
}
# Private functions that these methods call, and SciPy's, by the module that calls them: parameters
# (compiled functions do not tell them; `out` is the array that is written), images and arrays
# beside them as in the catalog, and our room. Answered inside of the methods alone.
PRIVATE_STEPS = {
    "skimage.feature.brief:_brief_loop": (
        "image out keypoints pos0 pos1",
        "image",
        "feature.binary_descriptors",
    ),
    "skimage.feature.censure:convolve": (
        "input weights",
        "input",
        "feature.censure_filters",
    ),
    "skimage.feature.orb:_orb_loop": (
        "image keypoints orientations",
        "image",
        "feature.binary_descriptors",
    ),
}
# modules whose calls these are
STEPS_OF = (
    "skimage.feature.orb",
    "skimage.feature.brief",
    "skimage.feature.sift",
    "skimage.feature.censure",
)
# Neither dispatched nor watched.
LEFT = {
    "belongs to a compiled class, which cannot be changed; give NumPy arrays": [
        *_each("feature", "Cascade", "detect_multi_scale"),
        *_each("graph", _MCP, "goal_reached traceback"),
        *_each("graph", "MCP_Connect", "create_connection"),
        *_each("graph", "MCP_Flexible", "examine_neighbor travel_cost update_node"),
    ],
    "makes the few numbers of a transform that changes nothing": _each(
        "transform", f"{_POINTWISE} {_EPIPOLAR}", "identity"
    ),
    "changes a graph of NetworkX, which is on the CPU": _each(
        "graph", "RAG", "add_edge add_node copy fresh_copy merge_nodes next_id"
    ),
}

ON_CPU = {name: why for why, names in BY_DESIGN.items() for name in names}


def _by_class():
    """Names of the dispatched methods of each class, as ``"skimage.feature:ORB"``."""
    found = {}
    for name in (*ON_CPU, *AS_FUNCTION, *BY_STEPS):
        kind, _, method = name.rpartition(".")
        found.setdefault(kind, []).append(method)
    return found


DISPATCHED = _by_class()
