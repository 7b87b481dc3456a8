"""skimage.measure.regionprops gives scikit-image's objects, of one table of all regions."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from skimage import data, measure
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import notify, use_backends
from tests.upstream import upstream

theirs = upstream("measure._regionprops")
PROP_VALS, PROPS, RegionProperties = theirs.PROP_VALS, theirs.PROPS, theirs.RegionProperties

COINS = data.coins()[:40, :60]
LABELS = measure.label(COINS > 110).astype(np.int32)
VOLUME = np.arange(4 * 5 * 6).reshape(4, 5, 6) // 25
NAMES = sorted(PROP_VALS)


def value(region, name):
    """A property, or the kind of the error that it raises and what that says."""
    try:
        return region[name]
    except (AttributeError, NotImplementedError, ValueError) as error:
        return type(error), str(error)


def assert_like(found, expected, name):
    assert type(found) is type(expected), name
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected), name
        for one, other in zip(found, expected, strict=True):
            assert_like(one, other, name)
    elif isinstance(expected, np.ndarray | np.generic | float):
        assert np.asarray(found).dtype == np.asarray(expected).dtype, name
        size = np.abs(np.nan_to_num(np.asarray(expected, float))).max(initial=1)
        np.testing.assert_allclose(found, expected, 1e-9, 1e-9 * size, err_msg=name)
    else:
        assert found == expected, name


def both(gpu, *args, **options):
    """Regions of this package and of scikit-image."""
    expected = measure.regionprops(*args, **options)
    found = gpu(measure.regionprops, *args, **options)
    assert type(found) is list and len(found) == len(expected)
    return list(zip(found, expected, strict=True))


@pytest.mark.parametrize(
    "args, options",
    [
        ((LABELS, COINS), {"offset": (3, -4)}),
        ((LABELS,), {"spacing": (0.5, 2), "cache": False}),
        ((LABELS, np.stack([COINS, 255 - COINS], -1)), {"spacing": 2}),
        ((VOLUME, VOLUME.astype(np.uint16)), {"offset": [1, 2, 3.5]}),
        ((VOLUME,), {"spacing": (1, 2, 3)}),
    ],
    ids=["plane", "stretched", "channels", "volume", "stretched volume"],
)
def test_each_property_is_as_scikit_image_has_it(gpu, args, options):
    for region, theirs in both(gpu, *args, **options)[:6]:
        for name in NAMES:
            found, expected = value(region, name), value(theirs, name)
            if name == "eccentricity" and expected == 0:  # of one pixel an int
                expected = 0.0
            assert_like(found, expected, name)


def regions_of(*args, backends=("gpu",), **options):
    with use_backends(*backends):
        return measure.regionprops(*args, **options)


def test_they_are_scikit_image_s_objects(gpu, however_small):
    for region, theirs in both(gpu, LABELS, COINS):
        assert isinstance(region, RegionProperties)
        assert repr(region) == repr(theirs)
        assert list(region) == list(theirs) and ("area" in region) == ("area" in theirs)
        assert region._label_image is LABELS and region._intensity_image is COINS
    first, again = (gpu(measure.regionprops, LABELS, COINS) for _ in range(2))
    assert first[0] == again[0] != again[1]
    assert first[0] != "region"
    assert measure.regionprops(LABELS * 0) == gpu(measure.regionprops, LABELS * 0)


@pytest.mark.parametrize("alias", [name for name in PROPS if name.lower() == name])
def test_old_names(gpu, alias):
    region, theirs = both(gpu, LABELS, COINS)[0]
    for get in (lambda r: r[alias], lambda r: getattr(r, alias)):
        with pytest.warns(FutureWarning, match=alias) as told:
            found, expected = get(region), get(theirs)
        assert {each.filename for each in told if each.category is FutureWarning} == {__file__}
        assert_like(found, expected, alias)


def test_old_names_in_capitals(gpu):
    region, theirs = both(gpu, LABELS, COINS)[0]
    for alias in (name for name in PROPS if name != name.lower()):
        with pytest.warns(FutureWarning):
            assert_like(region[alias], theirs[alias], alias)
        with pytest.raises(AttributeError):
            getattr(region, alias)


def test_a_cache_that_somebody_turns_off_holds_nothing_back(gpu):
    labels = LABELS.copy()
    region = next(each for each in gpu(measure.regionprops, labels) if each.extent < 1)
    area = region.area
    labels[...] = region.label
    assert region.area == area
    region._cache_active = False
    assert region.area == region.area_bbox > area


def test_what_was_computed_is_kept_where_scikit_image_keeps_it(gpu):
    for cache in (True, False):
        for region, theirs in both(gpu, LABELS, COINS, cache=cache)[:2]:
            for name in NAMES:
                value(region, name), value(theirs, name)
            # of what others are made of: scikit-image needs more on the way
            assert region._cache.keys() <= theirs._cache.keys()
            assert {"area", "moments"} <= region._cache.keys() if cache else not region._cache
            assert (region.moments is region.moments) is cache
            region.centroid_local[:] = -1
            assert (region.centroid_local >= 0).all()


def total(mask, image):
    assert isinstance(mask, np.ndarray) and isinstance(image, np.ndarray)
    return image[mask].sum()


def height(mask):
    return mask.shape[0]


def test_functions_of_the_user_take_numpy_arrays(gpu_of_each_kind):
    gpu = gpu_of_each_kind
    expected = measure.regionprops(LABELS, COINS, extra_properties=[total, height])
    found = gpu(measure.regionprops, LABELS, COINS, extra_properties=[total, height])
    for region, theirs in zip(found, expected, strict=True):
        assert (region.total, region["height"]) == (theirs.total, theirs.height)
    colors = np.stack([COINS, 255 - COINS], -1)
    expected = measure.regionprops(LABELS, colors, extra_properties=[total])
    found = gpu(measure.regionprops, LABELS, colors, extra_properties=[total])
    np.testing.assert_array_equal(found[0].total, expected[0].total)
    (region,) = gpu(measure.regionprops, np.uint8(LABELS > 0), extra_properties=[total])
    with pytest.raises(AttributeError, match="intensity image required"):
        region.total  # noqa: B018 (a look raises)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_copies_are_scikit_image_s_own(gpu, way):
    region = gpu(measure.regionprops, LABELS, COINS)[0]
    moments = region.moments
    again = way(region)
    assert type(again) is RegionProperties
    np.testing.assert_array_equal(again.moments, moments)
    assert again.area == region.area and again.intensity_max == region.intensity_max


def test_device_images_have_properties_on_the_device(gpu):
    import cupy as cp

    labels, coins = cp.asarray(LABELS), cp.asarray(COINS)
    found = regions_of(labels, coins)
    for region, theirs in list(zip(found, measure.regionprops(LABELS, COINS), strict=True))[:4]:
        assert repr(region) == repr(theirs)
        for name in NAMES:
            mine, wanted = region[name], theirs[name]
            is_array = isinstance(wanted, np.ndarray | np.generic)
            assert isinstance(mine, cp.ndarray) == is_array, name
            if is_array:
                mine = cp.asnumpy(mine)
                wanted = np.asarray(wanted)
            if name == "eccentricity":
                wanted = float(wanted)
            assert_like(mine, wanted, name)
    assert found[0] == found[0] != found[1]
    assert pickle.loads(pickle.dumps(found[0])).area == int(found[0].area)


def test_errors_are_scikit_image_s(gpu):
    for region, theirs in both(gpu, VOLUME, spacing=(1, 2, 2))[:1]:
        for name in ("orientation", "moments_hu", "perimeter", "intensity_mean", "no_such"):
            for get in (getattr, lambda r, n: r[n]):
                told = []
                for each in (region, theirs):
                    with pytest.raises((AttributeError, NotImplementedError)) as error:
                        get(each, name)
                    told.append((error.type, str(error.value)))
                assert told[0] == told[1]


@pytest.mark.parametrize(
    "options",
    [
        {"offset": 3},
        {"offset": (1, 2, 3)},
        {"label_image": LABELS > 0},
        {"label_image": LABELS[0]},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"label_image": LABELS} | options
    with pytest.raises((ValueError, TypeError)):
        measure.regionprops(**options)
    assert gpu.invalid(measure.regionprops, options.pop("label_image"), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"extra_properties": np.ones(2)},
        {"extra_properties": [1]},
        {"offset": ("a", "b")},
        {"spacing": (1, 2, 3)},
    ],
    ids=str,
)
def test_what_is_left_to_scikit_image(gpu, options):
    assert gpu.declined(measure.regionprops, LABELS, **options)


def test_values_that_are_not_finite(gpu):
    image = COINS.astype(np.float32)
    image[LABELS == 1] = np.nan
    names = ["intensity_mean", "intensity_median", "moments_weighted", "centroid_weighted"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for region, theirs in both(gpu, LABELS, image):
            for name in names:
                np.testing.assert_allclose(region[name], theirs[name], 1e-6, 1e-6)


def test_the_user_is_told_once_of_what_the_cpu_computes(however_small, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "fallback")
    monkeypatch.setattr(notify, "_told", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error", DispatchNotification)
        regions = regions_of(LABELS, COINS)
        names = ["area", "image", "coords", "image_intensity", "image_filled", "feret_diameter_max"]
        [region[name] for region in regions for name in names]
        regions = regions_of(np.kron(np.arange(6).reshape(2, 3, 1), np.ones((3, 4, 5), int)))
    with pytest.warns(DispatchNotification, match="properties solidity") as told:
        [(r.solidity, r.solidity) for r in regions]
    assert len({str(each.message) for each in told}) == len(told)
    assert {each.filename for each in told} == {__file__}


def test_launches_do_not_depend_on_the_regions(gpu, counting):
    found = {}
    for name, labels in {"few": np.uint8(LABELS > 0), "many": LABELS}.items():
        with counting() as counts:
            for region in gpu(measure.regionprops, labels):
                region.area, region.centroid, region.perimeter  # noqa: B018 (a look computes)
        found[name] = counts.launches
    assert found["few"] == found["many"]
