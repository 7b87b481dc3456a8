"""Calls of `skimage.measure`: properties of labelled regions."""

import numpy as np

from skimage_gpu_backend.devices.cuda.lazy import cp

from ..inputs import COLOR, LABELS, MASK, PHOTO, VOLUME, VOLUME_LABELS, Input
from ..sweep import Bound, Sweep

INTEGERS = ("bool", "uint8", "uint16", "uint32", "int8", "int16", "int32", "int64")
GAPS = np.where(LABELS.array() == 2, 0, LABELS.array())
BELOW = np.where(LABELS.array() == 2, -3, LABELS.array())
SHAPES = [
    "label",
    "bbox",
    "num_pixels",
    "area",
    "area_bbox",
    "area_convex",
    "centroid",
    "centroid_local",
    "extent",
    "solidity",
    "equivalent_diameter_area",
    "axis_major_length",
    "axis_minor_length",
    "inertia_tensor",
    "inertia_tensor_eigvals",
    "euler_number",
]
PLANE = ["eccentricity", "orientation", "perimeter", "perimeter_crofton", "moments_hu"]
VALUES = ["intensity_max", "intensity_mean", "intensity_min", "intensity_std", "centroid_weighted"]
VALUES += ["centroid_weighted_local"]
# Of regions whose means are alike 1e-7 of a mean is more of their range.
MEANS = Bound("scikit-image adds intensities in single precision up", single=2e-5)


def measured(regions):
    """Numbers of each region, on the device where the region's arrays are."""
    on_device = regions and not isinstance(regions[0].moments, np.ndarray)
    library = cp if on_device else np
    names = (*SHAPES, *(PLANE if regions and len(regions[0].bbox) == 4 else ()))
    names = [name for name in names if name != "moments_hu"]
    return [{name: library.asarray(r[name], dtype=float) for name in names} for r in regions]


SWEEPS = (
    Sweep(
        "skimage.measure:regionprops_table",
        {"label_image": LABELS},
        vary={
            "label_image": [VOLUME_LABELS, GAPS, BELOW, np.zeros((9, 9), int), Input("noise")],
            "properties": [
                *([name] for name in (*SHAPES, *PLANE)),
                (*SHAPES, *PLANE),
                ("centroid", "label"),
                ["area_filled"],
                ["feret_diameter_max", "image_convex", "image_filled"],
                ["moments", "moments_normalized", "inertia_tensor"],
                ["coords", "coords_scaled", "slice", "image"],
                ["major_axis_length", "equivalent_diameter", "Solidity"],
                ["intensity_mean"],
                ["no such"],
            ],
            "separator": ["_", "+"],
            "extra_properties": [(np.sum,)],
            "spacing": [(1, 1), (0.5, 2), 2],
            "cache": [False],
        },
        also=(
            {"intensity_image": PHOTO, "properties": VALUES},
            {"intensity_image": PHOTO.cast("float32"), "properties": VALUES},
            {"intensity_image": PHOTO.cast("uint8"), "properties": VALUES},
            {"intensity_image": PHOTO.cast("int16"), "properties": VALUES},
            {"intensity_image": COLOR, "properties": VALUES},
            {"intensity_image": PHOTO, "properties": ["moments_weighted", "mean_intensity"]},
            {"intensity_image": COLOR, "properties": ["intensity_median", "image_intensity"]},
            {"intensity_image": PHOTO, "properties": ["moments_weighted_hu"]},
            {"label_image": VOLUME_LABELS, "properties": SHAPES},
            {"label_image": VOLUME_LABELS, "properties": PLANE},
            {"label_image": VOLUME_LABELS, "intensity_image": VOLUME, "properties": VALUES},
            {"label_image": GAPS, "properties": (*SHAPES, *PLANE)},
            {"properties": (*SHAPES, *PLANE), "spacing": (0.5, 2)},
            {"separator": "+", "properties": ["centroid", "centroid_local"]},
        ),
        dtypes=INTEGERS,
        bound=MEANS,
    ),
    Sweep(
        "skimage.measure:regionprops",
        {"label_image": LABELS},
        vary={
            "label_image": [VOLUME_LABELS, GAPS, BELOW, np.zeros((9, 9), int), MASK],
            "intensity_image": [PHOTO],
            "cache": [False],
            "extra_properties": [(np.sum,)],
            "spacing": [(2, 2)],
            "offset": [(1, 2)],
        },
        dtypes=INTEGERS,
        view=measured,
    ),
)
