"""Objects of regions as scikit-image's, whose properties come from columns of all regions."""

import functools

import numpy as np

from ...adapt.kinds import CUPY, kind_of
from ...devices import as_numpy, on_device_of, xp
from ...scikit_image import on_host, private

theirs = private("measure._regionprops")

_THEIRS = theirs.RegionProperties
# What scikit-image's own class makes of corners, and of a crop of the images wherever they are.
_OF_CROPS = {"label", "slice", "bbox", "image", "image_intensity"}
_COORDINATES = {"coords", "coords_scaled"}


class Objects:
    """The regions of a call, which become objects where the caller has his arrays.

    Parameters
    ----------
    columns : Columns
    images : sequence of (cupy.ndarray or None)
        Labels, intensities.
    values : callable
        Takes the name of a property; returns an array of a row for each region, or None where
        scikit-image computes it.
    cache : bool
    options : dict
        Of scikit-image's class.
    """

    def __init__(self, columns, images, values, cache, **options):
        self._columns, self._images = columns, images
        self.cache, self._options = cache, options
        self.values = functools.cache(functools.partial(self._on_device, values))

    def with_arrays(self, change):
        """The list of regions as the caller gets it: of his own images, where he gave them."""
        images = [image if image is None else change(image) for image in self._images]
        on_device = kind_of(images[0]) is CUPY
        return self._list(RegionPropertiesOnDevice if on_device else RegionProperties, images)

    def _on_device(self, function, *args):
        """Result of a function that uses the images, on their device, whichever is current."""
        with on_device_of(self._images[0]):
            return function(*args)

    @functools.cached_property
    def on_host(self):
        """The images, of those that are on a GPU copies."""
        copy = functools.partial(self._on_device, as_numpy)
        return [image if image is None else copy(image) for image in self._images]

    def _list(self, kind, images):
        corners = zip(self._columns.slice, self._columns.label.tolist(), strict=True)
        return [
            kind(self, row, corner, label, *images, self.cache, **self._options)
            for row, (corner, label) in enumerate(corners)
        ]

    def one_on_host(self, row, corner, label):
        """The region of a row with copies of the images."""
        images = self.on_host
        return RegionProperties(self, row, corner, label, *images, self.cache, **self._options)

    def value(self, name, row):
        """A region's value as scikit-image has it, but None where it computes it."""
        values = self.values(name)
        if values is None:
            return None
        if name in _COORDINATES:
            return values[row].copy()
        intensity = self._images[1]
        ndim, given = self._columns.ndim, (None, ())
        if intensity is not None:
            given = intensity.dtype, intensity.shape[ndim:]
        spacing = self._options["spacing"]
        steps = None if spacing is None else np.asarray(spacing).dtype
        return _like(_example(name, ndim, steps, *given), values[row])


@functools.cache
def _example(name, ndim, steps, dtype, channels):
    """What scikit-image gives for a small region: of which types a property is."""
    labels = np.ones((2, 3, 4)[:ndim], np.uint8)
    labels[(0,) * ndim] = 0
    intensity = None if dtype is None else np.ones(labels.shape + channels, dtype)
    spacing = np.ones(ndim, steps)
    (region,) = on_host("skimage.measure:regionprops", labels, intensity, spacing=spacing)
    return region[name]


def _like(example, values):
    """`values` in the types of an example."""
    if isinstance(example, tuple | list):
        return type(example)(map(_like, example, values))
    if isinstance(example, np.ndarray):
        return values.astype(example.dtype)
    return type(example)(values)


class RegionProperties(_THEIRS):
    """A region of a NumPy image.

    Parameters
    ----------
    table : Objects
    row : int
        Of the region.
    *args, **options
        Of scikit-image's class.
    """

    def __init__(self, table, row, *args, **options):
        self._table, self._row = table, row  # before those that have properties looked up
        super().__init__(*args, **options)

    def _property(self, name):
        outdated = self._table.cache and not self._cache_active  # somebody has turned it off
        value = None
        if not outdated and name not in _COORDINATES:
            value = self._table.value(name, self._row)
        return getattr(_THEIRS, name).fget(self) if value is None else value

    def __reduce_ex__(self, protocol):
        """As scikit-image's own object, which needs no device."""
        plain = _THEIRS.__new__(_THEIRS)
        plain.__dict__.update(self.__dict__)
        del plain._table, plain._row
        return plain.__reduce_ex__(1)  # the others name the class of what they are asked of


class RegionPropertiesOnDevice(RegionProperties):
    """A region of an image on the device: its arrays, and NumPy's scalars, are there, too."""

    def __init__(self, table, row, *args, **options):
        super().__init__(table, row, *args, **options)
        on_host = functools.partial(table.one_on_host, row, self.slice, self.label)
        self._extra_properties = {
            name: _of_mask(on_host, name)  # the user's functions take NumPy arrays
            for name in self._extra_properties
        }

    @functools.cached_property
    def _on_host(self):
        return self._table.one_on_host(self._row, self.slice, self.label)

    def _property(self, name):
        value = self._table.value(name, self._row)
        value = getattr(self._on_host, name) if value is None else value
        with self._label_image.device:
            return xp.asarray(value) if isinstance(value, np.ndarray | np.generic) else value

    def __eq__(self, other):
        other = other._on_host if isinstance(other, RegionPropertiesOnDevice) else other
        return self._on_host == other

    __hash__ = None

    def __reduce_ex__(self, protocol):
        return self._on_host.__reduce_ex__(protocol)


def _of_mask(on_host, name):
    """A function of a region's mask, as scikit-image calls them, which gives a property of it."""
    return lambda mask: getattr(on_host(), name)


RegionPropertiesOnDevice.__qualname__ = "RegionProperties"  # which its repr begins with


def _own(name):
    """The property `name`, kept in the region's cache where scikit-image's is."""

    def value(self):
        return self._property(name)

    value.__name__ = name
    kept = getattr(_THEIRS, name).fget.__code__ is _THEIRS.area.fget.__code__
    return property(theirs._cached(value) if kept else value, doc=getattr(_THEIRS, name).__doc__)


for _name in theirs.PROP_VALS - _OF_CROPS:
    setattr(RegionProperties, _name, _own(_name))


def _of_crop(name):
    """scikit-image's property `name` of crops of the images, computed on their device."""
    theirs_own = getattr(_THEIRS, name)

    def value(self):
        with self._label_image.device:
            return theirs_own.fget(self)

    return property(value, doc=theirs_own.__doc__)


for _name in ("image", "image_intensity"):
    setattr(RegionPropertiesOnDevice, _name, _of_crop(_name))
