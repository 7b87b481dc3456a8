"""Properties of all regions at once, as arrays of a row each: NumPy's arithmetic of device sums."""

import functools
import itertools
import math

import numpy as np

from ...device.lazy import cp
from ...scikit_image import on_host
from .perimeters import crofton_weights

_TINY = 1e-9  # of an ellipse's largest axis: what rounding decides is below
_SINGLE = np.finfo(np.float32)


class NotHere(Exception):
    """A property that is left to scikit-image, with the reason."""


class Columns:
    """Properties by the names that scikit-image's `RegionProperties` gives them.

    Each is computed when it is first asked for, from sums of one pass over all regions, and has a
    row for each region. What is no attribute has no GPU version.

    Parameters
    ----------
    regions : Regions
    intensity : cupy.ndarray or None
        Channels along an axis behind those of the labels, where there are any.
    spacing : numpy.ndarray
        Of pixels along each axis.
    offset : numpy.ndarray
        Coordinates of the first pixel.
    """

    def __init__(self, regions, intensity, spacing, offset):
        self._regions, self._spacing, self._offset = regions, spacing, offset
        self.ndim = spacing.size
        self._pixel_area = np.prod(spacing)
        self._intensity = intensity
        self._with_channels = intensity is not None and intensity.ndim > self.ndim

    # What follows from boxes and counts.

    @property
    def label(self):
        return self._regions.labels

    @property
    def num_pixels(self):
        return self._regions.counts

    @property
    def area(self):
        return self.num_pixels * self._pixel_area

    @functools.cached_property
    def bbox(self):
        return np.concatenate(self._regions.boxes, axis=1)

    @property
    def area_bbox(self):
        first, behind = self._regions.boxes
        return (behind - first).prod(axis=1) * self._pixel_area

    @property
    def extent(self):
        return self.area / self.area_bbox

    @property
    def equivalent_diameter_area(self):
        return (2 * self.ndim * self.area / math.pi) ** (1 / self.ndim)

    @property
    def slice(self):
        boxes = zip(*(ends.tolist() for ends in self._regions.boxes), strict=True)
        return _objects([tuple(map(slice, *box)) for box in boxes])

    # Coordinates.

    @functools.cached_property
    def _places(self):
        places = self._regions.pixels(range(len(self._regions)))
        shape = self._regions.image.shape
        return [np.stack(np.unravel_index(each, shape), axis=-1) for each in places]

    @property
    def coords(self):
        return _objects([places + self._offset for places in self._places])

    @property
    def coords_scaled(self):
        return _objects([places * self._spacing + self._offset for places in self._places])

    @property
    def image(self):
        return _objects(self._masks(range(len(self._regions)), self._places))

    def _masks(self, rows, places):
        first, behind = self._regions.boxes
        masks = [np.zeros(behind[row] - first[row], bool) for row in rows]
        for row, mask, each in zip(rows, masks, places, strict=True):
            mask[tuple((each - first[row]).T)] = True
        return masks

    # Moments, and the ellipse that has them.

    @functools.cached_property
    def moments(self):
        return self._regions.moments(self._spacing)

    @functools.cached_property
    def centroid_local(self):
        return _centre(self.moments, self.ndim)

    @property
    def centroid(self):
        return self._regions.boxes[0] * self._spacing + self.centroid_local + self._offset

    @functools.cached_property
    def moments_central(self):
        return self._regions.moments(self._spacing, self.centroid_local)

    @functools.cached_property
    def moments_normalized(self):
        return _normalized(self.moments_central, self.ndim, min(self._spacing))

    @property
    def moments_hu(self):
        return _hu(self.moments_normalized)

    @functools.cached_property
    def inertia_tensor(self):
        moments, axes = self.moments_central, range(self.ndim)
        units = np.eye(self.ndim, dtype=int)
        whole = moments[(slice(None), *(0,) * self.ndim)]
        squares = np.stack([moments[(slice(None), *(2 * units[a]))] for a in axes], axis=-1)
        tensor = np.empty((len(self._regions), self.ndim, self.ndim))
        tensor[:, axes, axes] = (squares.sum(axis=1, keepdims=True) - squares) / whole[:, None]
        for a, b in itertools.combinations(axes, 2):
            mixed = moments[(slice(None), *(units[a] + units[b]))]
            tensor[:, a, b] = tensor[:, b, a] = -mixed / whole
        return tensor

    @functools.cached_property
    def _eigenvalues(self):
        return np.clip(np.linalg.eigvalsh(self.inertia_tensor), 0, None)[:, ::-1]

    @property
    def inertia_tensor_eigvals(self):
        return self._settled("inertia_tensor_eigvals", self._eigenvalues, self._is_flat)

    @property
    def axis_major_length(self):
        values = self._eigenvalues
        if self.ndim == 2:
            return 4 * np.sqrt(values[:, 0])
        return np.sqrt(np.maximum(0, 10 * (values[:, 0] + values[:, 1] - values[:, 2])))

    @property
    def axis_minor_length(self):
        values = self._eigenvalues
        if self.ndim == 2:
            lengths = 4 * np.sqrt(values[:, 1])
        else:
            lengths = np.sqrt(np.maximum(0, 10 * (-values[:, 0] + values[:, 1] + values[:, 2])))
        return self._settled("axis_minor_length", lengths, self._is_flat)

    @property
    def eccentricity(self):
        large, small = self._eigenvalues.T
        quotient = np.divide(small, large, out=np.ones_like(large), where=large > 0)
        found = np.sqrt(1 - quotient)
        return self._settled("eccentricity", found, self._is_flat | (1 - quotient < _TINY))

    @property
    def orientation(self):
        a, b, c = (
            self.inertia_tensor[:, 0, 0],
            self.inertia_tensor[:, 0, 1],
            self.inertia_tensor[:, 1, 1],
        )
        angles = np.where(
            a == c, np.where(b < 0, math.pi / 4, -math.pi / 4), 0.5 * np.arctan2(-2 * b, c - a)
        )
        small = _TINY * (a + c)
        return self._settled("orientation", angles, (np.abs(b) <= small) & (c - a <= small))

    @property
    def _is_flat(self):
        """Regions on a line or in a plane: the smallest axis is 0, or what rounding leaves."""
        values = self._eigenvalues
        least = values[:, 1] if self.ndim == 2 else values[:, 1] + values[:, 2] - values[:, 0]
        return least <= _TINY * values[:, 0]

    @functools.cached_property
    def _is_exact(self):
        """Regions whose coordinates, from the centroid on, have no rounding: bits are equal."""
        if (self._spacing != 1).any():
            return np.zeros(len(self._regions), bool)
        counts, twice = self.num_pixels, 2 * self.centroid_local
        is_power = (counts & (counts - 1) == 0) & (counts <= 1024)
        return is_power | (twice == np.rint(twice)).all(axis=1)

    def _settled(self, name, values, in_doubt):
        """`values` with scikit-image's own where rounding decides what they are."""
        rows = np.flatnonzero(in_doubt & ~self._is_exact)
        if not rows.size:
            return values
        values = values.copy()
        places = self._regions.pixels(rows)
        places = [
            np.stack(np.unravel_index(each, self._regions.image.shape), -1) for each in places
        ]
        for row, mask in zip(rows, self._masks(rows, places), strict=True):
            (region,) = on_host(
                "skimage.measure:regionprops", mask.astype(np.uint8), spacing=self._spacing
            )
            values[row] = region[name]
        return values

    # Outlines.

    @functools.cached_property
    def euler_number(self):
        from skimage.measure import _regionprops_utils as theirs

        if self.ndim == 2:
            return self._regions.corners @ np.array(theirs.EULER_COEFS2D_8)
        return (self._regions.cubes(theirs.EULER_COEFS3D_26) * 0.125).astype(np.int64)

    @property
    def area_convex(self):
        if self.ndim == 3:
            raise NotHere("they have no GPU version for volumes")
        return self._regions.hulls * self._pixel_area

    @property
    def solidity(self):
        return self.area / self.area_convex

    @property
    def perimeter(self):
        straight, diagonal, mixed = self._regions.perimeters.T
        root = math.sqrt(2)
        return (straight + diagonal * root + mixed * ((1 + root) / 2)) * self._spacing[0]

    @property
    def perimeter_crofton(self):
        return self._regions.corners @ np.array(crofton_weights(False)) * self._spacing[0]

    # Intensities.

    @functools.cached_property
    def _values(self):
        """The intensities, with channels along the last axis."""
        image = self._intensity
        if image.dtype.kind == "f" and not bool(cp.isfinite(image).all()):
            raise NotHere("intensity_image has NaN or infinite values")
        return cp.ascontiguousarray(image if self._with_channels else image[..., None])

    def _as_given(self, values):
        """Without an axis of channels where the image has none."""
        return values if self._with_channels else values[..., 0]

    def _in_precision(self, values):
        """In double, but rounded as NumPy does whose means of an image are of its own dtype."""
        dtype = self._intensity.dtype
        return values.astype(dtype).astype(float) if dtype.kind == "f" else values

    @functools.cached_property
    def _sums(self):
        sums, least, largest = self._regions.intensities(self._values)
        if self._intensity.dtype.itemsize < 8 and (np.abs(sums) > _SINGLE.max / 2).any():
            raise NotHere("intensity_image has sums that its dtype does not hold")
        return sums, least, largest

    @property
    def intensity_min(self):
        return self._as_given(self._sums[1])

    @property
    def intensity_max(self):
        return self._as_given(self._sums[2])

    @functools.cached_property
    def _spread(self):
        """Means, and the sums of squares of distances from them."""
        counts = self.num_pixels[:, None]
        means = self._sums[0] / counts
        rest, squares = self._regions.spreads(self._values, means)
        return means + rest / counts, squares

    @property
    def intensity_mean(self):
        return self._as_given(self._in_precision(self._spread[0]))

    @property
    def intensity_std(self):
        if self._intensity.dtype.char == "e":
            raise NotHere("NumPy adds up squares in half precision")
        squares = self._spread[1]
        if self._intensity.dtype.char == "f" and (
            (squares > _SINGLE.max / 2).any() or ((squares > 0) & (squares < 1e-30)).any()
        ):
            raise NotHere("intensity_image has squares that its dtype does not hold")
        variance = self._in_precision(squares / self.num_pixels[:, None])
        return self._as_given(self._in_precision(np.sqrt(variance)))

    @property
    def intensity_median(self):
        odd, found = self.num_pixels % 2 == 1, []
        for channel in range(self._values.shape[-1]):
            below, above = self._regions.middles(self._values[..., channel].ravel())
            means = np.mean(np.stack((below, above)), axis=0)
            found.append(np.where(odd, below.astype(means.dtype), means).astype(float))
        return self._as_given(np.stack(found, axis=-1))

    @functools.cached_property
    def moments_weighted(self):
        return self._as_given(self._regions.moments(self._spacing, image=self._values))

    @functools.cached_property
    def centroid_weighted_local(self):
        return _centre(self.moments_weighted, self.ndim)

    @property
    def centroid_weighted(self):
        corners = self._regions.boxes[0] * self._spacing
        centres = self.centroid_weighted_local
        return centres + corners.reshape(corners.shape + (1,) * (centres.ndim - 2))

    @functools.cached_property
    def moments_weighted_central(self):
        centres = self.centroid_weighted_local
        if not np.isfinite(centres).all():
            raise NotHere("intensity_image adds up to 0 in a region")
        return self._as_given(self._regions.moments(self._spacing, centres, self._values))

    @functools.cached_property
    def moments_weighted_normalized(self):
        return _normalized(self.moments_weighted_central, self.ndim, min(self._spacing))

    @property
    def moments_weighted_hu(self):
        return _hu(self.moments_weighted_normalized)


