"""Properties of the shapes of all regions at once: NumPy's arithmetic of device sums."""

import functools
import itertools
import math

import numpy as np

from ...primitives.crops import Crops
from ...primitives.hulls import Hulls
from ...scikit_image import on_host, private
from .perimeters import crofton_weights

_TINY = 1e-9  # of an ellipse's largest axis: what rounding decides is below
_MOST_CROPS = 4  # times the elements of the image


class NotHere(Exception):
    """A property that is left to scikit-image, with the reason."""


class Shapes:
    """Properties of regions without intensities: see `Columns`.

    Parameters
    ----------
    regions : Regions
    spacing : numpy.ndarray
        Of pixels along each axis.
    offset : numpy.ndarray
        Coordinates of the first pixel.
    """

    def __init__(self, regions, spacing, offset):
        self._regions, self._spacing, self._offset = regions, spacing, offset
        self.ndim = spacing.size
        self._pixel_area = np.prod(spacing)

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
        return objects([tuple(map(slice, *box)) for box in boxes])

    # Coordinates.

    @functools.cached_property
    def _places(self):
        return self._places_of(range(len(self._regions)))

    def _places_of(self, rows):
        places, shape = self._regions.pixels(rows), self._regions.image.shape
        return [np.stack(np.unravel_index(each, shape), axis=-1) for each in places]

    @property
    def coords(self):
        return objects([places + self._offset for places in self._places])

    @property
    def coords_scaled(self):
        return objects([places * self._spacing + self._offset for places in self._places])

    @property
    def image(self):
        return objects(self._masks(range(len(self._regions)), self._places))

    def _masks(self, rows, places):
        first, behind = self._regions.boxes
        masks = [np.zeros(behind[row] - first[row], bool) for row in rows]
        for row, mask, each in zip(rows, masks, places, strict=True):
            mask[tuple((each - first[row]).T)] = True
        return masks

    # Moments, and the ellipse that has them.

    @functools.cached_property
    def moments(self):
        return self._regions.moments(3, self._spacing)

    @functools.cached_property
    def centroid_local(self):
        if self._regions.squares is None:
            return centre(self.moments, self.ndim)
        nearest, first, _ = self._regions.squares
        counts = self.num_pixels[:, None]
        sums = first + counts * (nearest - self._regions.boxes[0])
        return sums / counts * self._spacing

    @property
    def centroid(self):
        return self._regions.boxes[0] * self._spacing + self.centroid_local + self._offset

    @functools.cached_property
    def moments_central(self):
        return self._regions.moments(3, self._spacing, self.centroid_local)

    @functools.cached_property
    def moments_normalized(self):
        return normalized(self.moments_central, self.ndim, min(self._spacing))

    @property
    def moments_hu(self):
        return hu(self.moments_normalized)

    @functools.cached_property
    def inertia_tensor(self):
        axes, counts = range(self.ndim), self.num_pixels[:, None, None]
        tensor = -self._products / counts
        squares = np.diagonal(self._products, axis1=1, axis2=2)
        tensor[:, axes, axes] = (squares.sum(axis=1, keepdims=True) - squares) / counts[..., 0]
        return tensor

    @property
    def _products(self):
        """Central moments of the second order, for each pair of axes."""
        if self._regions.squares is not None:
            _, first, second = self._regions.squares
            products = first[:, :, None] * (first / self.num_pixels[:, None])[:, None]
            return (second - products) * np.multiply.outer(self._spacing, self._spacing)
        units = np.eye(self.ndim, dtype=int)
        places = units[:, None] + units
        return self.moments_central[(slice(None), *np.moveaxis(places, -1, 0))]

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
        masks = self._masks(rows, self._places_of(rows))
        for row, mask in zip(rows, masks, strict=True):
            (region,) = on_host(
                "skimage.measure:regionprops", mask.astype(np.uint8), spacing=self._spacing
            )
            values[row] = region[name]
        return values

    # Outlines.

    @functools.cached_property
    def euler_number(self):
        theirs = private("measure._regionprops_utils")
        if self.ndim == 2:
            return self._regions.corners @ np.array(theirs.EULER_COEFS2D_8)
        return (self._regions.cubes(theirs.EULER_COEFS3D_26) * 0.125).astype(np.int64)

    @functools.cached_property
    def _hulls(self):
        if self.ndim == 3:
            raise NotHere("convex hulls of volumes are made by SciPy")
        return Hulls(self._regions)

    @property
    def area_convex(self):
        return self._hulls.areas * self._pixel_area

    @property
    def image_convex(self):
        return objects(self._hulls.masks())

    @property
    def solidity(self):
        return self.area / self.area_convex

    @property
    def feret_diameter_max(self):
        return self._hulls.diameters(self._spacing)

    @functools.cached_property
    def _crops(self):
        crops = Crops(self._regions)
        if crops.size > _MOST_CROPS * self._regions.image.size:
            raise NotHere("boxes of regions overlap, and are larger together than four images")
        return crops

    @property
    def area_filled(self):
        return self._crops.filled[1] * self._pixel_area

    @property
    def image_filled(self):
        return objects(self._crops.split(self._crops.filled[0]))

    @property
    def perimeter(self):
        straight, diagonal, mixed = self._regions.perimeters.T
        root = math.sqrt(2)
        return (straight + diagonal * root + mixed * ((1 + root) / 2)) * self._spacing[0]

    @property
    def perimeter_crofton(self):
        return self._regions.corners @ np.array(crofton_weights(False)) * self._spacing[0]


def objects(values):
    column = np.empty(len(values), object)
    for place, value in enumerate(values):
        column[place] = value
    return column


def centre(moments, ndim):
    whole = moments[(slice(None), *(0,) * ndim)]
    units = np.eye(ndim, dtype=int)
    return np.stack([moments[(slice(None), *unit)] / whole for unit in units], axis=1)


def normalized(central, ndim, scale):
    normalized = np.full_like(central, np.nan)
    whole = central[(slice(None), *(0,) * ndim)]
    for powers in itertools.product(range(4), repeat=ndim):
        if (order := sum(powers)) >= 2:
            place = (slice(None), *powers)
            normalized[place] = central[place] / scale**order / whole ** (order / ndim + 1)
    return normalized


def hu(nu):
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
