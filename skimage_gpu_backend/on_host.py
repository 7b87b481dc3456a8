"""Functions that stay on the CPU by decision, and why: there is nothing that a GPU could gain."""

from . import methods
from .catalog import CATALOG

_REASONS = {
    "it makes a footprint of a few elements, which functions of device arrays take as it is": (
        "morphology: ball cube diamond disk ellipse footprint_from_sequence footprint_rectangle"
        " mirror_footprint octagon octahedron pad_footprint rectangle square star"
    ),
    "it makes the kernel of a ball, which functions of device arrays take as it is": (
        "restoration: ball_kernel ellipsoid_kernel"
    ),
    "it makes where a segmentation starts, which functions of device arrays take as it is": (
        "segmentation: checkerboard_level_set disk_level_set"
    ),
    "it works on the points of a curve, which are few": (
        "measure: approximate_polygon subdivide_polygon"
    ),
    "it makes a few numbers of a few": "measure: moments_hu moments_normalized",
}
ON_HOST = {
    f"skimage.{module}:{name}": why
    for why, functions in _REASONS.items()
    for module, names in [functions.split(":")]
    for name in names.split()
} | {name: why for why, names in methods.BY_DESIGN.items() for name in names}


def why_on_host(name):
    """Why no call of a function is for the GPU, None where some are; as `decide` tells it."""
    if name in ON_HOST:
        return f"{ON_HOST[name]}; nothing to change"
    if name in CATALOG or name in methods.AS_FUNCTION:
        return None
    return "no kernel for this function"
