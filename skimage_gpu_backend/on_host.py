"""Functions that stay on the CPU by decision, and why: there is nothing that a GPU could gain."""

_REASONS = {
    "it works on the points of a curve, which are few": "approximate_polygon subdivide_polygon",
    "it makes a few numbers of a few": "moments_hu moments_normalized",
}
ON_HOST = {
    f"skimage.measure:{name}": why for why, names in _REASONS.items() for name in names.split()
}
