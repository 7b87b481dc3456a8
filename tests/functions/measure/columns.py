"""What tests of regions' tables share: images, names of columns, and how tables are compared."""

import numpy as np
from skimage import data, measure

from tests.upstream import upstream

theirs = upstream("measure._regionprops")
COL_DTYPES, _require_intensity_image = theirs.COL_DTYPES, theirs._require_intensity_image

RNG = np.random.default_rng(19)
HULLS = {"area_convex", "feret_diameter_max", "image_convex", "solidity"}  # of volumes not here
OF_PLANES = {"eccentricity", "moments_hu", "moments_weighted_hu", "orientation"}
OF_PLANES |= {"perimeter", "perimeter_crofton"}
SHAPES = [name for name in COL_DTYPES if name not in _require_intensity_image]
VALUES = [name for name in COL_DTYPES if name in _require_intensity_image]
ROUNDED = [name for name in SHAPES if COL_DTYPES[name] is float]
TWELVE = ["label", "bbox", "area", "centroid", "eccentricity", "axis_major_length"]
TWELVE += [
    "axis_minor_length",
    "orientation",
    "perimeter",
    "euler_number",
    "intensity_mean",
    "extent",
]
COINS = data.coins()[:90, :120]
LABELS = measure.label(COINS > 110).astype(np.int32)
VOLUME = measure.label(RNG.random((9, 14, 21)) < 0.3).astype(np.uint16)


def assert_same(actual, expected, bound=1e-10):
    """Integers and objects equal, numbers within `bound` of the largest of their property."""
    assert list(actual) == list(expected)
    largest = {}
    for name, values in expected.items():
        if values.dtype.kind == "f":
            of = name.partition("-")[0].replace("_central", "")
            most = np.abs(values[np.isfinite(values)]).max(initial=0)
            largest[of] = max(largest.get(of, 0), most)
    for name, values in expected.items():
        found = actual[name]
        assert found.dtype == values.dtype, name
        if values.dtype == object:
            for mine, theirs in zip(found, values, strict=True):
                assert type(mine) is type(theirs), name
                assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None), name
                np.testing.assert_array_equal(mine, theirs, err_msg=name)
        elif values.dtype.kind == "i":
            np.testing.assert_array_equal(found, values, err_msg=name)
        else:
            of = name.partition("-")[0].replace("_central", "")
            within = bound * largest[of]
            np.testing.assert_allclose(found, values, rtol=bound, atol=within, err_msg=name)


def same(run, labels, intensity=None, properties=SHAPES, bound=1e-10, **options):
    if labels.ndim == 3:
        properties = [name for name in properties if name not in {*OF_PLANES, *HULLS}]
    expected = measure.regionprops_table(labels, intensity, properties, **options)
    actual = run(measure.regionprops_table, labels, intensity, properties, **options)
    assert_same(actual, expected, bound)