def _objects(values):
    column = np.empty(len(values), object)
    for place, value in enumerate(values):
        column[place] = value
    return column


def _centre(moments, ndim):
    whole = moments[(slice(None), *(0,) * ndim)]
    units = np.eye(ndim, dtype=int)
    return np.stack([moments[(slice(None), *unit)] / whole for unit in units], axis=1)


def _normalized(central, ndim, scale):
    normalized = np.full_like(central, np.nan)
    whole = central[(slice(None), *(0,) * ndim)]
    for powers in itertools.product(range(4), repeat=ndim):
        if (order := sum(powers)) >= 2:
            place = (slice(None), *powers)
            normalized[place] = central[place] / scale**order / whole ** (order / ndim + 1)
    return normalized


def _hu(nu):
    """As `moments_hu` in skimage/measure/_moments_cy.pyx."""
    t0, t1 = nu[:, 3, 0] + nu[:, 1, 2], nu[:, 2, 1] + nu[:, 0, 3]
    q0, q1 = t0 * t0, t1 * t1
    n4 = 4 * nu[:, 1, 1]
    total, difference = nu[:, 2, 0] + nu[:, 0, 2], nu[:, 2, 0] - nu[:, 0, 2]
    first = total
    second = difference * difference + n4 * nu[:, 1, 1]
    fourth = q0 + q1
    sixth = difference * (q0 - q1) + n4 * t0 * t1
    t0, t1 = t0 * (q0 - 3 * q1), t1 * (3 * q0 - q1)
    q0, q1 = nu[:, 3, 0] - 3 * nu[:, 1, 2], 3 * nu[:, 2, 1] - nu[:, 0, 3]
    third = q0 * q0 + q1 * q1
    fifth, seventh = q0 * t0 + q1 * t1, q1 * t0 - q0 * t1
    return np.stack((first, second, third, fourth, fifth, sixth, seventh), axis=1)
